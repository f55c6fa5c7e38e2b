import { availableParallelism } from 'node:os';
import { fail } from '../errors.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { AudioAnswer, AudioQuestion } from './audio.worker.ts';
import type { Mixer } from './speech.ts';

/** Audio work off the event loop. */
export interface AudioWorkers {
  /** A WAV file as MP3; takes ownership of `wav`. */
  encode(wav: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  openMixer(): Mixer;
  /** Ends the idle worker; idempotent. */
  stop(): void;
}

export interface AudioWorkersOptions {
  /** Unused workers are ended after this. */
  idleMs?: number;
}

/** Unused workers that are kept. */
const MAX_IDLE = 4;

/** Works on as many cores as there are but one; a mix has a worker of its own until it is finished. */
export function createAudioWorkers({ idleMs = 30_000 }: AudioWorkersOptions = {}): AudioWorkers {
  // One core is left to the event loop.
  const cores = new Semaphore(Math.max(1, availableParallelism() - 1));
  const pool = new WorkerPool(idleMs);
  return {
    stop: () => pool.stop(),
    encode: (wav, signal) =>
      cores.run(async () => {
        const worker = pool.take();
        const answer = await ask(worker, { kind: 'encode', wav: owned(wav) }, signal).catch((error: unknown) => {
          worker.terminate();
          throw error;
        });
        pool.give(worker);
        if (answer.ok && 'bytes' in answer) return answer.bytes;
        throw audioUnreadable('message' in answer ? answer.message : 'The audio could not be encoded.');
      }, signal),
    openMixer: () => createMixer(pool, cores),
  };
}

/** Started workers that nobody uses. */
class WorkerPool {
  readonly #idleMs: number;
  readonly #idle: Bun.Worker[] = [];
  #timer: Timer | undefined;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  take(): Bun.Worker {
    const worker = this.#idle.pop() ?? startWorker();
    worker.ref();
    return worker;
  }

  give(worker: Bun.Worker): void {
    if (this.#idle.length >= MAX_IDLE) return void worker.terminate();
    worker.unref();
    this.#idle.push(worker);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.stop(), this.#idleMs);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const worker of this.#idle.splice(0)) worker.terminate();
  }
}

function createMixer(pool: WorkerPool, cores: Semaphore): Mixer {
  let worker: Bun.Worker | undefined;
  const closed = new AbortController();
  const work = (question: AudioQuestion) =>
    cores.run(() => {
      worker ??= pool.take();
      return ask(worker, question, closed.signal);
    }, closed.signal);
  return {
    async add(audio) {
      const answer = await work({ kind: 'add', audio: owned(audio) });
      if (answer.ok && 'line' in answer) return answer.line;
      throw audioUnreadable('message' in answer ? answer.message : 'The audio could not be added.');
    },
    async finish(tag) {
      const answer = await work({ kind: 'finish', ...tag });
      if (worker) pool.give(worker);
      worker = undefined;
      if (answer.ok && 'bytes' in answer) return { bytes: answer.bytes, durationMs: answer.durationMs };
      throw audioUnreadable('message' in answer ? answer.message : 'The audio could not be finished.');
    },
    close() {
      closed.abort(new DOMException('The mixer was closed.', 'AbortError'));
      // A worker in the middle of a mix holds its sound: it is not used again.
      worker?.terminate();
      worker = undefined;
    },
  };
}

/** A provider's audio that cannot be used. */
function audioUnreadable(message: string) {
  return fail('upstream_rejected', message, { retryable: false });
}

function ask(worker: Bun.Worker, question: AudioQuestion, signal: AbortSignal): Promise<AudioAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<AudioAnswer>();
  const onAbort = () => reject(signal.reason);
  worker.onmessage = ((event: MessageEvent<AudioAnswer>) => resolve(event.data)) as typeof worker.onmessage;
  worker.onerror = (event) => {
    event.preventDefault();
    reject(fail('audio_failed', 'The audio worker stopped unexpectedly.', { cause: event.error ?? event.message }));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  else {
    const bytes = question.kind === 'encode' ? question.wav : question.kind === 'add' ? question.audio : undefined;
    worker.postMessage(question, bytes ? [bytes.buffer as ArrayBuffer] : []);
  }
  return promise.finally(() => {
    signal.removeEventListener('abort', onAbort);
    worker.onmessage = null;
    worker.onerror = null;
  });
}

/** A view on a larger (perhaps shared) buffer must not take that buffer along. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

function startWorker(): Bun.Worker {
  // The DOM's declaration of Worker hides Bun's.
  return new Worker(workerUrl(), { smol: true } as WorkerOptions) as unknown as Bun.Worker;
}

/** As in crawl/parse-pool.ts: in a binary the worker is an entry point that keeps its path in the repository. */
function workerUrl(): string {
  const isEmbedded = /\$bunfs|~BUN/.test(import.meta.url);
  return new URL(isEmbedded ? './src/speech/audio.worker.js' : './audio.worker.ts', import.meta.url).href;
}
