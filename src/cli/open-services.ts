import { weaknessOf } from '../config/api-token.ts';
import { ensureHome } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createApiCallerCheck } from '../http/api-callers.ts';
import { createHealth } from '../http/health.ts';
import { HttpListener } from '../http/http-listener.ts';
import type { Listener } from '../http/listener.ts';
import { systemClock } from '../lib/clock.ts';
import { closeProcess } from '../lib/close-process.ts';
import { createLogger } from '../lib/log.ts';
import type { Services } from './serve.ts';

/** How long the event loop is left free once the socket is open; shortens the way to the first answer by a fifth. */
const PROBE_MS = 5;

/**
 * Opens the server process. The socket comes first, so that a probe is answered and a port in use is known before the
 * rest of the program is loaded; requests that come early wait for it.
 */
export async function openServices(loaded: LoadedConfig): Promise<Services> {
  const { config, home, environment } = loaded;
  const { host, port } = config.server;
  const health = createHealth(systemClock);
  const checkCaller = createApiCallerCheck(config);
  const listener = new HttpListener({
    name: 'api',
    log: createLogger(config.log),
    host,
    port,
    early: (request) =>
      checkCaller(request).ok && new URL(request.url).pathname === '/health' ? Response.json(health()) : undefined,
  });
  await listener.start();
  // Loading blocks: a probe that waits for the socket is answered first.
  await Bun.sleep(PROBE_MS);
  await closeProcess(loaded.forgetSecrets());
  const isClosed = await ensureHome(home);
  // Loading blocks; a turn of the event loop between its parts answers the probes that came meanwhile.
  await turn();
  await import('../server.ts');
  await turn();
  const { createDeps } = await import('../deps.ts');
  await turn();
  const { createApi } = await import('../api.ts');
  const deps = createDeps({ config, home });
  if (!isClosed) deps.log.warn('other users can open the agent home; see agent doctor', { home });
  const { api_token: token } = config.server;
  const weakness = token === undefined ? undefined : weaknessOf(token);
  if (weakness) deps.log.warn(`the API token ${weakness}; make another one with agent token --replace`);
  await deps.start();
  deps.alarm.start();
  createApi(deps, listener);
  const api: Listener = {
    name: listener.name,
    get url() {
      return listener.url;
    },
    // Runs of a dead process are taken over only by one that has its port.
    start: () => deps.runs.start(),
    stop: (deadlineMs) => listener.stop(deadlineMs),
  };
  if (!config.platforms.webhook.enabled) return { deps, listeners: [api] };
  const { createGateway } = await import('../gateway.ts');
  return { deps, listeners: [api, createGateway(deps, environment)] };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
