import { expect, test } from 'bun:test';
import { validationError } from '../../src/http/validation.ts';
import { Nullable, type TSchema, Type, Value } from '../../src/schema.ts';

const Body = Type.Object({
  count: Nullable(Type.Integer({ minimum: 1 })),
  style: Nullable(Type.Union([Type.Literal('a'), Type.Literal('b')])),
  content: Type.Optional(
    Type.Union([
      Type.String(),
      Type.Array(Type.Object({ type: Type.Union([Type.Literal('text'), Type.Literal('image')]) })),
    ]),
  ),
  kind: Type.Optional(Type.Literal('x')),
  mixed: Type.Optional(Type.Union([Type.Literal('auto'), Type.Integer()])),
});

function problemsOf(schema: TSchema, value: unknown) {
  return validationError('body', Value.Errors(schema, value)).errors;
}

test.each([
  [{ count: 0 }, '/count', 'Expected integer to be greater or equal to 1'],
  [{ count: 'x' }, '/count', 'Expected integer'],
  [{ style: 'c' }, '/style', 'Must be one of "a", "b"'],
  [{ content: 5 }, '/content', 'Must be one of a string, an array'],
  [{ content: [{ type: 'text' }, { type: 'video' }] }, '/content/1/type', 'Must be one of "text", "image"'],
  [{ content: [{}] }, '/content/0/type', 'Required'],
  [{ content: ['text'] }, '/content/0', 'Expected object'],
  [{ kind: 'y' }, '/kind', 'Must be "x"'],
  [{ mixed: 'manual' }, '/mixed', 'Must be one of "auto", an integer'],
])('%j is explained at %s', (value, path, message) => {
  expect(problemsOf(Body, value)).toEqual([{ path, message }]);
});

test('the sentence speaks of the place and the field', () => {
  const body = validationError('body', Value.Errors(Type.Object({ a: Type.Object({ b: Type.String() }) }), { a: {} }));
  expect(body.message).toBe('The request body is not valid: "a.b" is required.');
  const query = validationError('query', Value.Errors(Type.Object({ limit: Type.Integer() }), { limit: 'x' }));
  expect(query.message).toBe('The query is not valid: "limit" expected integer.');
  const root = validationError('body', Value.Errors(Type.Object({}), 5));
  expect(root.message).toBe('The request body must be a JSON object.');
});

test('at most twenty fields are listed', () => {
  const schema = Type.Array(Type.String());
  expect(problemsOf(schema, new Array(5000).fill(1))).toHaveLength(20);
});
