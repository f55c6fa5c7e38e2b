import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Config, ConfigSchema } from '../../src/config/schema.ts';
import type { WebhookSection } from '../../src/config/sections/webhook.ts';
import type { Deliverer, DeliveryRequest, DeliveryResult } from '../../src/delivery/model.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import { Value } from '../../src/schema.ts';
import { SqliteWebhookStore } from '../../src/store/webhook-store.ts';
import type { AgentRunInput, AgentRunner, AgentRunResult } from '../../src/webhooks/agent-runner.ts';
import type { StoredWebhookEvent } from '../../src/webhooks/event-record.ts';
import { createWebhookListener } from '../../src/webhooks/listener.ts';
import { signRequest } from '../../src/webhooks/sign.ts';

/** A webhook gateway on a free port with a real store in a folder of its own and a scripted agent and target. */
export interface TestGateway extends AsyncDisposable {
  home: string;
  url: string;
  store: SqliteWebhookStore;
  clock: TestClock;
  /** Everything that was logged. */
  logged: string[];
  runs: AgentRunInput[];
  deliveries: Omit<DeliveryRequest, 'signal'>[];
  /** Posts a payload signed by GitHub's scheme with the secret `secret`. */
  post(name: string, payload: unknown, headers?: Record<string, string>): Promise<Response>;
  /** Waits until an event's status is no longer one of work. */
  settled(id?: string): Promise<StoredWebhookEvent>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface TestGatewayOptions {
  home?: string;
  webhook?: Partial<Omit<WebhookSection, 'extra'>>;
  routes?: Record<string, unknown>;
  environment?: Record<string, string>;
  run?(input: AgentRunInput, signal: AbortSignal): Promise<AgentRunResult>;
  deliver?(request: DeliveryRequest): Promise<DeliveryResult>;
}

/** A clock that tests can move; sleeping is real but short. */
export class TestClock implements Clock {
  offset = 0;
  now(): number {
    return systemClock.now() + this.offset;
  }
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(Math.min(ms, 5), signal);
  }
}

/** A configuration with only defaults and the given webhook settings. */
export function webhookConfig(webhook: Record<string, unknown>): Config {
  const config = Value.Default(ConfigSchema, {}) as Config;
  config.platforms.webhook = { ...config.platforms.webhook, enabled: true, ...webhook } as WebhookSection;
  return config;
}

export async function startGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'webhooks-')));
  const clock = new TestClock();
  const logged: string[] = [];
  const runs: AgentRunInput[] = [];
  const deliveries: Omit<DeliveryRequest, 'signal'>[] = [];
  const agentRunner: AgentRunner = {
    async start(input, signal) {
      runs.push(input);
      return options.run?.(input, signal) ?? { status: 'completed', text: `answer to ${input.prompt}` };
    },
  };
  const deliverer: Deliverer = {
    async deliver({ signal, ...request }) {
      deliveries.push(request);
      return options.deliver?.({ ...request, signal }) ?? { ok: true };
    },
    targets: () => [],
  };
  const owner = `test:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;
  const create = () => {
    const store = new SqliteWebhookStore({
      path: join(home, 'webhooks.db'),
      clock,
      owner,
      isDeadOwner: (other) => other !== owner,
    });
    const listener = createWebhookListener({
      config: webhookConfig({
        host: '127.0.0.1',
        port: 0,
        rate_limit: 0,
        ...options.webhook,
        routes: options.routes ?? {},
      }),
      home,
      environment: { PATH: process.env['PATH'], ...options.environment },
      store,
      deliverer,
      agentRunner,
      log: createLogger({ level: 'debug', format: 'json', write: (line) => void logged.push(line) }),
      clock,
      backoff: { baseMs: 2, maxMs: 4 },
    });
    return { store, listener };
  };
  let current = create();
  await current.listener.start();
  const gateway: TestGateway = {
    home,
    clock,
    logged,
    runs,
    deliveries,
    get url() {
      return current.listener.url;
    },
    get store() {
      return current.store;
    },
    async post(name, payload, headers = {}) {
      const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
      return fetch(`${gateway.url}/webhooks/${name}`, {
        method: 'POST',
        body,
        headers: { ...signRequest('github', 'secret', { body, id: '', nowMs: clock.now() }), ...headers },
      });
    },
    async settled(id) {
      for (let tries = 0; tries < 400; tries++) {
        const found = current.store.get(id ?? current.store.list({ limit: 1 })[0]?.id ?? '');
        if (found && !['queued', 'running', 'claimed'].includes(found.status)) return found;
        await Bun.sleep(5);
      }
      throw new Error('the event did not settle');
    },
    async start() {
      current = create();
      await current.listener.start();
    },
    stop: () => current.listener.stop(1000),
    async [Symbol.asyncDispose]() {
      await current.listener.stop(1000);
      if (!options.home) await rm(home, { recursive: true, force: true });
    },
  };
  return gateway;
}
