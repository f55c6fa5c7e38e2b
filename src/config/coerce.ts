import { parseJson } from '../lib/json.ts';
import type { TSchema } from '../schema.ts';
import { literalsOf } from './allowed.ts';

/**
 * Reads a text as the schema's type: numbers, `true/1/yes/on` and `false/0/no/off`, comma lists, JSON for maps and lists of maps.
 * A text that does not fit is returned as it is, so that the validation names it.
 */
export function coerceText(schema: TSchema, text: string): unknown {
  const trimmed = text.trim();
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : text;
    case 'boolean':
      if (/^(true|1|yes|on)$/i.test(trimmed)) return true;
      return /^(false|0|no|off)$/i.test(trimmed) ? false : text;
    case 'array':
      return coerceList(schema, trimmed);
    case 'object':
      return parseJson(trimmed) ?? text;
    default:
      return coerceLiteral(schema, text);
  }
}

/** Makes a YAML value fit where the meaning is plain: quoted numbers, unquoted digits for text, one item for a list. */
export function coerceValue(schema: TSchema, value: unknown): unknown {
  if (typeof value === 'string') return coerceText(schema, value);
  if (schema['type'] === 'string' && Number.isSafeInteger(value)) return String(value);
  if (schema['type'] === 'array' && Array.isArray(value))
    return value.map((item) => coerceValue((schema['items'] ?? {}) as TSchema, item));
  return value;
}

function coerceList(schema: TSchema, text: string): unknown {
  if (text.startsWith('[')) {
    const parsed = parseJson(text);
    if (Array.isArray(parsed)) return parsed;
  }
  const items = (schema['items'] ?? {}) as TSchema;
  if (items['type'] === 'object') return text;
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => coerceText(items, item));
}

/** `INFO` means `info` where the choices are words; unions that also take numbers or switches are tried in order. */
function coerceLiteral(schema: TSchema, text: string): unknown {
  const options = literalsOf(schema);
  if (options) return options.find((option) => String(option).toLowerCase() === text.trim().toLowerCase()) ?? text;
  for (const variant of (schema['anyOf'] ?? []) as TSchema[]) {
    const value = coerceText(variant, text);
    if (value !== text) return value;
  }
  return text;
}
