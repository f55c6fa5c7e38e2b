import { invalidField } from '../lib/invalid-field.ts';
import { type TInteger, Type } from '../schema.ts';

/**
 * An optional integer in a query string, where every value travels as text; plain `Type.Integer()` would refuse "7".
 * Bodies use `Type.Integer()`, which does not accept text. `name` is the parameter's own, for the error.
 */
export function QueryInteger(
  name: string,
  options: { minimum: number; maximum: number; default?: number; description: string },
) {
  const { minimum, maximum } = options;
  const schema = Type.Transform(Type.Union([Type.String({ format: 'integer' }), Type.Integer(options)], options))
    .Decode((text) => {
      const value = Number(text);
      if (value >= minimum && value <= maximum) return value;
      throw invalidField(`/${name}`, `"${name}" must be an integer from ${minimum} to ${maximum}.`);
    })
    .Encode((value) => value);
  // Handlers get what `Decode` returns.
  return Type.Optional(schema as unknown as TInteger);
}
