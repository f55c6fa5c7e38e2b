import { type TSchema, Type } from '../schema.ts';

/** An optional field for which `null` means absent; its default, if any, belongs into `schema`. */
export function Nullable<Schema extends TSchema>(schema: Schema) {
  const { default: _default, description, ...plain } = schema;
  return Type.Optional(Type.Union([plain as unknown as Schema, Type.Null()], { ...(description && { description }) }));
}

/** The same object without the fields that are null, so that `null` and absent are one case from here on. */
export function withoutNulls<Body extends object>(body: Body): { [Key in keyof Body]: Exclude<Body[Key], null> } {
  const entries = Object.entries(body).filter(([, value]) => value !== null);
  return Object.fromEntries(entries) as { [Key in keyof Body]: Exclude<Body[Key], null> };
}
