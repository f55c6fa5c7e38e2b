import type { Server } from 'bun';

/** What {@link sseResponse} needs. */
export interface SseOptions {
  request: Request;
  /** The server of the request; null only when a handler is called without a socket. */
  server: Pick<Server<unknown>, 'timeout'> | null;
  /** Complete frames, each ending in an empty line; see {@link formatFrame}. */
  frames: AsyncIterable<string>;
  /** Silence after which a `: ping` comment goes out, milliseconds. */
  heartbeatMs: number;
  /** Longest wait for a first frame before a comment carries the headers out, milliseconds (default 100). */
  openAfterMs?: number;
  headers?: Record<string, string>;
  /** Called once, at once, when the client goes away before the end, also while `frames` is waiting. */
  onDisconnect?(): void;
  /** The last frame when `frames` throws; without it, or when it is empty, the stream just ends. */
  errorFrame?(error: unknown): string;
}

const PING = ': ping\n\n';
/** Frames read ahead of a slow client, in UTF-16 units; beyond it `frames` is not asked for more. */
const READ_AHEAD = 64 * 1024;

/** Writes one SSE frame with LF line ends; a newline in `data` becomes a further `data:` line. */
export function formatFrame(frame: { id?: string; event?: string; data: string }): string {
  let text = '';
  if (frame.id !== undefined) text += `id: ${oneLine(frame.id)}\n`;
  if (frame.event !== undefined) text += `event: ${oneLine(frame.event)}\n`;
  const data = /[\r\n]/.test(frame.data) ? frame.data.replaceAll(/\r\n|\r|\n/g, '\ndata: ') : frame.data;
  return `${text}data: ${data}\n\n`;
}

/**
 * Streams frames as Server-Sent Events (WHATWG HTML, section 9.2). Frames that are ready in the same turn leave in one
 * write; a slow client holds `frames` back instead of filling memory; the socket is never broken by an error.
 */
export function sseResponse(options: SseOptions): Response {
  // Bun closes a connection that is silent for `idleTimeout`; a run may think for longer.
  options.server?.timeout(options.request, 0);
  return new Response(new SseStream(options).readable, {
    headers: {
      ...options.headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
  });
}

class SseStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #options: SseOptions;
  readonly #iterator: AsyncIterator<string>;
  readonly #encoder = new TextEncoder();
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #buffer = '';
  #ended = false;
  #closed = false;
  #flushScheduled = false;
  /** 0 until the first bytes left. */
  #lastWrite = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Set while the client waits for bytes. */
  #pulled: (() => void) | undefined;
  /** Set while the reader of `frames` waits for room. */
  #drained: (() => void) | undefined;

  constructor(options: SseOptions) {
    this.#options = options;
    this.#iterator = options.frames[Symbol.asyncIterator]();
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () =>
          new Promise<void>((resolve) => {
            this.#pulled = resolve;
            if (this.#buffer !== '' || this.#ended) this.#flush();
          }),
        cancel: () => this.#disconnect(),
      },
      { highWaterMark: 0 },
    );
    options.request.signal.addEventListener('abort', this.#disconnect, { once: true });
    this.#timer = setTimeout(this.#beat, Math.min(options.openAfterMs ?? 100, options.heartbeatMs));
    if (options.request.signal.aborted) this.#disconnect();
    else void this.#readFrames();
  }

  async #readFrames(): Promise<void> {
    try {
      while (!this.#closed) {
        const result = await this.#iterator.next();
        if (this.#closed || result.done) break;
        this.#push(result.value);
        if (this.#buffer.length >= READ_AHEAD) await new Promise<void>((resolve) => (this.#drained = resolve));
      }
    } catch (error) {
      // After a disconnect this is the abort the caller asked for; there is nobody left to tell.
      if (!this.#closed) this.#push(this.#options.errorFrame?.(error) ?? '');
    }
    this.#ended = true;
    this.#schedule();
  }

  #push(text: string): void {
    this.#buffer += text;
    this.#schedule();
  }

  /** Flushes at the end of this turn, so that frames that are ready together share one write. */
  #schedule(): void {
    if (this.#flushScheduled || this.#closed) return;
    this.#flushScheduled = true;
    setImmediate(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#closed || !this.#pulled) return;
    if (this.#buffer !== '') {
      this.#controller.enqueue(this.#encoder.encode(this.#buffer));
      this.#buffer = '';
      this.#lastWrite = performance.now();
      this.#release();
    } else if (this.#ended) {
      this.#close();
      this.#controller.close();
      this.#release();
    }
  }

  /** Lets whoever waits go on: the client's read, and the reader of `frames`. */
  #release(): void {
    this.#pulled?.();
    this.#drained?.();
    this.#pulled = undefined;
    this.#drained = undefined;
  }

  /** One timer per stream, re-armed only when it fires: a busy stream pays nothing for its heartbeat. */
  readonly #beat = (): void => {
    const { heartbeatMs } = this.#options;
    const opened = this.#lastWrite > 0;
    const silence = performance.now() - this.#lastWrite;
    if (!opened || silence >= heartbeatMs) {
      if (this.#buffer === '') this.#push(PING);
      this.#timer = setTimeout(this.#beat, heartbeatMs);
    } else this.#timer = setTimeout(this.#beat, heartbeatMs - silence);
  };

  readonly #disconnect = (): void => {
    if (this.#closed) return;
    this.#close();
    this.#buffer = '';
    this.#release();
    this.#options.onDisconnect?.();
    // A generator that is waiting runs its `finally` only once its await settles; its failure then concerns nobody.
    this.#iterator.return?.()?.catch(() => {});
  };

  #close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#options.request.signal.removeEventListener('abort', this.#disconnect);
  }
}

function oneLine(value: string): string {
  return /[\r\n\0]/.test(value) ? value.replaceAll(/[\r\n\0]+/g, ' ') : value;
}
