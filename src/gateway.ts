import { join } from 'node:path';
import type { Environment } from './config/load.ts';
import { createDeliverer } from './delivery/deliver.ts';
import type { Deps } from './deps.ts';
import type { Listener } from './http/listener.ts';
import { createEventRunner } from './research/event-runner.ts';
import { createOwner, isDeadOwner } from './runs/owner.ts';
import { SqliteWebhookStore } from './store/webhook-store.ts';
import { createWebhookListener } from './webhooks/listener.ts';

/** The webhook gateway of the product: its listener, its queue, the delivery targets and the agent behind it. */
export function createGateway(deps: Deps, environment: Environment): Listener {
  const { config, home, log, clock, store, runs } = deps;
  const owner = createOwner();
  return createWebhookListener({
    config,
    home,
    environment,
    store: new SqliteWebhookStore({
      path: join(home, 'webhooks.db'),
      clock,
      owner,
      isDeadOwner: (other) => isDeadOwner(other, owner),
    }),
    deliverer: createDeliverer({
      config: config.platforms,
      fetch: deps.fetch,
      guardedFetch: deps.configuredFetch,
      clock,
      log,
    }),
    agentRunner: createEventRunner({ store, runs, clock }),
    log,
    clock,
  });
}
