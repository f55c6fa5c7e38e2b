import { afterAll, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkImports, readImports } from '../../scripts/check-imports.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function violations(files: Record<string, string>): Promise<string[]> {
  const root = mkdtempSync(join(tmpdir(), 'imports-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) await Bun.write(join(root, path), text);
  return (await checkImports(root)).map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

const other = {
  'src/search/search.ts': 'export interface SearchEngine {}\n',
  'src/search/chain.ts': 'export const a = 1;\n',
};

const bad: [name: string, files: Record<string, string>, expected: string | RegExp][] = [
  [
    'a feature that imports elysia',
    { 'src/slides/deck.ts': "import { Elysia } from 'elysia';\n" },
    /^src\/slides\/deck\.ts:1 elysia may be imported only in/,
  ],
  [
    'a lazy import of a restricted package',
    { 'src/slides/deck.ts': "\n\nexport const load = () => import('pptxgenjs');\n" },
    /deck\.ts:3 pptxgenjs may be imported only in slides\/render\.ts/,
  ],
  [
    'a type import of a restricted package',
    { 'src/prose/write.ts': "import type { ClientOptions } from 'openai';\n" },
    /write\.ts:1 openai may/,
  ],
  [
    'an import over several lines',
    { 'src/prose/write.ts': "import {\n  a,\n  b,\n} from 'citty';\n" },
    /write\.ts:1 citty/,
  ],
  [
    'sqlite outside the store',
    { 'src/runs/log.ts': "import { Database } from 'bun:sqlite';\n" },
    /bun:sqlite may be imported only in store/,
  ],
  [
    'TypeBox past schema.ts',
    { 'src/runs/model.ts': "import { Type } from '@sinclair/typebox';\n" },
    /import it from there/,
  ],
  [
    'the environment outside config/load.ts',
    { 'src/runs/log.ts': "export const a = 1;\nexport const b = process.env['X'];\n" },
    /log\.ts:2 the environment is read only/,
  ],
  [
    'the time of day without a clock',
    { 'src/runs/log.ts': 'export const a = Date.now();\n' },
    /log\.ts:1 the time of day comes from the clock/,
  ],
  [
    'a stopwatch that is not named',
    { 'src/runs/log.ts': 'export const a = performance.now();\n' },
    /log\.ts:1 time that decides something/,
  ],
  [
    'a time limit that is not named',
    { 'src/runs/log.ts': 'export const a = AbortSignal.timeout(5);\n' },
    /log\.ts:1 a time limit comes from the clock/,
  ],
  ['Bun.env', { 'src/main.ts': 'export const b = Bun.env.X;\n' }, /main\.ts:1 the environment/],
  [
    'process.exit in a command',
    { 'src/cli/serve.ts': 'process.exit(1);\n' },
    /serve\.ts:1 process\.argv and process\.exit/,
  ],
  ['console in a feature', { 'src/runs/log.ts': "console.log('x');\n" }, /console belongs to/],
  ['console inside a template', { 'src/runs/log.ts': 'export const a = `${console.log(1)}`;\n' }, /console belongs to/],
  [
    "another feature's verb",
    { ...other, 'src/runs/work.ts': "import { a } from '../search/chain.ts';\n" },
    /runs may import only the model or the port of search .* not src\/search\/chain\.ts/,
  ],
  [
    "another feature's routes",
    {
      'src/search/routes.ts': 'export const r = 1;\n',
      'src/runs/work.ts': "import { r } from '../search/routes.ts';\n",
    },
    /routes\.ts is imported only by api\.ts and server\.ts/,
  ],
  [
    'an adapter in a feature',
    { 'src/store/sqlite.ts': 'export const s = 1;\n', 'src/runs/work.ts': "import { s } from '../store/sqlite.ts';\n" },
    /sqlite\.ts is an adapter/,
  ],
  [
    'an adapter in a command',
    {
      'src/models/openai.ts': 'export const s = 1;\n',
      'src/cli/work.ts': "import { s } from '../models/openai.ts';\n",
    },
    /openai\.ts is an adapter/,
  ],
  [
    'lib above a feature',
    { ...other, 'src/lib/retry.ts': "import { a } from '../search/search.ts';\n" },
    /lib is below search/,
  ],
  [
    'config above a feature',
    { ...other, 'src/config/load.ts': "import { a } from '../search/search.ts';\n" },
    /config is below search/,
  ],
  [
    'a feature that imports deps.ts',
    { 'src/deps.ts': 'export const d = 1;\n', 'src/runs/work.ts': "import { d } from '../deps.ts';\n" },
    /deps\.ts is imported only by cli, api\.ts and server\.ts/,
  ],
  [
    'a feature verb that imports http',
    { 'src/http/sse.ts': 'export const d = 1;\n', 'src/runs/work.ts': "import { d } from '../http/sse.ts';\n" },
    /only routes\.ts and webhooks\/listener\.ts import http/,
  ],
  [
    'somebody who imports main.ts',
    { 'src/main.ts': '', 'src/cli/work.ts': "import '../main.ts';\n" },
    /nothing imports main\.ts/,
  ],
  [
    'the server that imports a verb',
    { ...other, 'src/server.ts': "import { a } from './search/chain.ts';\n" },
    /server\.ts imports http/,
  ],
  [
    'an api.ts that imports a verb',
    { ...other, 'src/api.ts': "import { a } from './search/chain.ts';\n" },
    /api\.ts imports \*\/routes\.ts/,
  ],
  ['a file outside src', { 'src/runs/work.ts': "import x from '../../scripts/x.ts';\n" }, /lies outside src/],
  [
    'a cycle',
    {
      'src/runs/a.ts': "import './b.ts';\nexport const a = 1;\n",
      'src/runs/b.ts': "import './c.ts';\n",
      'src/runs/c.ts': "import { a } from './a.ts';\nexport const c = a;\n",
    },
    /import cycle: runs\/a\.ts → runs\/b\.ts → runs\/c\.ts → runs\/a\.ts/,
  ],
  [
    'types that name each other',
    {
      'src/runs/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
      'src/runs/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n",
    },
    /import cycle: runs\/a\.ts → runs\/b\.ts → runs\/a\.ts/,
  ],
  [
    'a cast over unknown without a reason',
    { 'src/runs/a.ts': 'const a = 1;\nexport const b = a as unknown as string;\n' },
    /a\.ts:2 `as unknown as` needs a comment/,
  ],
  [
    'such a cast in a script',
    { 'scripts/a.ts': 'export const b = 1 as unknown as string;\n' },
    /scripts\/a\.ts:1 `as unknown as` needs a comment/,
  ],
  ['an import without its extension', { 'src/runs/a.ts': "import './b';\n" }, /\.\/b lacks its extension/],
  [
    'a barrel',
    {
      'src/runs/index.ts': "// all of it\nexport * from './a.ts';\nexport { b, c } from './b.ts';\n",
      'src/runs/a.ts': 'export const a = 1;\n',
    },
    /index\.ts:1 no barrels/,
  ],
  ['a folder called utils', { 'src/runs/utils/a.ts': 'export const a = 1;\n' }, /no folder is called utils/],
];

describe('checkImports', () => {
  test.each(bad)('reports %s', async (_name, files, expected) => {
    const found = await violations(files);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });

  test('accepts what the layers allow', async () => {
    const found = await violations({
      'src/main.ts': "import { run } from './cli/command.ts';\nprocess.exit(await run(process.argv));\n",
      'src/cli/command.ts':
        "import { d } from '../deps.ts';\nimport { a } from '../search/chain.ts';\nconsole.log(a, d);\nexport const run = async (x: unknown) => 1;\n",
      'src/deps.ts':
        "import { s } from './store/sqlite.ts';\nimport { a } from './search/chain.ts';\nexport const d = s + a;\n",
      'src/server.ts':
        "import { Elysia } from 'elysia';\nimport { r } from './runs/routes.ts';\nimport type { D } from './deps.ts';\nexport const s = new Elysia().use(r);\n",
      'src/api.ts':
        "import type { D } from './deps.ts';\nimport { r } from './runs/routes.ts';\nimport { s } from './server.ts';\nexport const api = [s, r] as D[];\n",
      'src/http/sse.ts': "import { Elysia } from 'elysia';\nexport const e = new Elysia();\n",
      'src/runs/routes.ts':
        "import { Elysia } from 'elysia';\nimport { e } from '../http/sse.ts';\nexport const r = e;\n",
      'src/runs/work.ts':
        "import type { SearchEngine } from '../search/search.ts';\nimport { g } from '../crawl/guarded-fetch.ts';\nimport { Config } from '../config/schema.ts';\n",
      'src/crawl/guarded-fetch.ts': 'export const g = 1;\n',
      'src/config/schema.ts': "import { Type } from '../schema.ts';\nexport const Config = Type;\n",
      'src/config/load.ts': 'export const env = process.env;\n',
      'src/schema.ts': "export { Type } from '@sinclair/typebox';\n",
      'src/store/sqlite.ts': "import { Database } from 'bun:sqlite';\nexport const s = 1;\n",
      ...other,
    });
    expect(found).toEqual([]);
  });

  test('lets a cast over unknown pass that says why', async () => {
    const casts = '// The SDK names fewer.\nexport const a = 1 as unknown as string;\n';
    expect(await violations({ 'src/runs/a.ts': casts, 'scripts/a.ts': casts })).toEqual([]);
  });

  test('does not take comments and texts for code', async () => {
    const found = await violations({
      'src/runs/work.ts': [
        "// import { Elysia } from 'elysia';",
        "/* console.log('x');",
        '   process.env.X */',
        "export const text = 'process.env.X and console.log(1)';",
        'export const page = `never call process.exit here`;',
        "export const url = 'https://example.test'; // console.log()",
      ].join('\n'),
    });
    expect(found).toEqual([]);
  });
});

test('readImports finds every form with its line', () => {
  const text = [
    "import a from 'a';",
    "import type { B } from 'b';",
    "import * as c from 'c';",
    "import 'd';",
    "export { e } from 'e';",
    "export * from 'f';",
    "const g = await import('g');",
    'import {',
    '  h,',
    "} from 'h';",
    "import text from './x.md' with { type: 'text' };",
  ].join('\n');
  const found = readImports(text).sort((x, y) => x.line - y.line);
  expect(found.map(({ specifier, line }) => `${specifier}:${line}`)).toEqual([
    'a:1',
    'b:2',
    'c:3',
    'd:4',
    'e:5',
    'f:6',
    'g:7',
    'h:8',
    './x.md:11',
  ]);
  expect(found[1]?.typeOnly).toBe(true);
  expect(found[6]?.dynamic).toBe(true);
});
