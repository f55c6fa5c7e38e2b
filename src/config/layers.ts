import { isRecord } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';
import type { TSchema } from '../schema.ts';
import { coerceText, coerceValue } from './coerce.ts';
import type { Origin, Problem } from './source.ts';
import { configKeys, envNamesOf, kindOf, openSchemaOf, propertiesOf } from './walk.ts';

/** The configuration while its layers are put on top of each other. */
export interface Layers {
  value: Record<string, unknown>;
  /** Origin by dotted path of everything a layer set. */
  origins: Map<string, Origin>;
  problems: Problem[];
}

/** Puts a nested value on top: mappings are merged, lists and plain values replaced, unknown keys reported. */
export function addTree(
  layers: Layers,
  schema: TSchema,
  tree: Record<string, unknown>,
  originOf: (path: string[]) => Origin,
): void {
  const merge = (node: TSchema, value: unknown, path: string[]): void => {
    const kind = kindOf(node);
    const isMap = kind === 'object' || kind === 'record';
    // `key:` with nothing behind it is how a section with only comments reads.
    if (value === null || value === undefined) return;
    if (!isMap || !isRecord(value)) {
      set(layers, path, coerceValue(node, value), originOf(path));
      return;
    }
    const known = propertiesOf(node);
    const open = openSchemaOf(node);
    if (path.length > 0 && Object.keys(value).length === 0) set(layers, path, {}, originOf(path), true);
    for (const [name, child] of Object.entries(value)) {
      // `__proto__` is no name in any map: writing it would change every object.
      const childSchema = name === '__proto__' ? undefined : Object.hasOwn(known, name) ? known[name] : open;
      const childPath = [...path, name];
      if (childSchema) merge(childSchema, child, childPath);
      else layers.problems.push(unknownKey(schema, childPath, Object.keys(known), originOf(childPath)));
    }
  };
  merge(schema, tree, []);
}

/** Puts the variables on top that the schema names. */
export function addVariables(
  layers: Layers,
  schema: TSchema,
  variables: Record<string, string | undefined>,
  originOf: (name: string) => Origin,
): void {
  for (const key of configKeys(schema)) {
    for (const name of envNamesOf(key.schema)) {
      // `BASIC_MODEL__api_key` is also found in capitals. Empty means not set: `.env` samples are full of `KEY=`.
      const found = variables[name] ? name : name.toUpperCase();
      const text = variables[found];
      if (!text || text.trim() === '') continue;
      set(layers, key.path.split('.'), coerceText(key.schema, text), originOf(found));
      break;
    }
  }
}

function set(layers: Layers, path: string[], value: unknown, origin: Origin, keep = false): void {
  let node = layers.value;
  for (const name of path.slice(0, -1)) {
    if (!isRecord(node[name])) node[name] = {};
    node = node[name] as Record<string, unknown>;
  }
  const last = path.at(-1) ?? '';
  if (keep && isRecord(node[last])) return;
  node[last] = value;
  layers.origins.set(path.join('.'), origin);
}

function unknownKey(schema: TSchema, path: string[], siblings: string[], origin: Origin): Problem {
  const name = path.at(-1) ?? '';
  const near = nearest(name, siblings);
  const elsewhere = near ? undefined : configKeys(schema).find((key) => key.path.split('.').at(-1) === name)?.path;
  const parent = path.slice(0, -1).join('.');
  const known = siblings.length > 0 ? ` (known ${parent ? `in ${parent}` : 'sections'}: ${siblings.join(', ')})` : '';
  const hint = near ? `; did you mean ${near}?` : elsewhere ? `; did you mean ${elsewhere}?` : `${known}.`;
  return { path: path.join('.'), message: `is not a known key${hint}`, origin: origin.label };
}
