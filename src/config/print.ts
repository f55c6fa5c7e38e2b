import { isRecord } from '../lib/json.ts';
import type { TSchema } from '../schema.ts';
import type { Origin } from './source.ts';
import { kindOf, openSchemaOf, propertiesOf } from './walk.ts';

/** What stands where a secret was. */
export const MASK = '********';

const SECRET_NAME =
  /(secret|token|passw(or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|authorization|cookie|credential)/i;

export interface PrintedValue {
  path: string;
  value: unknown;
  origin: string;
}

/** The configuration with every secret masked, in URLs and free-form maps too. */
export function maskConfig(schema: TSchema, value: unknown, name = ''): unknown {
  if (value === undefined || value === null || value === '') return value;
  if (schema['secret']) return typeof value === 'string' && isAddress(value) ? maskUrl(value) : MASK;
  const kind = kindOf(schema);
  if (isRecord(value)) {
    const hidesAll = kind !== 'object' && /^(env|headers)$/i.test(name);
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => {
        const known = propertiesOf(schema)[key];
        const open = known ?? openSchemaOf(schema) ?? ({} as TSchema);
        const hidden = hidesAll || (!known && SECRET_NAME.test(key) && typeof child !== 'boolean');
        return [key, hidden && child ? MASK : maskConfig(open, child, key)];
      }),
    );
  }
  if (Array.isArray(value)) {
    const items = (schema['items'] ?? {}) as TSchema;
    return value.map((item) => maskConfig(items, item, name));
  }
  return typeof value === 'string' ? maskUrl(value) : value;
}

/** One row per value, in the schema's order. */
export function printedValues(schema: TSchema, config: object, origins: Map<string, Origin>): PrintedValue[] {
  const rows: PrintedValue[] = [];
  const visit = (node: TSchema, value: unknown, path: string): void => {
    if (value === undefined) return;
    const known = propertiesOf(node);
    if (isRecord(value) && kindOf(node) !== 'leaf' && Object.keys(value).length > 0) {
      const names = [...new Set([...Object.keys(known).filter((name) => name in value), ...Object.keys(value)])];
      for (const name of names)
        visit(known[name] ?? openSchemaOf(node) ?? ({} as TSchema), value[name], path ? `${path}.${name}` : name);
      return;
    }
    if (isRecord(value) && kindOf(node) === 'object') return;
    rows.push({ path, value, origin: origins.get(path)?.label ?? 'default' });
  };
  visit(schema, maskConfig(schema, config), '');
  return rows;
}

/** `sqlite:agent.db` and `scheme://…` are addresses: worth showing once their password is gone. */
function isAddress(value: string): boolean {
  return /^sqlite:/i.test(value) || (/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && URL.canParse(value));
}

/** Hides the password and secret-looking query values of a URL; other text is returned as it is. */
export function maskUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i, (_match, scheme: string, login: string) => {
      const colon = login.indexOf(':');
      return `${scheme}${colon < 0 ? login : `${login.slice(0, colon)}:${MASK}`}@`;
    })
    .replace(/([?&#])([^=&#]+)(=[^&#]*)?/g, (match, mark: string, key: string, value?: string) =>
      value && (SECRET_NAME.test(key) || /^(key|sig|signature|code)$/i.test(key)) ? `${mark}${key}=${MASK}` : match,
    );
}
