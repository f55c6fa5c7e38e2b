/** A schema object, JSON Schema's or OpenAPI's. */
export type Schema = Record<string, unknown>;

/** Keywords that TypeBox and OpenAPI 3.0 mean the same by; Elysia and our configuration add others. */
const KEYWORDS = new Set(
  (
    'title multipleOf maximum minimum maxLength minLength pattern maxItems minItems uniqueItems maxProperties ' +
    'minProperties required enum type description format default nullable example deprecated'
  ).split(' '),
);
const BINARY = { type: 'string', format: 'binary' };

/**
 * Turns a JSON Schema as TypeBox and Elysia write it into one of OpenAPI 3.0 that says what a client sends: no
 * string-or-integer unions of coerced query values, `nullable` for null, `enum` for constants, files as binary. Unknown
 * fields are ignored, so `additionalProperties: false` is left out.
 */
export function toOpenApiSchema(input: unknown): Schema {
  const source = (input ?? {}) as Schema;
  const { type, anyOf, properties, items, patternProperties, additionalProperties: rest } = source;
  if (Array.isArray(anyOf)) return fromUnion(source, anyOf);
  if (type === 'null') return { nullable: true };
  const schema = knownOf(source);
  if (type === 'File' || source['format'] === 'binary') {
    delete schema['default'];
    return { ...schema, ...BINARY };
  }
  if ('const' in source) Object.assign(schema, { type: type ?? typeof source['const'], enum: [source['const']] });
  if (Array.isArray(source['examples'])) schema['example'] = source['examples'][0];
  // Counted in code points as JSON Schema says, by the route itself.
  if (source['maxCharacters'] !== undefined) schema['maxLength'] = source['maxCharacters'];
  // JSON Schema gives an exclusive bound as a number, OpenAPI 3.0 as a flag next to the bound.
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const)
    if (source[exclusive] !== undefined) Object.assign(schema, { [bound]: source[exclusive], [exclusive]: true });
  const values = patternProperties ? Object.values(patternProperties)[0] : rest;
  if (typeof values === 'object') schema['additionalProperties'] = toOpenApiSchema(values);
  if (properties)
    schema['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, toOpenApiSchema(property)]),
    );
  if (type === 'Files') Object.assign(schema, { type: 'array', items: BINARY });
  else if (type === 'array') schema['items'] = toOpenApiSchema(items);
  if ((schema['required'] as unknown[] | undefined)?.length === 0) delete schema['required'];
  return schema;
}

function fromUnion(source: Schema, union: Schema[]): Schema {
  const { type: _, ...extra } = knownOf(source);
  if (union.some((option) => option['type'] === 'null')) extra['nullable'] = true;
  // A query value travels as text: that form is not a second type.
  const options = union.filter((option) => option['type'] !== 'null' && !isCoercedText(option));
  const [first] = options;
  if (first && options.length === 1) return { ...toOpenApiSchema(first), ...extra };
  const type = typeof first?.['const'];
  if (first && options.every((option) => 'const' in option && typeof option['const'] === type))
    return { type, enum: options.map((option) => option['const']), ...extra };
  return { anyOf: options.map(toOpenApiSchema), ...extra };
}

const COERCED_FORMATS = new Set(['integer', 'numeric', 'boolean', 'ObjectString', 'ArrayString']);

/** True for the text form of a number or another value in a query string. */
export function isCoercedText(option: Schema): boolean {
  return option['type'] === 'string' && COERCED_FORMATS.has(option['format'] as string);
}

function knownOf(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([key, value]) => KEYWORDS.has(key) && value !== undefined));
}
