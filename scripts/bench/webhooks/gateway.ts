// Child process of scripts/bench/webhooks.ts: the real listener, store and queue, with an agent that answers at once and a target
// that is an HTTP sink honouring the delivery id. AGENT_HOME is its home; SINK is the sink's address (none: deliveries succeed).
import { join } from 'node:path';
import { loadConfig } from '../../../src/config/load.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/log.ts';
import { createOwner, isDeadOwner } from '../../../src/runs/owner.ts';
import { SqliteWebhookStore } from '../../../src/store/webhook-store.ts';
import { createWebhookListener } from '../../../src/webhooks/listener.ts';

const { config, home, environment } = await loadConfig();
const owner = createOwner();
const sink = process.env['SINK'];
const listener = createWebhookListener({
  config,
  home,
  environment,
  clock: systemClock,
  log: createLogger({ level: 'info', format: 'text' }),
  store: new SqliteWebhookStore({
    path: join(home, 'webhooks.db'),
    clock: systemClock,
    owner,
    isDeadOwner: (other) => isDeadOwner(other, owner),
  }),
  agentRunner: { start: async ({ prompt }) => ({ status: 'completed', text: prompt }) },
  deliverer: {
    async deliver({ content, deliveryId, signal }) {
      if (!sink) return { ok: true };
      const headers = { 'webhook-id': deliveryId };
      const response = await fetch(sink, { method: 'POST', body: content, headers, signal }).catch(() => undefined);
      return response?.ok
        ? { ok: true }
        : { ok: false, code: 'target_failed', message: 'The sink failed.', retryable: true };
    },
    targets: () => [],
  },
});
await listener.start();
console.log(listener.url);
process.on('SIGTERM', async () => {
  await listener.stop(3000);
  process.exit(0);
});
