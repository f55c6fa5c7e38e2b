import { availableParallelism } from 'node:os';
import { IdleWorkers } from '../lib/idle-workers.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { WorkerHandle } from '../lib/worker-handle.ts';
import type { AudioOperations } from './audio.worker.ts';
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
  const workers = new IdleWorkers<AudioOperations>(
    { kind: 'thread', moduleUrl: import.meta.url, path: 'speech/audio' },
    idleMs,
    MAX_IDLE,
  );
  return {
    stop: () => workers.stop(),
    encode: (wav, signal) =>
      cores.run(async () => {
        const worker = workers.take();
        const bytes = owned(wav);
        try {
          const mp3 = await worker.call('encode', bytes, { signal, transfer: [bytes.buffer] });
          workers.give(worker);
          return mp3;
        } catch (error) {
          worker.terminate();
          throw error;
        }
      }, signal),
    openMixer: () => createMixer(workers, cores),
  };
}

function createMixer(workers: IdleWorkers<AudioOperations>, cores: Semaphore): Mixer {
  let worker: WorkerHandle<AudioOperations> | undefined;
  const closed = new AbortController();
  const { signal } = closed;
  return {
    add: (audio) =>
      cores.run(() => {
        worker ??= workers.take();
        const bytes = owned(audio);
        return worker.call('add', bytes, { signal, transfer: [bytes.buffer] });
      }, signal),
    async finish(tag) {
      const mixed = await cores.run(() => {
        worker ??= workers.take();
        return worker.call('finish', tag, { signal });
      }, signal);
      if (worker) workers.give(worker);
      worker = undefined;
      return mixed;
    },
    close() {
      closed.abort(new DOMException('The mixer was closed.', 'AbortError'));
      // A worker in the middle of a mix holds its sound: it is not used again.
      worker?.terminate();
      worker = undefined;
    },
  };
}

/** A view on a larger (perhaps shared) buffer must not take that buffer along. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return (bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice()) as Uint8Array<ArrayBuffer>;
}
