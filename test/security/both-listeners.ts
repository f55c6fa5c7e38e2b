import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApi } from '../../src/api.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createDeps } from '../../src/deps.ts';
import { createGateway } from '../../src/gateway.ts';
import type { MountedRoute } from '../../src/http/route-table.ts';

/** The whole product in this process: both listeners on free ports of loopback, with a home of its own. */
export interface BothListeners extends AsyncDisposable {
  api: { url: string; port: number };
  webhooks: { url: string; port: number };
  /** Everything that is mounted on the API. */
  routes: readonly MountedRoute[];
}

/** Starts it with the given variables; the webhook listener has the routes `signed` (secret `secret`) and `open`. */
export async function startBothListeners(env: Record<string, string> = {}): Promise<BothListeners> {
  const home = await mkdtemp(join(tmpdir(), 'agent-security-'));
  await Bun.write(
    join(home, 'config.yaml'),
    JSON.stringify({
      log: { level: 'silent' },
      platforms: {
        webhook: {
          enabled: true,
          host: '127.0.0.1',
          port: 0,
          public_url: 'https://hooks.example.org/agent',
          routes: {
            signed: { secret: 'secret', prompt: 'hello', events: ['nothing'] },
            open: { secret: 'INSECURE_NO_AUTH', prompt: 'hello', events: ['nothing'] },
          },
        },
      },
    }),
  );
  const { config, environment } = await loadConfig({ env: { AGENT_HOME: home, AGENT_PORT: '0', ...env } });
  const deps = createDeps({ config, home });
  await deps.start();
  const api = createApi(deps);
  const gateway = createGateway(deps, environment);
  await Promise.all([api.listener.start(), gateway.start()]);
  const addressOf = (url: string) => ({ url, port: Number(new URL(url).port) });
  return {
    api: addressOf(api.listener.url),
    webhooks: addressOf(gateway.url),
    routes: api.routes,
    async [Symbol.asyncDispose]() {
      await Promise.all([api.listener.stop(0), gateway.stop(0)]);
      await deps[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}
