import { t } from 'elysia';

/**
 * An optional integer in a query string, where every value travels as text; plain `Type.Integer()` would refuse "7".
 * Bodies use `Type.Integer()`, which does not accept text.
 */
export function QueryInteger(options: { minimum?: number; maximum?: number; default?: number; description: string }) {
  return t.Optional(t.Integer(options));
}
