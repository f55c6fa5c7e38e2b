import type { TSchema } from '../schema.ts';

/** Says in words what a schema accepts: "an integer from 0 to 65535", "one of debug, info". */
export function describeAllowed(schema: TSchema): string {
  const options = literalsOf(schema);
  if (options) return `one of ${options.join(', ')}`;
  const unit = schema['unit'] ? ` ${schema['unit']}` : '';
  switch (schema['type']) {
    case 'integer':
      return `an integer${rangeOf(schema)}${unit}`;
    case 'number':
      return `a number${rangeOf(schema)}${unit}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list, each item ${describeAllowed((schema['items'] ?? {}) as TSchema)}`;
    case 'object':
      return 'a mapping of keys to values';
    case 'string':
      return textRule(schema);
    default: {
      const variants = schema['anyOf'] as TSchema[] | undefined;
      return variants ? variants.map(describeAllowed).join(', or ') : 'any value';
    }
  }
}

/** The constants of a union of literals, else undefined. */
export function literalsOf(schema: TSchema): unknown[] | undefined {
  const variants = (schema['anyOf'] ?? ('const' in schema ? [schema] : undefined)) as TSchema[] | undefined;
  if (schema['enum']) return schema['enum'] as unknown[];
  if (!variants?.length || !variants.every((variant) => 'const' in variant)) return undefined;
  return variants.map((variant) => variant['const']);
}

function textRule(schema: TSchema): string {
  if (schema['pattern']) return `text matching ${schema['pattern']}`;
  if (schema['maxLength']) return `text of at most ${schema['maxLength']} characters`;
  return schema['minLength'] ? 'text that is not empty' : 'text';
}

function rangeOf(schema: TSchema): string {
  const { minimum, maximum, exclusiveMinimum } = schema as Record<string, number | undefined>;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (exclusiveMinimum !== undefined && maximum !== undefined)
    return ` greater than ${exclusiveMinimum} and at most ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (exclusiveMinimum !== undefined) return ` greater than ${exclusiveMinimum}`;
  return maximum === undefined ? '' : ` of at most ${maximum}`;
}
