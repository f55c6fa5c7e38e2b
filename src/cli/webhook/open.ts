import type { LoadedConfig } from '../../config/load.ts';
import { type AppError, fail } from '../../errors.ts';
import { systemClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { withFileLock } from '../../store/file-lock.ts';
import { createFilterFiles } from '../../webhooks/filter-file.ts';
import { invalidNameMessage, isValidName, normalizeName } from '../../webhooks/name.ts';
import { createRegexEngine } from '../../webhooks/regex.ts';
import type { RouteContext } from '../../webhooks/route.ts';
import { createSecret, isShortSecret, MIN_SECRET_LENGTH, secretVariable } from '../../webhooks/secret.ts';
import { isLoopbackName, type WebhookSettings, webhookSettings } from '../../webhooks/settings.ts';
import { INSECURE_NO_AUTH } from '../../webhooks/signatures.ts';
import { readSubscriptions, type Subscriptions, updateSubscriptions } from '../../webhooks/subscription-file.ts';
import type { CommandContext } from '../context.ts';

/** What a secret is judged by. */
export interface SecretContext {
  settings: WebhookSettings;
  /** Variables that a secret may name. */
  environment: Record<string, string | undefined>;
}

/** What every `agent webhook` command works with. */
export interface WebhookCli extends SecretContext {
  loaded: LoadedConfig;
  home: string;
  read(): Promise<Subscriptions>;
  /** Changes the file under its lock. */
  update<T>(change: (subscriptions: Subscriptions) => T | Promise<T>): Promise<T>;
  /** How records of the file or of `config.yaml` are compiled. */
  routeContext(source: 'static' | 'dynamic'): RouteContext;
}

/** Loads the settings; refuses with a hint when the webhook platform is not enabled. */
export async function openWebhookCli(context: CommandContext): Promise<WebhookCli> {
  const loaded = await context.loadConfig();
  const { home } = loaded;
  const settings = webhookSettings(loaded.config.platforms.webhook);
  if (!settings.enabled) throw notEnabled(home);
  const filterTools = { files: createFilterFiles(home), regex: createRegexEngine(), warn: () => undefined };
  return {
    loaded,
    home,
    settings,
    environment: loaded.environment,
    read: () => readSubscriptions(home),
    update: (change) =>
      updateSubscriptions(
        home,
        (path, work) => withFileLock(path, { clock: systemClock, signal: context.signal }, work),
        change,
      ),
    routeContext: (source) => ({
      source,
      settings,
      isLoopback: isLoopbackName(settings.host),
      variables: loaded.environment,
      filterTools,
    }),
  };
}

/** A name as it is stored, or a refusal. */
export function readName(input: string): string {
  const name = normalizeName(input);
  if (!isValidName(name)) throw fail('invalid_name', invalidNameMessage(input));
  return name;
}

/** Refuses a secret that cannot sign, that can be guessed, or that would open the route to others than this machine. */
export function checkSecret(secret: string, { settings, environment }: SecretContext): void {
  if (secret.trim() === '') throw fail('invalid_secret', '--secret must not be empty.');
  if (!secret.isWellFormed())
    throw fail('invalid_secret', '--secret is not valid Unicode: it holds half of a surrogate pair.');
  const variable = secretVariable(secret);
  const value = variable === undefined ? secret : environment[variable];
  if (value !== undefined && isShortSecret(value))
    throw fail(
      'short_secret',
      `--secret must have at least ${MIN_SECRET_LENGTH} characters, and ${MIN_SECRET_LENGTH} bytes in base64 after whsec_. ` +
        `Leave it out to get a generated one, or take this: --secret=${createSecret()}`,
    );
  if (secret === INSECURE_NO_AUTH && !isLoopbackName(settings.host))
    throw fail(
      'insecure_secret',
      `--secret ${INSECURE_NO_AUTH} is only allowed when platforms.webhook.extra.host is 127.0.0.1, localhost or ::1.`,
    );
}

/** The refusal for a name nobody has. */
export function unknownSubscription(name: string, settings: WebhookSettings): Error {
  return Object.hasOwn(settings.routes, name)
    ? fail('static_route', `'${name}' is a static route; change it in config.yaml.`)
    : fail('unknown_subscription', `No subscription named '${name}'.`);
}

/** Opens the delivery log; undefined when no gateway has run in this home. */
export async function openEvents(home: string) {
  const { join } = await import('node:path');
  const path = join(home, 'webhooks.db');
  if (!(await Bun.file(path).exists())) return undefined;
  const [{ SqliteWebhookStore }, { createOwner, isDeadOwner }] = await Promise.all([
    import('../../store/webhook-store.ts'),
    import('../../runs/owner.ts'),
  ]);
  const owner = createOwner();
  const store = new SqliteWebhookStore({
    path,
    clock: systemClock,
    owner,
    isDeadOwner: (other) => isDeadOwner(other, owner),
  });
  store.start();
  return store;
}

/** The schemes by which deliveries to each route were signed while it accepted any. */
export async function readSchemesSeen(home: string): Promise<Map<string, string[]>> {
  const store = await openEvents(home);
  try {
    return store?.schemesByRoute() ?? new Map();
  } finally {
    await store?.stop();
  }
}

/** The log of commands: they speak through their own output. */
export const quietLog = silentLogger;

function notEnabled(home: string): AppError {
  const message = `The webhook platform is not enabled. Enable it in one of three ways:

  1. agent gateway setup

  2. ${home}/config.yaml:
       platforms:
         webhook:
           enabled: true
           extra:
             port: 8644
             secret: "your-global-secret"

  3. ${home}/.env:
       WEBHOOK_ENABLED=true
       WEBHOOK_PORT=8644
       WEBHOOK_SECRET=your-global-secret

Then start the gateway: agent gateway run`;
  return fail('webhook_not_enabled', message, { multiline: true });
}
