import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEvaluationRoutes } from '../../src/evaluation/routes.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { Gate } from '../../src/lib/gate.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { AudioShelf } from '../../src/podcast/audio-shelf.ts';
import { createPodcastRoutes } from '../../src/podcast/routes.ts';
import { createPodcastWorkflow } from '../../src/podcast/workflow.ts';
import { createPromptRoutes } from '../../src/prompt/routes.ts';
import { createProseRoutes } from '../../src/prose/routes.ts';
import { createRunRoutes } from '../../src/runs/routes.ts';
import { RunService } from '../../src/runs/service.ts';
import { createSpeech } from '../../src/speech/create-speech.ts';
import { createSpeechRoutes } from '../../src/speech/routes.ts';
import type { SpeechEngine } from '../../src/speech/speech.ts';
import { createVolcengine } from '../../src/speech/volcengine.ts';
import { createStore } from '../../src/store/create-store.ts';
import { startTestServer } from './test-server.ts';

export interface ContentAppOptions {
  models: Models;
  engine: SpeechEngine;
  attempts?: number;
  podcast?: Partial<{ maxConcurrency: number; maxWaiting: number; maxLines: number; maxCharacters: number }>;
  writing?: { maxConcurrency: number; maxWaiting: number };
}

/** The engine of the tests: Volcengine at a local address. */
export function localVolcengine(url: string, settings: Partial<Parameters<typeof createVolcengine>[0]> = {}) {
  return createVolcengine({
    appId: 'app-1',
    accessToken: 'tts-secret-token',
    url,
    cluster: 'volcano_tts',
    voices: { male: 'BV002_streaming', female: 'BV001_streaming' },
    timeoutMs: 2000,
    fetch,
    now: Date.now,
    ...settings,
  });
}

/** Speech, podcast, prose, prompt and evaluation on a real server with a real database. */
export async function startContentApp(options: ContentAppOptions) {
  const home = await mkdtemp(join(tmpdir(), 'agent-content-'));
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const store = createStore({ url: 'sqlite:agent.db', home, clock: systemClock });
  await store.start();
  const { models } = options;
  const speech = createSpeech({
    engine: options.engine,
    clock: systemClock,
    attempts: options.attempts ?? 4,
    maxConcurrency: 8,
    maxWaiting: 1000,
    retryBaseMs: 2,
  });
  const shelf = new AudioShelf();
  const runs = new RunService({
    store,
    workflows: {
      podcast: createPodcastWorkflow({
        models,
        speech,
        shelf,
        log,
        limits: {
          lineConcurrency: 4,
          maxLines: options.podcast?.maxLines ?? 500,
          maxCharacters: options.podcast?.maxCharacters ?? 200_000,
        },
      }),
    },
    clock: systemClock,
    log,
    maxActive: 500,
    leaseMs: 15_000,
    workerConcurrency: 4,
  });
  const podcasts = new Gate({
    limit: options.podcast?.maxConcurrency ?? 4,
    maxWaiting: options.podcast?.maxWaiting ?? 250,
    what: 'podcasts',
  });
  const writing = new Gate({
    limit: options.writing?.maxConcurrency ?? 200,
    maxWaiting: options.writing?.maxWaiting ?? 1000,
    what: 'writing',
  });
  const server = await startTestServer({
    mount: (base) =>
      base
        .use(createSpeechRoutes({ speech }))
        .use(createPodcastRoutes({ runs, store, speech, shelf, gate: podcasts }))
        .use(createProseRoutes({ models, gate: writing, heartbeatMs: 15_000, chunkIntervalMs: 0 }))
        .use(createPromptRoutes({ models, gate: writing }))
        .use(createEvaluationRoutes({ models, gate: writing }))
        .use(createRunRoutes({ store, runs, clock: systemClock, heartbeatMs: 15_000 })),
    deps: { models, log },
  });
  return {
    ...server,
    store,
    runs,
    speech,
    logText: () => lines.join('\n'),
    async [Symbol.asyncDispose]() {
      await runs.stop();
      await server.server.listener.stop(0);
      speech.stop();
      await store.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
