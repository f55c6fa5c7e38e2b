import { treaty } from '@elysiajs/eden';
import type { AnyElysia } from 'elysia';
import { type Config, ConfigSchema } from '../../src/config/schema.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Model, Models } from '../../src/models/model.ts';
import { Value } from '../../src/schema.ts';
import { type ApiServer, type Base, createServer, type ServerDeps } from '../../src/server.ts';

export interface TestServerOptions<App extends AnyElysia = AnyElysia> {
  /** Adds the feature routes under test. */
  mount?(base: Base): App;
  /** Settings of `server` that differ from the defaults (the port is always a free one). */
  server?: Partial<Config['server']>;
  deps?: Partial<ServerDeps>;
  onShutdown?(): Promise<void>;
}

export interface TestServer<App extends AnyElysia = AnyElysia> extends AsyncDisposable {
  /** A client typed by the routes under test (Eden Treaty). */
  api: ReturnType<typeof treaty<App>>;
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
  port: number;
  /** Every line the server logged, as objects. */
  log: Record<string, unknown>[];
  /** The whole log as text, to prove what is not in it. */
  logText(): string;
  server: ApiServer;
  /** `fetch` with a path. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** POST of a JSON body. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** A configuration with every default. */
export function defaultConfig(): Config {
  return Value.Default(ConfigSchema, {}) as Config;
}

/** Starts a real server on a free port of loopback with the given routes; dispose it with `await using`. */
export async function startTestServer<App extends AnyElysia = Base>(
  options: TestServerOptions<App> = {},
): Promise<TestServer<App>> {
  const config = options.deps?.config ?? defaultConfig();
  Object.assign(config.server, { port: 0, shutdown_seconds: 1 }, options.server);
  const lines: string[] = [];
  const server = createServer(
    {
      log: createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) }),
      clock: systemClock,
      models: NO_MODELS,
      ...options.deps,
      config,
    },
    {
      ...(options.mount && { mount: options.mount }),
      ...(options.onShutdown && { onShutdown: options.onShutdown }),
    },
  );
  await server.listener.start();
  const { url, port } = server.listener;
  const request = (path: string, init?: RequestInit) => fetch(`${url}${path}`, init);
  return {
    // Times stay the strings that the types promise.
    api: treaty<App>(url, { parseDate: false }),
    url,
    port,
    server,
    get log() {
      return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    logText: () => lines.join('\n'),
    fetch: request,
    post: (path, body, headers) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: () => server.listener.stop(0),
  };
}

const NO_MODELS: Models = {
  get: () => undefined as unknown as Model,
  has: () => false,
  names: () => ({ basic: ['test-model'] }),
};
