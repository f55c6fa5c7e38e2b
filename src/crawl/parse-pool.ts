import { type AppError, fail } from '../errors.ts';
import { WorkerPool } from '../lib/worker-pool.ts';
import type { ReadablePage } from './html.ts';
import type { ParseOperations } from './parse.worker.ts';
import type { ParseInput } from './parse-page.ts';

export interface ParsePool {
  /** Parses in a process of its own, which is killed on abort and after `timeoutMs` of work. */
  parse(input: ParseInput, options: { timeoutMs: number; signal: AbortSignal }): Promise<ReadablePage>;
  /** Ends all processes; idempotent. */
  stop(): void;
}

export interface ParsePoolOptions {
  /** Pages parsed at once. */
  size?: number;
  /** An unused process is ended after this. */
  idleMs?: number;
}

/** A page that takes longer lets others pass. */
const TURN_MS = 1_000;
const MAX_WAITING = 500;
const MEMORY_BYTES = 1024 * 1024 * 1024;

/** Reads pages away from the event loop and from our memory: what a page does to its parser is over with the process. */
export function createParsePool({ size = 2, idleMs = 30_000 }: ParsePoolOptions = {}): ParsePool {
  const pool = new WorkerPool<ParseOperations>({
    source: { kind: 'process', moduleUrl: import.meta.url, path: 'crawl/parse' },
    size,
    idleMs,
    turnMs: TURN_MS,
    maxWaiting: MAX_WAITING,
  });
  return {
    stop: () => pool.stop(),
    parse: (input, { timeoutMs, signal }) =>
      pool.call('parse', input, { signal, timeoutMs, memoryBytes: MEMORY_BYTES, exceeded, busy }),
  };
}

function exceeded(limit: 'time' | 'memory' | 'crash', cause?: unknown): AppError {
  if (limit === 'time') return fail('upstream_timeout', 'The page took too long to read.', { retryable: false });
  const why = limit === 'memory' ? 'The page needs too much memory to read.' : 'The page broke its parser.';
  return fail('unreadable_page', why, { cause });
}

function busy(): AppError {
  return fail('crawl_busy', 'Too many pages wait to be read.');
}
