import type { Clock } from '../lib/clock.ts';
import { type Answer, refuse } from './answer.ts';
import type { Sender } from './authenticate.ts';

/** Longest time from the headers of a request to the end of its body. */
const BODY_TIMEOUT_MS = 30_000;
/** How often bodies that take too long are looked for. */
const SWEEP_MS = 1000;
/** What an open request costs besides its body, so that empty ones count too. */
const REQUEST_BYTES = 8192;
const BUSY_RETRY_SECONDS = 5;

export interface OpenBodiesOptions {
  clock: Clock;
  /** Most bytes of all bodies that are being received; one body is always let through. */
  maxBytes: number;
  /** Most requests of one address whose bodies are being received. */
  maxPerAddress: number;
  /** Aborted when the listener stops. */
  signal: AbortSignal;
}

export type BodyResult = { ok: true; body: Uint8Array } | { ok: false; answer: Answer };

interface OpenBody {
  bytes: number;
  openedAt: number;
  sender(): Sender;
  /** Known once it was asked for. */
  address?: string;
  /** Ends the wait for it; only the first time counts. */
  settle(result: BodyResult): void;
  /** Drops what came so far of a body without a length. */
  release?(): void;
}

/**
 * Reads bodies before anybody knows whether they are signed, within a fixed amount of memory. When there is no more room,
 * the body that has been open for the longest is given up: senders that are slow on purpose lose, a whole body never
 * waits for them.
 */
export class OpenBodies {
  /** Oldest first. */
  readonly #open = new Set<OpenBody>();
  #bytes = 0;
  #isSweeping = false;

  constructor(private readonly options: OpenBodiesOptions) {}

  /** The body, or the answer that refuses it; it never holds more than `limit` bytes. */
  read(request: Request, limit: number, sender: () => Sender): Promise<BodyResult> {
    const length = request.headers.get('content-length');
    const announced = length === null ? undefined : Number(length);
    if (announced !== undefined && announced > limit) return Promise.resolve(tooLarge(limit));
    if (this.#isFull(sender)) return Promise.resolve(TOO_MANY);
    return new Promise((resolve) => {
      const body: OpenBody = {
        bytes: 0,
        openedAt: this.options.clock.now(),
        sender,
        settle: (result) => {
          if (this.#open.delete(body)) this.#bytes -= body.bytes;
          resolve(result);
        },
      };
      this.#open.add(body);
      this.#grow(body, REQUEST_BYTES + (announced ?? 0));
      if (!this.#isSweeping) void this.#sweep();
      // With a length, the HTTP layer hands over exactly as many bytes as the header says.
      const whole = announced === undefined ? this.#readChunks(request, limit, body) : request.bytes();
      whole.then(
        (bytes) => body.settle(bytes ? { ok: true, body: bytes } : tooLarge(limit)),
        () => body.settle(INCOMPLETE),
      );
    });
  }

  /** Undefined when there is more than `limit`, or when it was given up; then nothing of it is kept. */
  async #readChunks(request: Request, limit: number, body: OpenBody): Promise<Uint8Array | undefined> {
    if (!request.body) return new Uint8Array(0);
    const reader = request.body.getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    // Memory is given back at once: the garbage collector would run behind a flood.
    body.release = () => {
      for (const chunk of chunks.splice(0)) (chunk.buffer as ArrayBuffer).transfer(0);
      reader.cancel().catch(() => undefined);
    };
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        // Out of reach of `release` from here on.
        const whole = chunks.splice(0);
        return whole.length === 1 ? whole[0] : Buffer.concat(whole);
      }
      size += value.length;
      chunks.push(value);
      if (size > limit || !this.#open.has(body)) {
        body.release();
        return undefined;
      }
      this.#grow(body, value.length);
    }
  }

  #grow(body: OpenBody, bytes: number): void {
    body.bytes += bytes;
    this.#bytes += bytes;
    for (const oldest of this.#open) {
      if (this.#bytes <= this.options.maxBytes || this.#open.size === 1) return;
      this.#giveUp(oldest, CROWDED);
    }
  }

  #giveUp(body: OpenBody, result: BodyResult): void {
    body.settle(result);
    body.release?.();
  }

  #isFull(sender: () => Sender): boolean {
    const { maxPerAddress } = this.options;
    // Asked of the socket only when it can matter.
    if (this.#open.size < maxPerAddress) return false;
    const { address, isShared } = sender();
    if (isShared) return false;
    let count = 0;
    for (const body of this.#open) {
      body.address ??= body.sender().address;
      if (body.address === address) count++;
    }
    return count >= maxPerAddress;
  }

  /** Gives up what takes too long; runs as long as bodies are open. */
  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    const { clock, signal } = this.options;
    try {
      while (this.#open.size > 0) {
        await clock.sleep(SWEEP_MS, signal);
        for (const body of this.#open) {
          if (clock.now() - body.openedAt < BODY_TIMEOUT_MS) break;
          this.#giveUp(body, TOO_SLOW);
        }
      }
    } catch {
      // The listener stops; its deadline cuts what is left.
    } finally {
      this.#isSweeping = false;
    }
  }
}

const TOO_MANY = refused(429, 'Too many open requests from this address', BUSY_RETRY_SECONDS);
const CROWDED = refused(503, 'Too many requests are being received', BUSY_RETRY_SECONDS);
const TOO_SLOW = refused(408, 'The body took too long');
const INCOMPLETE = refused(400, 'The body is not complete');

function tooLarge(limit: number): BodyResult {
  return refused(413, `Body over ${limit} bytes`);
}

function refused(...answer: Parameters<typeof refuse>): BodyResult {
  return { ok: false, answer: refuse(...answer) };
}
