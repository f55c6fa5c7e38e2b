import { describe, expect, test } from 'bun:test';
import { withDefaults } from '../../src/config/defaults.ts';
import { ConfigSchema } from '../../src/config/schema.ts';
import { Type, Value } from '../../src/schema.ts';

describe('withDefaults', () => {
  const values: [name: string, value: Record<string, unknown>][] = [
    ['nothing', {}],
    ['part of a section', { server: { port: 1 }, models: { basic: { model: 'm', fallback: [{ model: 'n' }] } } }],
    ['free names', { mcp: { servers: { a: { command: 'x' } } }, platforms: { webhook: { routes: { r: { a: 1 } } } } }],
    ['wrong shapes', { server: 'x', models: { basic: 3 } }],
  ];
  test.each(values)('does what TypeBox does with %s', (_name, value) => {
    expect(withDefaults(ConfigSchema, structuredClone(value))).toEqual(
      Value.Default(ConfigSchema, structuredClone(value)),
    );
  });

  test('fills list items and free names', () => {
    const item = Type.Object({ size: Type.Integer({ default: 3 }), name: Type.Optional(Type.String()) });
    const schema = Type.Object({ list: Type.Array(item), map: Type.Record(Type.String(), item) });
    expect(withDefaults(schema, { list: [{}, { size: 1 }], map: { a: {} } })).toEqual({
      list: [{ size: 3 }, { size: 1 }],
      map: { a: { size: 3 } },
    });
  });

  test('never hands out the default itself', () => {
    const schema = Type.Object({ list: Type.Array(Type.String(), { default: ['a'] }) });
    const first = withDefaults(schema, {}) as { list: string[] };
    first.list.push('b');
    expect(withDefaults(schema, {})).toEqual({ list: ['a'] });
  });
});
