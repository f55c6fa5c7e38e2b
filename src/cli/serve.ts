import type { LoadedConfig } from '../config/load.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../errors.ts';
import { checkBind } from '../http/bind.ts';
import type { Listener } from '../http/listener.ts';
import { VERSION } from '../version.ts';
import { type CliCommand, defineCliCommand } from './command.ts';
import type { CommandContext } from './context.ts';
import { refuseRequestServers } from './mcp/refuse-request-servers.ts';

/** What a server process consists of. */
export interface Services {
  deps: Pick<Deps, 'log' | 'models' | 'search'> & AsyncDisposable;
  /** In the order they start, the API first; they stop in reverse order. The webhook gateway joins this list. */
  listeners: readonly [Listener, ...Listener[]];
}

/** Time for releasing the database and child processes after the streams have ended, milliseconds. */
const RELEASE_MS = 1500;

/** `agent serve`: runs the API until SIGTERM or SIGINT. `open` builds everything and may open the socket of the API. */
export function createServeCommand(
  open: (loaded: LoadedConfig) => Promise<Services>,
  path = 'agent serve',
): CliCommand {
  return defineCliCommand({
    description: 'Serve the HTTP API',
    examples: [path, `${path} --port 9000 --debug`],
    args: {
      host: { type: 'string', valueHint: 'address', description: 'Address to listen on (default 127.0.0.1)' },
      port: {
        type: 'number',
        integer: true,
        min: 0,
        max: 65535,
        valueHint: 'port',
        description: 'Port (default 8000)',
      },
      insecure: { type: 'boolean', description: 'Allow an address that others can reach without a token' },
    },
    async run(args, context) {
      const server = {
        ...(args.host !== undefined && { host: args.host }),
        ...(args.port !== undefined && { port: args.port }),
        ...(args.insecure && { insecure: true }),
      };
      const loaded = await context.loadConfig({ server });
      const bind = checkBind(loaded.config.server);
      if (!bind.ok) throw fail(bind.code, bind.message);
      const refusal = refuseRequestServers(loaded.config);
      if (refusal !== undefined) throw fail('mcp_needs_token', refusal);
      const services = await open(loaded);
      const deadlineMs = loaded.config.server.shutdown_seconds * 1000;
      const started: Listener[] = [];
      try {
        for (const listener of services.listeners) {
          await listener.start();
          started.unshift(listener);
        }
        await announce(services, loaded, context);
        await aborted(context.signal);
        services.deps.log.info('stopping', { deadline_ms: deadlineMs });
      } finally {
        await within(deadlineMs + RELEASE_MS, async () => {
          await Promise.all(started.map((listener) => listener.stop(deadlineMs)));
          await services.deps[Symbol.asyncDispose]();
        });
      }
    },
  });
}

async function announce(services: Services, { config }: LoadedConfig, context: CommandContext): Promise<void> {
  const [api, ...others] = services.listeners;
  const models = Object.entries(services.deps.models.names()).map(([role, names]) => `${role} ${names?.join(' → ')}`);
  if (context.json) {
    await context.print({
      url: api.url,
      docs: `${api.url}/docs`,
      models: services.deps.models.names(),
      knowledge: config.knowledge.provider,
      search: services.deps.search.name,
      listeners: Object.fromEntries(services.listeners.map((listener) => [listener.name, listener.url])),
    });
    return;
  }
  const more = others.map((listener) => `; ${listener.name}: ${listener.url}`).join('');
  await context.print(
    `agent ${VERSION} on ${api.url} (docs: ${api.url}/docs${more}; models: ${models.join(', ') || 'none'}; ` +
      `knowledge: ${config.knowledge.provider}; search: ${services.deps.search.name})`,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** Waits for `work`, but never longer than `ms`: what hangs then ends with the process. */
async function within(ms: number, work: () => Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
