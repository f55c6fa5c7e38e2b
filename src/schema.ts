/** The single import point of TypeBox. */
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';

export type { Static, TInteger, TProperties, TSchema } from '@sinclair/typebox';
export { TypeCompiler } from '@sinclair/typebox/compiler';
export { Value } from '@sinclair/typebox/value';
export { Type };

/** One of several words; TypeBox's own union of a mapped list has the type `never`. */
export function OneOf<const Word extends string>(words: readonly Word[], options: SchemaOptions = {}) {
  const literals = words.map((word) => Type.Literal(word));
  return Type.Unsafe<Word>(Type.Union(literals, options));
}

/** An optional field for which `null` means absent; what it means when absent is said in its description. */
export function Nullable<Schema extends TSchema>(schema: Schema, options: SchemaOptions = {}) {
  // A default inside the union would be filled in by Elysia for null as well.
  const { default: fallback, description, ...plain } = schema;
  const words = [
    options.description ?? description ?? '',
    fallback === undefined ? '' : `Default: ${JSON.stringify(fallback)}.`,
  ];
  const text = words.filter(Boolean).join(' ');
  const described = { ...options, ...(text ? { description: text } : {}) };
  // The rest pattern loses the symbols in the type, not in the value.
  return Type.Optional(Type.Union([plain as unknown as Schema, Type.Null()], described));
}
