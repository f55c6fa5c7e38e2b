import { describe, expect, test } from 'bun:test';
import { literalsOf } from '../../src/config/allowed.ts';
import { loadConfig } from '../../src/config/load.ts';
import { renderSample } from '../../src/config/sample.ts';
import { ConfigSchema } from '../../src/config/schema.ts';
import { configKeys, envNamesOf } from '../../src/config/walk.ts';
import { Type } from '../../src/schema.ts';
import { homeFolder } from './home-folder.ts';

const keys = configKeys(ConfigSchema);

describe('every configuration key', () => {
  test('has a one-sentence description', () => {
    const without = keys.filter(({ schema }) => !/^\S.*\S$/s.test(schema.description ?? '')).map((key) => key.path);
    expect(without).toEqual([]);
  });

  test('that is an amount has a unit', () => {
    const amount = /(_seconds|_ms|_bytes|_tokens|_days|_minutes|timeout|ttl|context_window)$/;
    const without = keys.filter(
      ({ path, schema }) => amount.test(path) && /^(integer|number)$/.test(schema.type) && !schema.unit,
    );
    expect(without.map((key) => key.path)).toEqual([]);
  });

  test('is written in snake_case', () => {
    const odd = keys.filter(({ path }) => !/^[a-z0-9_.[\]<>]+$/.test(path)).map((key) => key.path);
    expect(odd).toEqual([]);
  });

  test('that looks like a secret is marked as one', () => {
    const unmarked = keys
      .filter(
        ({ path, schema }) =>
          /(api_key|token|password|secret)$/.test(path) && schema.type === 'string' && !schema.secret,
      )
      .map((key) => key.path);
    expect(unmarked).toEqual([]);
  });

  test('has its own variables', () => {
    const owners = new Map<string, string>();
    const doubled: string[] = [];
    for (const { path, schema } of keys)
      for (const name of envNamesOf(schema)) {
        if (owners.has(name)) doubled.push(`${name}: ${owners.get(name)} and ${path}`);
        owners.set(name, path);
      }
    expect(doubled).toEqual([]);
  });

  test('with a default keeps its own rules', async () => {
    const { config } = await loadConfig({ env: { AGENT_HOME: homeFolder() } });
    expect(config).toBeDefined();
    for (const { path, schema } of keys) {
      const options = literalsOf(schema);
      if (options && schema.default !== undefined) expect(options, path).toContain(schema.default);
    }
  });
});

describe('the sample', () => {
  const sample = renderSample(ConfigSchema);

  test('documents every key', () => {
    for (const { path, schema } of keys) {
      const name = path.split('.').at(-1)?.replace('[]', '') as string;
      const asSetting = new RegExp(`^ *#${name}:`, 'm');
      const asItem = new RegExp(`^ *# +${name}: `, 'm');
      expect(asSetting.test(sample) || asItem.test(sample), path).toBe(true);
      const start = (schema.description ?? '').split(/\s+/).slice(0, 3).join(' ');
      expect(sample.replace(/\s*\n *# */g, ' '), path).toContain(start);
      for (const variable of envNamesOf(schema)) expect(sample, path).toContain(variable);
    }
  });

  test('loads as it is and changes nothing', async () => {
    const plain = await loadConfig({ env: { AGENT_HOME: homeFolder() } });
    const { config } = await loadConfig({ env: { AGENT_HOME: homeFolder({ 'config.yaml': sample }) } });
    expect(config).toEqual(plain.config);
  });

  test('loads with every setting uncommented and changes nothing', async () => {
    const uncommented = sample.replace(/^( *)#(?=[a-z_0-9]+:)/gm, '$1');
    expect(uncommented).not.toBe(sample);
    const plain = await loadConfig({ env: { AGENT_HOME: homeFolder() } });
    const { config, origins } = await loadConfig({ env: { AGENT_HOME: homeFolder({ 'config.yaml': uncommented }) } });
    expect(config).toEqual(plain.config);
    expect(origins.get('server.port')?.source).toBe('file');
  });

  test('documents list items and free names of any schema', () => {
    const schema = Type.Object({
      mcp: Type.Object(
        {
          servers: Type.Record(
            Type.String(),
            Type.Object({
              command: Type.String({ description: 'Program.' }),
              args: Type.Array(Type.String(), { description: 'Arguments.' }),
            }),
            { default: {}, description: 'Servers by name.' },
          ),
        },
        { default: {}, description: 'MCP.' },
      ),
    });
    expect(renderSample(schema)).toEndWith(
      [
        '',
        '# MCP.',
        'mcp:',
        '  # Servers by name. A mapping of keys to values.',
        '  # Keys of each <name>:',
        '  #   command: Program.',
        '  #   args: Arguments. A list, each item text.',
        '  #servers: {}',
        '',
      ].join('\n'),
    );
  });
});
