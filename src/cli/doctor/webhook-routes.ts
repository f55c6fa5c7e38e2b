import type { Environment } from '../../config/load.ts';
import { createFilterFiles } from '../../webhooks/filter-file.ts';
import { isValidName } from '../../webhooks/name.ts';
import { createRegexEngine } from '../../webhooks/regex.ts';
import { compileRoute, type Route } from '../../webhooks/route.ts';
import { createSecret, isShortSecret, MIN_SECRET_LENGTH } from '../../webhooks/secret.ts';
import { isLoopbackName, type WebhookSettings } from '../../webhooks/settings.ts';
import { INSECURE_NO_AUTH } from '../../webhooks/signatures.ts';
import { suggestScheme } from '../../webhooks/suggest-scheme.ts';
import { readSchemesSeen } from '../webhook/open.ts';
import type { Finding } from './check.ts';

const area = 'webhooks';
/** Routes named one by one; `agent webhook list` shows the rest. */
const NAMED = 5;

interface Place {
  home: string;
  settings: WebhookSettings;
  environment: Environment;
  subscriptions: Record<string, unknown>;
}

/** Routes that are weaker than they need to be: secrets that can be guessed, and every scheme accepted. */
export async function checkRoutes(place: Place): Promise<Finding[]> {
  const { settings, home } = place;
  const routes = compileRoutes(place);
  const findings: Finding[] = [];
  const global = settings.secret;
  if (global !== undefined && global.trim() !== '' && isShortSecret(global))
    findings.push({
      area,
      status: 'warn',
      message: `The global secret has fewer than ${MIN_SECRET_LENGTH} characters, so one captured delivery gives it away.`,
      advice: [`agent gateway setup --yes --secret=${createSecret()}`, 'Enter it at the senders too.'],
    });
  const short = routes.filter((route) => route.secrets.some(({ value }) => value !== global && isShortSecret(value)));
  if (short.length > 0)
    findings.push({
      area,
      status: 'warn',
      message: `The secret of ${countOf(short)} has fewer than ${MIN_SECRET_LENGTH} characters, so one captured delivery gives it away.`,
      advice: named(short, (route) =>
        route.source === 'static'
          ? `${route.name} is in config.yaml: give it a longer secret, for example ${createSecret()}`
          : `agent webhook rotate-secret ${route.name} --grace 24h`,
      ),
    });
  const open = routes.filter(
    (route) => !route.scheme && route.enabled && !route.secrets.some(({ value }) => value === INSECURE_NO_AUTH),
  );
  if (open.length === 0) return findings;
  const seen = await readSchemesSeen(home);
  findings.push({
    area,
    status: 'warn',
    message: `Every signature scheme is accepted by ${countOf(open)}; pin the one of the sender.`,
    advice: named(open, (route) => adviseScheme(route, seen.get(route.name) ?? [])),
  });
  return findings;
}

function adviseScheme(route: Route, seen: string[]): string {
  const facts = seen.length > 0 ? `seen: ${seen.join(', ')}` : 'none seen yet';
  const scheme = seen[0] ?? suggestScheme(route.name, { events: [...route.events] });
  if (route.source === 'static') return `${route.name} is in config.yaml: add scheme: ${scheme ?? 'NAME'} (${facts})`;
  const pin = `agent webhook pin ${route.name}`;
  return scheme ? `${pin} --scheme ${scheme}   # ${facts}` : `After the first delivery (${facts}): ${pin}`;
}

function compileRoutes({ settings, home, environment, subscriptions }: Place): Route[] {
  const filterTools = { files: createFilterFiles(home), regex: createRegexEngine(), warn: () => undefined };
  const compile = (records: Record<string, unknown>, source: 'static' | 'dynamic') =>
    Object.entries(records).flatMap(([name, record]) => {
      if (!isValidName(name) || (source === 'dynamic' && Object.hasOwn(settings.routes, name))) return [];
      const isLoopback = isLoopbackName(settings.host);
      const context = { source, settings, isLoopback, variables: environment, filterTools };
      const compiled = compileRoute(name, record, context);
      return compiled.ok ? [compiled.route] : [];
    });
  return [...compile(settings.routes, 'static'), ...compile(subscriptions, 'dynamic')];
}

function countOf(routes: Route[]): string {
  return routes.length === 1 ? '1 route' : `${routes.length} routes`;
}

function named(routes: Route[], advise: (route: Route) => string): string[] {
  const lines = routes.slice(0, NAMED).map(advise);
  return routes.length > NAMED ? [...lines, `and ${routes.length - NAMED} more: agent webhook list`] : lines;
}
