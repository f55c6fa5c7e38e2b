import { fail, storedError } from '../errors.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { ParseAnswer } from './parse.worker.ts';
import type { ParsedPage, ParseInput } from './parse-page.ts';

export interface ParsePool {
  /** Parses in a worker; the worker is killed on abort and after `timeoutMs` of work. Takes ownership of `input.bytes`. */
  parse(input: ParseInput, options: { timeoutMs: number; signal: AbortSignal }): Promise<ParsedPage>;
  /** Ends all workers; idempotent. */
  stop(): void;
}

export interface ParsePoolOptions {
  /** Workers at most; started when first needed. */
  size?: number;
  /** An unused worker is ended after this. */
  idleMs?: number;
}

/** Keeps CPU-heavy parsing off the event loop: at most `size` workers, ended when idle. */
export function createParsePool(options: ParsePoolOptions = {}): ParsePool {
  const { size = 2, idleMs = 30_000 } = options;
  const places = new Semaphore(size);
  const idle: Bun.Worker[] = [];
  let idleTimer: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    clearTimeout(idleTimer);
    for (const worker of idle.splice(0)) worker.terminate();
  };
  const park = (worker: Bun.Worker) => {
    worker.unref();
    idle.push(worker);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(stop, idleMs);
    idleTimer.unref();
  };

  return {
    stop,
    parse: (input, { timeoutMs, signal }) =>
      places.run(async () => {
        const worker = idle.pop() ?? startWorker();
        worker.ref();
        const answer = await ask(worker, input, timeoutMs, signal).catch((error: unknown) => {
          worker.terminate();
          throw error;
        });
        park(worker);
        if (answer.ok) return answer.page;
        throw storedError(answer.code, answer.message);
      }, signal),
  };
}

function ask(worker: Bun.Worker, input: ParseInput, timeoutMs: number, signal: AbortSignal): Promise<ParseAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<ParseAnswer>();
  const onAbort = () => reject(signal.reason);
  const timer = setTimeout(
    () => reject(fail('upstream_timeout', 'The page took too long to read.', { retryable: false })),
    timeoutMs,
  );
  const onAnswer = (event: MessageEvent<ParseAnswer>) => resolve(event.data);
  worker.onmessage = onAnswer as typeof worker.onmessage;
  worker.onerror = (event) => {
    event.preventDefault();
    // Whatever a page does to the parser is answered; this is a worker that did not start or ran out of memory.
    reject(fail('parser_failed', 'The page parser stopped unexpectedly.', { cause: event.error ?? event.message }));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  else {
    // A view on a larger (perhaps shared) buffer must not take that buffer along.
    const whole = input.bytes.byteLength === input.bytes.buffer.byteLength;
    const bytes = whole ? input.bytes : input.bytes.slice();
    worker.postMessage({ ...input, bytes }, [bytes.buffer as ArrayBuffer]);
  }
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    worker.onmessage = null;
    worker.onerror = null;
  });
}

function startWorker(): Bun.Worker {
  // The DOM's declaration of Worker hides Bun's.
  return new Worker(workerUrl(), { smol: true } as WorkerOptions) as unknown as Bun.Worker;
}

/**
 * In source the worker lies beside this file. In a binary this file is part of `main` at the root of the embedded files,
 * and the worker is an extra entrypoint that keeps its path in the repository (`root` in scripts/build.ts).
 */
function workerUrl(): string {
  const isEmbedded = /\$bunfs|~BUN/.test(import.meta.url);
  return new URL(isEmbedded ? './src/crawl/parse.worker.js' : './parse.worker.ts', import.meta.url).href;
}
