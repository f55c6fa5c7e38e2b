import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalKnowledge, type LocalKnowledge, type LocalKnowledgeOptions } from '../../src/knowledge/local.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { defaultConfig } from '../helpers/test-server.ts';

/** A signal that is never aborted. */
export const signal = new AbortController().signal;

/** A local store in a folder of its own, with its log and a clock that the test moves. */
export interface OpenKnowledge extends AsyncDisposable {
  knowledge: LocalKnowledge;
  home: string;
  file: string;
  log: string[];
  /** Moves the clock. */
  advance(ms: number): void;
  /** A further store on the same file, as another process would open it. */
  another(options?: Partial<LocalKnowledgeOptions>): LocalKnowledge;
}

/** The settings of a store without the handbook. */
export function knowledgeConfig(
  changes: Partial<LocalKnowledgeOptions['config']> = {},
): LocalKnowledgeOptions['config'] {
  return { ...defaultConfig().knowledge, handbook: false, ...changes };
}

/** Opens a store without the handbook unless pages are given. */
export function openKnowledge(options: Partial<LocalKnowledgeOptions> = {}): OpenKnowledge {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'agent-knowledge-'));
  const log: string[] = [];
  let offset = 0;
  const clock: Clock = { ...systemClock, now: () => 1_700_000_000_000 + offset };
  const opened: LocalKnowledge[] = [];
  const another = (more: Partial<LocalKnowledgeOptions> = {}) => {
    const handbookPages = more.handbookPages ?? options.handbookPages;
    const knowledge = createLocalKnowledge({
      home,
      config: knowledgeConfig({ handbook: handbookPages !== undefined }),
      log: createLogger({ level: 'debug', format: 'json', write: (line) => log.push(line) }),
      clock,
      ...options,
      ...more,
    });
    opened.push(knowledge);
    return knowledge;
  };
  return {
    knowledge: another(),
    home,
    file: join(home, 'knowledge.db'),
    log,
    another,
    advance: (ms) => {
      offset += ms;
    },
    async [Symbol.asyncDispose]() {
      for (const knowledge of opened) await knowledge.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
