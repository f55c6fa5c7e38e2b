import { createApi } from '../api.ts';
import { ensureHome } from '../config/home.ts';
import type { LoadedConfig } from '../config/load.ts';
import { createDeps } from '../deps.ts';
import type { Listener } from '../http/listener.ts';
import type { Services } from './serve.ts';

/** Builds the server process: the API and what it stands on. */
export async function openServices({ config, home }: LoadedConfig): Promise<Services> {
  await ensureHome(home);
  const deps = createDeps({ config, home });
  const { listener } = createApi(deps);
  const api: Listener = {
    name: listener.name,
    get url() {
      return listener.url;
    },
    async start() {
      await deps.start();
      // Runs of a dead process are taken over only by one that has its port.
      await listener.start();
      await deps.runs.start();
    },
    stop: (deadlineMs) => listener.stop(deadlineMs),
  };
  return { deps, listeners: [api] };
}
