/** The single import point of TypeBox. */
export type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox';
export { Type } from '@sinclair/typebox';
export { Value } from '@sinclair/typebox/value';
