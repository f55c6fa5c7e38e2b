import { type AppError, fail } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { urlOf } from './bind.ts';
import type { Listener } from './listener.ts';

export interface HttpListenerOptions {
  name: string;
  log: Logger;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Answers what needs no more than an open socket; everything else waits until the listener serves. */
  early?(request: Request): Response | undefined;
}

/** What a listener serves. */
export interface Serving {
  /** Answers every request; it does not throw. */
  handle(request: Request): Response | Promise<Response>;
  /** Given the socket once it is open. */
  onOpen?(server: Bun.Server<undefined>): void;
  /** Called once when the socket stops accepting, before the wait for open answers. */
  onShutdown?(): Promise<void>;
}

/** Seconds a connection may be silent while it sends a request. */
const IDLE_TIMEOUT_SECONDS = 30;

/** How often a stopping server looks whether its answers are complete. */
const POLL_MS = 20;

/** A listener on Bun's HTTP server. */
export class HttpListener implements Listener {
  readonly name: string;
  readonly #options: HttpListenerOptions;
  #server: Bun.Server<undefined> | undefined;
  #stopping: Promise<void> | undefined;
  #serving: Serving | undefined;
  readonly #isServing = Promise.withResolvers<Serving>();
  /** Kept here because Bun forgets it when the socket closes. */
  #port: number;

  constructor(options: HttpListenerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#port = options.port;
  }

  /** The real port, once started. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return urlOf(this.#options.host, this.port);
  }

  /** Gives the listener its work; before or after the socket opens. */
  serve(serving: Serving): void {
    this.#serving = serving;
    if (this.#server) serving.onOpen?.(this.#server);
    this.#isServing.resolve(serving);
  }

  #answer(request: Request): Response | Promise<Response> {
    if (this.#serving) return this.#serving.handle(request);
    return this.#options.early?.(request) ?? this.#isServing.promise.then((serving) => serving.handle(request));
  }

  async start(): Promise<void> {
    const { host, port } = this.#options;
    try {
      this.#server = Bun.serve({
        hostname: host,
        port,
        // With a shared port a second server would start silently and take half of the requests.
        reusePort: false,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        // The handler enforces the real cap; Bun's own refusal would be bare.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        fetch: (request) => this.#answer(request),
      });
    } catch (error) {
      throw cannotListen(error, host, port);
    }
    this.#port = this.#server.port ?? port;
    this.#serving?.onOpen?.(this.#server);
  }

  stop(deadlineMs: number): Promise<void> {
    this.#stopping ??= this.#stop(deadlineMs);
    return this.#stopping;
  }

  async #stop(deadlineMs: number): Promise<void> {
    const server = this.#server;
    if (!server) return;
    const deadline = performance.now() + deadlineMs;
    // Bun's own wait would also be for connections that never complete a request, so answers are counted instead.
    void server.stop(false);
    let streamsEnded = false;
    void this.#endStreams().then(() => {
      streamsEnded = true;
    });
    while (performance.now() < deadline && !(streamsEnded && server.pendingRequests === 0)) await Bun.sleep(POLL_MS);
    await server.stop(true);
  }

  async #endStreams(): Promise<void> {
    try {
      await this.#serving?.onShutdown?.();
    } catch (error) {
      // The stop goes on: the streams are then cut at the deadline.
      this.#options.log.error('ending the open streams failed', { listener: this.name, error });
    }
  }
}

function cannotListen(error: unknown, host: string, port: number): AppError {
  const { code } = error as { code?: string };
  const reason =
    code === 'EADDRINUSE'
      ? `port ${port} on ${host} is already in use; stop the program that uses it or choose another with --port`
      : code === 'EACCES'
        ? `port ${port} needs more rights; choose one above 1023 with --port`
        : `the address cannot be opened (${code ?? 'unknown reason'}); check --host`;
  return fail('cannot_listen', `Cannot listen on ${urlOf(host, port)}: ${reason}.`, { cause: error });
}
