import { isAbort } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { WorkerHandle } from '../lib/worker-handle.ts';
import type { Embedder } from '../models/model.ts';
import type { LocalOperations } from './local.worker.ts';

interface Needs {
  embedder: Embedder;
  file: string;
  reader: WorkerHandle<LocalOperations>;
  writer: WorkerHandle<LocalOperations>;
  log: Logger;
  clock: Clock;
}

/** Texts in one call to the provider. */
const BATCH = 64;
const QUERY_TIMEOUT_MS = 5_000;
const BATCH_TIMEOUT_MS = 60_000;
/** After a failure the provider is left alone for this long and search uses full text only. */
const REST_MS = 30_000;

/** Keeps a vector of every chunk; a provider that fails costs a warning, never a search or a document. */
export class LocalEmbeddings {
  readonly #needs: Needs;
  readonly #turn = new Semaphore(1);
  readonly #stop = new AbortController();
  #restUntil = 0;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** The vector of a question; undefined when the provider does not answer. */
  async embedQuery(text: string, signal: AbortSignal): Promise<{ model: string; vector: Float32Array } | undefined> {
    const { embedder } = this.#needs;
    signal.throwIfAborted();
    if (this.#isResting()) return undefined;
    try {
      const limited = AbortSignal.any([signal, this.#stop.signal, AbortSignal.timeout(QUERY_TIMEOUT_MS)]);
      const [vector] = await embedder.embed([text.slice(0, 8_000)], limited);
      return vector && { model: embedder.name, vector };
    } catch (error) {
      signal.throwIfAborted();
      this.#rest('query', error);
      return undefined;
    }
  }

  /** Embeds what has no vector of the present model, also after a change of the model. */
  async catchUp(signal?: AbortSignal): Promise<void> {
    const stop = signal ? AbortSignal.any([signal, this.#stop.signal]) : this.#stop.signal;
    try {
      await this.#turn.run(() => this.#embedPending(stop), stop);
    } catch (error) {
      // The document is stored; its vectors follow with the next one.
      if (!stop.aborted && !isAbort(error)) this.#rest('documents', error);
    }
  }

  /** Stops what is under way. */
  async stop(): Promise<void> {
    this.#stop.abort();
  }

  async #embedPending(signal: AbortSignal): Promise<void> {
    const { embedder, file, reader, writer } = this.#needs;
    while (!this.#isResting()) {
      const pending = await reader.call('pending', { file, model: embedder.name, limit: BATCH }, { signal });
      if (pending.length === 0) return;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(BATCH_TIMEOUT_MS)]);
      const embedded = await embedder.embed(
        pending.map((chunk) => chunk.text),
        limited,
      );
      if (embedded.length !== pending.length)
        throw new Error(`${pending.length} texts gave ${embedded.length} vectors`);
      const vectors = pending.map(({ id }, index) => ({ id, vector: embedded[index]! }));
      await writer.call('vectors', { file, model: embedder.name, vectors });
    }
  }

  #isResting(): boolean {
    return this.#needs.clock.now() < this.#restUntil;
  }

  #rest(what: string, error: unknown): void {
    this.#restUntil = this.#needs.clock.now() + REST_MS;
    this.#needs.log.warn('embedding failed; searching by full text only', {
      what,
      model: this.#needs.embedder.name,
      error,
    });
  }
}
