import type { TSchema } from '../schema.ts';

/** How a schema node is treated: descended into by known names, by free names, by index, or taken as one value. */
export type NodeKind = 'object' | 'record' | 'array' | 'leaf';

/** Tells objects with listed keys from free-form maps, lists and plain values. */
export function kindOf(schema: TSchema): NodeKind {
  if (schema['type'] === 'object' && schema['patternProperties']) return 'record';
  if (schema['type'] === 'object' && schema['properties']) return 'object';
  if (schema['type'] === 'array') return 'array';
  return 'leaf';
}

/** The listed keys of an object schema. */
export function propertiesOf(schema: TSchema): Record<string, TSchema> {
  return (schema['properties'] ?? {}) as Record<string, TSchema>;
}

/** Schema of names an object does not list: the record's value, `additionalProperties`, or undefined when none may be. */
export function openSchemaOf(schema: TSchema): TSchema | undefined {
  const patterns = schema['patternProperties'] as Record<string, TSchema> | undefined;
  if (patterns) return Object.values(patterns)[0];
  const additional = schema['additionalProperties'] as boolean | TSchema | undefined;
  if (additional === true) return {} as TSchema;
  return additional === false ? undefined : additional;
}

export interface ConfigKey {
  /** Dotted path; `[]` stands for a list item and `<name>` for a free name. */
  path: string;
  schema: TSchema;
}

/** Every value a user may set, in the schema's order, list items and free maps included. */
export function configKeys(schema: TSchema, path = '', keys: ConfigKey[] = []): ConfigKey[] {
  const join = (name: string) => (path ? `${path}.${name}` : name);
  const kind = kindOf(schema);
  if (kind !== 'object') keys.push({ path, schema });
  if (kind === 'object')
    for (const [name, child] of Object.entries(propertiesOf(schema))) configKeys(child, join(name), keys);
  const open = kind === 'object' || kind === 'record' ? openSchemaOf(schema) : undefined;
  if (open && kindOf(open) === 'object') configKeys(open, join('<name>'), keys);
  const items = kind === 'array' ? (schema['items'] as TSchema) : undefined;
  if (items && kindOf(items) === 'object') configKeys(items, `${path}[]`, keys);
  return keys;
}

/** Names of the environment variables that set a key, the first one found wins. */
export function envNamesOf(schema: TSchema): string[] {
  return (schema['env'] as string[] | undefined) ?? [];
}
