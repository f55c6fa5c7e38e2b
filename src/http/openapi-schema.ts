type Schema = Record<string, unknown>;

/** Keywords of an OpenAPI 3.0 schema object; TypeBox, Elysia and our configuration add others. */
const KEYWORDS = new Set(
  (
    'title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems ' +
    'uniqueItems maxProperties minProperties required enum type not allOf oneOf anyOf items properties ' +
    'additionalProperties description format default nullable discriminator readOnly writeOnly example deprecated $ref'
  ).split(' '),
);

/**
 * Turns a JSON Schema as TypeBox and Elysia write it into one of OpenAPI 3.0 that says what a client sends: no
 * string-or-integer unions of coerced query values, `nullable` for null, `enum` for constants, files as binary.
 */
export function toOpenApiSchema(input: unknown): Schema {
  if (typeof input !== 'object' || input === null) return {};
  const source = input as Schema;
  if (typeof source['$ref'] === 'string') return { $ref: toReference(source['$ref']) };
  const union = (source['anyOf'] ?? source['oneOf']) as Schema[] | undefined;
  if (union) return fromUnion(source, union);

  const schema: Schema = { ...source };
  if (schema['type'] === 'File' || schema['type'] === 'Files') return file(schema);
  if ('const' in schema) {
    schema['enum'] = [schema['const']];
    schema['type'] ??= typeof schema['const'];
  }
  if (schema['type'] === 'null') return { nullable: true };
  if (schema['format'] === 'binary' && schema['type'] === 'string') delete schema['default'];
  if (Array.isArray(schema['examples'])) schema['example'] ??= schema['examples'][0];
  // Counted in code points as JSON Schema says, by the route itself.
  if (schema['maxCharacters'] !== undefined) schema['maxLength'] = schema['maxCharacters'];
  bound(schema, 'exclusiveMinimum', 'minimum');
  bound(schema, 'exclusiveMaximum', 'maximum');
  if (schema['patternProperties']) {
    const [values] = Object.values(schema['patternProperties'] as Schema);
    schema['additionalProperties'] = toOpenApiSchema(values);
  } else if (typeof schema['additionalProperties'] === 'object')
    schema['additionalProperties'] = toOpenApiSchema(schema['additionalProperties']);
  // Unknown fields are ignored, whatever the validator's own copy of the schema says.
  else delete schema['additionalProperties'];
  if (schema['properties'])
    schema['properties'] = mapValues(schema['properties'] as Schema, (value) => toOpenApiSchema(value));
  if (schema['type'] === 'array') schema['items'] = toOpenApiSchema(schema['items'] ?? {});
  if (Array.isArray(schema['allOf'])) schema['allOf'] = schema['allOf'].map(toOpenApiSchema);
  if (schema['not']) schema['not'] = toOpenApiSchema(schema['not']);
  if (Array.isArray(schema['required']) && schema['required'].length === 0) delete schema['required'];
  return onlyKeywords(schema);
}

function fromUnion(source: Schema, union: Schema[]): Schema {
  const own = onlyKeywords({ ...source, anyOf: undefined, oneOf: undefined, type: undefined });
  const nullable = union.some((option) => option['type'] === 'null');
  let options = union.filter((option) => option['type'] !== 'null');
  // What Elysia accepts from a query string: the text form is how every query value travels, not a second type.
  const typed = options.filter((option) => !isCoercedText(option));
  if (typed.length > 0) options = typed;
  const extra = { ...own, ...(nullable && { nullable: true }) };
  const [first] = options;
  if (first && options.length === 1) return { ...toOpenApiSchema(first), ...extra };
  const constants = options.map((option) => option['const']);
  if (constants.length > 0 && constants.every((value) => value !== undefined && typeof value === typeof constants[0]))
    return { type: typeof constants[0], enum: constants, ...extra };
  return { anyOf: options.map(toOpenApiSchema), ...extra };
}

const COERCED_FORMATS = new Set(['integer', 'numeric', 'boolean', 'ObjectString', 'ArrayString']);

/** True for the text form of a number or another value in a query string. */
export function isCoercedText(option: Schema): boolean {
  return option['type'] === 'string' && COERCED_FORMATS.has(option['format'] as string);
}

function file(schema: Schema): Schema {
  const one = { type: 'string', format: 'binary' };
  const description = schema['description'] ? { description: schema['description'] } : {};
  return schema['type'] === 'File' ? { ...one, ...description } : { type: 'array', items: one, ...description };
}

/** JSON Schema gives an exclusive bound as a number, OpenAPI 3.0 as a flag next to the bound. */
function bound(schema: Schema, exclusive: string, inclusive: string): void {
  if (typeof schema[exclusive] !== 'number') return;
  schema[inclusive] = schema[exclusive];
  schema[exclusive] = true;
}

function onlyKeywords(schema: Schema): Schema {
  return Object.fromEntries(
    Object.entries(schema).filter(([key, value]) => value !== undefined && (KEYWORDS.has(key) || key.startsWith('x-'))),
  );
}

function toReference(reference: string): string {
  return reference.startsWith('#') ? reference : `#/components/schemas/${reference}`;
}

/** The same record with every value changed. */
export function mapValues<In, Out>(record: Record<string, In>, change: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
