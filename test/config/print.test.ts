import { describe, expect, test } from 'bun:test';
import { loadConfig } from '../../src/config/load.ts';
import { MASK, maskConfig, maskUrl, printedValues } from '../../src/config/print.ts';
import { ConfigSchema } from '../../src/config/schema.ts';
import { Type } from '../../src/schema.ts';
import { homeFolder } from './home-folder.ts';

describe('maskUrl', () => {
  test.each([
    ['postgres://user:pass@db/agent', `postgres://user:${MASK}@db/agent`],
    [
      'postgres://user:p%40ss:word@db:5432/agent?sslmode=require',
      `postgres://user:${MASK}@db:5432/agent?sslmode=require`,
    ],
    ['postgres://user:p@ss@db/agent', `postgres://user:${MASK}@db/agent`],
    ['https://host/path?api_key=abc&x=1', `https://host/path?api_key=${MASK}&x=1`],
    ['https://host/#access_token=abc', `https://host/#access_token=${MASK}`],
    ['https://host/path?x=1', 'https://host/path?x=1'],
    ['postgres://user@db/agent', 'postgres://user@db/agent'],
    ['sqlite:agent.db', 'sqlite:agent.db'],
    ['just text', 'just text'],
  ])('%s is shown as %s', (text, expected) => {
    expect(maskUrl(text)).toBe(expected);
  });
});

test('no secret is left in the masked configuration', async () => {
  const yaml = [
    'server: {api_token: SECRET1}',
    'database: {url: "postgres://agent:SECRET2@db/agent?password=SECRET3"}',
    'models:',
    '  basic: {model: m, base_url: "http://u:SECRET4@host/v1", api_key: SECRET5, fallback: [{model: n, api_key: SECRET6}]}',
    'search: {tavily: {api_key: SECRET7}}',
  ].join('\n');
  const { config, origins } = await loadConfig({ env: { AGENT_HOME: homeFolder({ 'config.yaml': yaml }) } });
  const masked = JSON.stringify(maskConfig(ConfigSchema, config));
  expect(masked).not.toContain('SECRET');
  expect(masked).toContain(`postgres://agent:${MASK}@db/agent`);
  expect(masked).toContain(`http://u:${MASK}@host/v1`);
  const rows = printedValues(ConfigSchema, config, origins);
  expect(JSON.stringify(rows)).not.toContain('SECRET');
  expect(rows.find((row) => row.path === 'server.api_token')).toEqual({
    path: 'server.api_token',
    value: MASK,
    origin: 'config.yaml:1',
  });
  expect(rows.find((row) => row.path === 'server.port')?.origin).toBe('default');
  expect(config.server.api_token).toBe('SECRET1');
});

test('free-form maps hide what is named like a secret, and every env and header value', () => {
  const schema = Type.Object({
    servers: Type.Record(
      Type.String(),
      Type.Object({
        command: Type.String(),
        env: Type.Record(Type.String(), Type.String()),
        headers: Type.Record(Type.String(), Type.String()),
      }),
    ),
    routes: Type.Record(Type.String(), Type.Unknown()),
  });
  const value = {
    servers: { a: { command: 'x', env: { PLAIN: 'SECRET1' }, headers: { 'x-y': 'SECRET2' } } },
    routes: { r: { secret: 'SECRET3', secrets: ['SECRET4'], prompt: 'hello', deliver: { apiKey: 'SECRET5' } } },
  };
  const masked = JSON.stringify(maskConfig(schema, value));
  expect(masked).not.toContain('SECRET');
  expect(masked).toContain('hello');
  expect(masked).toContain('"command":"x"');
});
