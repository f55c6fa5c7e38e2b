import type { Config } from '../config/schema.ts';
import { type AppError, fail } from '../errors.ts';
import { type WorkerLimit, WorkerPool } from '../lib/worker-pool.ts';
import type { IngestOperations } from './ingest.worker.ts';
import type { IngestDocument } from './model.ts';

/** Limits of reading one document. */
export type ReadLimits = Pick<Config['knowledge'], 'read_timeout_seconds' | 'read_memory_bytes'>;

/** Documents read at once. */
const READERS = 2;
/** An unused process is ended after this. */
const IDLE_MS = 15_000;
/** A document that takes longer lets others pass. */
const TURN_MS = 2_000;
const MAX_WAITING = 1_000;
/** Of the documents that are read or wait. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;
const RETRY_MS = 5_000;

/**
 * Reads documents in processes of their own, which are killed at a limit whatever they do. Documents that take long
 * hold up each other, but not the rest.
 */
export class DocumentReader {
  readonly #limits: ReadLimits;
  readonly #pool = new WorkerPool<IngestOperations>({
    source: { kind: 'process', moduleUrl: import.meta.url, path: 'knowledge/ingest' },
    size: READERS,
    idleMs: IDLE_MS,
    turnMs: TURN_MS,
    maxWaiting: MAX_WAITING,
  });
  #heldBytes = 0;

  constructor(limits: ReadLimits) {
    this.#limits = limits;
  }

  /**
   * The `ParsedDocument` as JSON text, or undefined when `knownDigest` says that the same is indexed already. Errors:
   * as `parseDocument`, `document_time_limit` and `document_memory_limit` (422), `knowledge_busy` (503).
   */
  async read(document: IngestDocument, knownDigest: string | undefined, signal: AbortSignal) {
    const { read_timeout_seconds: seconds, read_memory_bytes: memoryBytes } = this.#limits;
    const { byteLength } = document.bytes;
    if (this.#heldBytes > 0 && this.#heldBytes + byteLength > MAX_HELD_BYTES) throw busy();
    this.#heldBytes += byteLength;
    try {
      return await this.#pool.call(
        'parse',
        { ...document, knownDigest },
        {
          signal,
          timeoutMs: seconds * 1000,
          memoryBytes,
          exceeded: (limit, cause) => this.#exceeded(limit, cause),
          busy,
        },
      );
    } finally {
      this.#heldBytes -= byteLength;
    }
  }

  /** Ends the processes; idempotent. */
  stop(): void {
    this.#pool.stop();
  }

  #exceeded(limit: WorkerLimit, cause: unknown): AppError {
    const { read_timeout_seconds: seconds, read_memory_bytes: bytes } = this.#limits;
    if (limit === 'time')
      return fail(
        'document_time_limit',
        `The document takes longer to read than the ${seconds} seconds it may take (knowledge.read_timeout_seconds).`,
      );
    if (limit === 'memory')
      return fail(
        'document_memory_limit',
        `The document needs more memory to read than the ${bytes} bytes it may use (knowledge.read_memory_bytes).`,
      );
    return fail('unreadable_content', 'The document broke the program that reads it.', { cause });
  }
}

function busy(): AppError {
  return fail('knowledge_busy', 'Too many documents wait to be read; try again later.', { retryAfterMs: RETRY_MS });
}
