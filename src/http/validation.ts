import { type AppError, fail } from '../errors.ts';
import { isCoercedText } from './openapi-schema.ts';

/** A failed check of TypeBox, as far as it is used here. */
interface SchemaError {
  path: string;
  message: string;
  schema: Record<string, unknown>;
  value: unknown;
  /** For a union: what each alternative found. */
  errors: Iterable<SchemaError>[];
}

const PLACES: Record<string, string> = {
  body: 'request body',
  query: 'query',
  params: 'path',
  headers: 'headers',
  cookie: 'cookies',
};
const MAX_ERRORS = 20;
const REQUIRED = 'Required';

/**
 * The 422 of a schema violation: what is wrong where, as JSON pointers, never the value itself, which may be a secret
 * or a megabyte.
 */
export function validationError(place: string, found: Iterable<unknown>): AppError {
  const byPath = new Map<string, string>();
  for (const item of found) {
    const error = innermost(item as Partial<SchemaError>);
    const path = error.path === 'root' ? '' : (error.path ?? '');
    if (!byPath.has(path)) byPath.set(path, describe(error));
    if (byPath.size === MAX_ERRORS) break;
  }
  const errors = [...byPath].map(([path, message]) => ({ path, message }));
  return fail('invalid_request', sentence(PLACES[place] ?? place, errors), { errors });
}

function sentence(place: string, errors: { path: string; message: string }[]): string {
  const first = errors[0];
  if (!first) return `The ${place} does not match the schema.`;
  if (first.path === '' && first.message === 'Expected object') return `The ${place} must be a JSON object.`;
  const field = first.path.slice(1).replaceAll('/', '.');
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  const what = first.message === REQUIRED ? 'is required' : lowerFirst(first.message);
  return `The ${place} is not valid: ${field ? `"${field}" ` : ''}${what}${more}.`;
}

/**
 * The alternative of a failed union that the caller meant: the only one besides null, or the one that got furthest into
 * the value before it failed. Otherwise the union's own error.
 */
function innermost(error: Partial<SchemaError>): Partial<SchemaError> {
  const options = (error.schema?.['anyOf'] ?? []) as Record<string, unknown>[];
  if (error.value === undefined || options.length === 0) return error;
  const meant = options.flatMap((option, index) => (option['type'] === 'null' ? [] : [index]));
  const firsts = meant.flatMap((index) => {
    for (const first of error.errors?.[index] ?? []) return [first];
    return [];
  });
  const [only] = firsts;
  if (only && meant.length === 1) return innermost(only);
  const deepest = firsts.reduce<Partial<SchemaError>>((best, one) => (depth(one) > depth(best) ? one : best), error);
  return deepest === error ? error : innermost(deepest);
}

function depth(error: Partial<SchemaError>): number {
  return (error.path ?? '').split('/').length;
}

/** "Expected union value" tells a person nothing: lists what is allowed instead. */
function describe(error: Partial<SchemaError>): string {
  const schema = error.schema ?? {};
  if (error.value === undefined) return REQUIRED;
  const allowed = allowedValues(schema);
  if (allowed) return `Must be ${allowed.length > 1 ? 'one of ' : ''}${allowed.join(', ')}`;
  return error.message ?? 'Not valid';
}

function allowedValues(schema: Record<string, unknown>): string[] | undefined {
  if (schema['const'] !== undefined) return [JSON.stringify(schema['const'])];
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value));
  const options = schema['anyOf'];
  if (!Array.isArray(options)) return undefined;
  const values: string[] = [];
  for (const option of options as Record<string, unknown>[]) {
    if (option['type'] === 'null' || isCoercedText(option)) continue;
    const inner = allowedValues(option);
    const named = inner ?? (typeof option['type'] === 'string' ? [`${article(option['type'])} ${option['type']}`] : []);
    if (named.length === 0) return undefined;
    values.push(...named);
  }
  return values;
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? 'an' : 'a';
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
