#!/usr/bin/env bun
// Enforces who may import whom (AGENTS.md, "Rules"). Run it after moving or adding files: bun scripts/check-imports.ts
import { dirname, join, normalize, relative } from 'node:path';

export interface Violation {
  file: string;
  line: number;
  rule: string;
}

interface Import {
  specifier: string;
  line: number;
  typeOnly: boolean;
  dynamic: boolean;
}

interface SourceFile {
  /** Path from the root, `src/…`. */
  path: string;
  text: string;
  imports: Import[];
}

/** Packages with a heavy or narrow use, and the only places for it. */
const PACKAGE_PLACES: [packages: RegExp, places: RegExp, words: string][] = [
  [
    /^(elysia|@elysiajs\/.*)$/,
    /^src\/(server\.ts|http\/.*|.*\/routes\.ts|webhooks\/listener\.ts)$/,
    'server.ts, http/**, **/routes.ts and webhooks/listener.ts',
  ],
  [/^citty$/, /^src\/(main\.ts|cli\/.*)$/, 'main.ts and cli/**'],
  [/^consola(\/.*)?$/, /^src\/(lib\/log\.ts|cli\/.*)$/, 'lib/log.ts and cli/**'],
  [
    /^openai(\/.*)?$/,
    /^src\/(models\/openai[^/]*\.ts|speech\/openai[^/]*\.ts)$/,
    'models/openai*.ts and the speech adapter',
  ],
  [/^bun:sqlite$/, /^src\/(store\/.*|knowledge\/local[^/]*(\/.*)?)$/, 'store/** and knowledge/local*'],
  [/^@modelcontextprotocol\//, /^src\/mcp\//, 'mcp/**'],
  [/^pptxgenjs$/, /^src\/slides\/render\.ts$/, 'slides/render.ts'],
  [/^@sinclair\/typebox(\/.*)?$/, /^src\/schema\.ts$/, 'schema.ts (import it from there)'],
];

/** Where the machine itself is measured: threads, processes, sockets, turns of the event loop; no clock stands for these. */
const MEASURED_PLACES =
  /^src\/(sandbox\/(quickjs|control-group)|mcp\/(child-process|kill-stragglers)|http\/(sse|edge|http-listener)|crawl\/crawler|models\/extractive\/breathe|store\/group-commit|lib\/worker-pool)\.ts$/;

/** Where a call beyond the process, or into a worker, is given up: what it waits for goes by the machine's time. */
const DEADLINE_PLACES =
  /^src\/(cli\/.*|lib\/provider-fetch\.ts|crawl\/(guarded-fetch|jina-reader)\.ts|mcp\/(run-server|metadata)\.ts|delivery\/targets\/email\.ts|knowledge\/local(-embeddings)?\.ts|research\/(steps|tool-loop)\.ts|webhooks\/inline\.ts)$/;

/** Words in the code that belong to one place. */
const WORD_PLACES: [word: RegExp, places: RegExp, rule: string][] = [
  [/\b(process|Bun|import\.meta)\.env\b/, /^src\/config\/load\.ts$/, 'the environment is read only in config/load.ts'],
  [
    /\bprocess\.(argv|exit|exitCode)\b|\bBun\.argv\b/,
    /^src\/main\.ts$/,
    'process.argv and process.exit belong to main.ts',
  ],
  [
    /\bDate\.now\b/,
    // The log's default and the command line, where nothing is injected.
    /^src\/(lib\/(clock|log)\.ts|cli\/.*)$/,
    'the time of day comes from the clock that is a parameter (lib/clock.ts)',
  ],
  [/\bperformance\.now\b/, MEASURED_PLACES, 'time that decides something comes from the clock (lib/clock.ts)'],
  [
    /\bAbortSignal\.timeout\b/,
    DEADLINE_PLACES,
    'a time limit comes from the clock, or its place is in DEADLINE_PLACES',
  ],
  [/\bconsole\.\w+/, /^src\/(lib\/log\.ts|cli\/.*)$/, 'console belongs to lib/log.ts and cli/**; use the logger'],
];

/** Where a feature meets HTTP. */
const HTTP_EDGES =
  /(\/routes|^src\/webhooks\/listener|^src\/runs\/(stream|event-frame)|^src\/prose\/frames|^src\/openai-api\/wire)\.ts$/;

/** Files built only by deps.ts; tests may import anything. */
const ADAPTERS =
  /^src\/(models\/(openai\.ts|extractive\/.*)|store\/(sqlite|postgres)\.ts|search\/engines\/.*|delivery\/targets\/.*)$/;

/** Leaves below every feature: what they may import among our own rooms. */
const LEAF_ROOMS: Record<string, readonly string[]> = {
  'errors.ts': [],
  'schema.ts': [],
  'version.ts': [],
  lib: ['lib', 'errors.ts', 'schema.ts'],
  text: ['text', 'lib'],
  config: ['config', 'lib', 'errors.ts', 'schema.ts'],
};
/** Rooms every feature may use. */
const GROUND = new Set(['lib', 'text', 'errors.ts', 'schema.ts', 'version.ts', 'config', 'handbook']);
const BANNED_FOLDERS = new Set(['utils', 'util', 'common', 'shared', 'helpers', 'misc']);

/** Checks every TypeScript file below `root`/src, and the casts of `root`/scripts; the answer is sorted by file and line. */
export async function checkImports(root: string): Promise<Violation[]> {
  const files: SourceFile[] = [];
  const scripts: SourceFile[] = [];
  for (const path of [...new Bun.Glob('{src,scripts}/**/*.ts').scanSync({ cwd: root })].sort()) {
    if (path.endsWith('.d.ts')) continue;
    const text = await Bun.file(join(root, path)).text();
    if (path.startsWith('src/')) files.push({ path, text, imports: readImports(text) });
    else scripts.push({ path, text, imports: [] });
  }
  const paths = new Set(files.map((file) => file.path));
  return [
    ...files.flatMap((file) => [
      ...checkPlace(file),
      ...checkWords(file),
      ...file.imports.flatMap((entry) => checkImport(file, entry, paths)),
      ...checkBarrel(file),
    ]),
    ...[...files, ...scripts].flatMap(checkCasts),
    ...findCycles(files),
  ].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

function checkImport(file: SourceFile, entry: Import, paths: Set<string>): Violation[] {
  const report = (rule: string): Violation[] => [{ file: file.path, line: entry.line, rule }];
  if (!entry.specifier.startsWith('.')) {
    for (const [packages, places, words] of PACKAGE_PLACES)
      if (packages.test(entry.specifier) && !places.test(file.path))
        return report(`${entry.specifier} may be imported only in ${words}`);
    return [];
  }
  const target = normalize(join(dirname(file.path), entry.specifier));
  if (!target.startsWith('src/')) {
    const isAllowed = target === 'package.json' && file.path === 'src/version.ts';
    return isAllowed ? [] : report(`${entry.specifier} lies outside src`);
  }
  if (!/\.\w+$/.test(entry.specifier)) return report(`${entry.specifier} lacks its extension (.ts)`);
  if (!paths.has(target)) return [];
  const rule = layerRule(file.path, target, entry);
  return rule ? report(rule) : [];
}

function layerRule(from: string, to: string, entry: Import): string | undefined {
  const source = roomOf(from);
  const target = roomOf(to);
  const isRoutes = /(^|\/)routes\.ts$/.test(to);
  if (target === 'main.ts') return 'nothing imports main.ts';
  if (target === 'cli') return source === 'cli' || source === 'main.ts' ? undefined : 'cli is imported only by main.ts';
  if (source === 'main.ts') return target === 'config' || GROUND.has(target) ? undefined : 'main.ts imports cli only';
  if (ADAPTERS.test(to) && source !== 'deps.ts' && source !== target)
    return `${to} is an adapter: it is imported only by deps.ts and tests`;
  if (source === 'cli') return undefined;
  // gateway.ts builds the webhook gateway as deps.ts builds the rest.
  if (target === 'gateway.ts') return 'gateway.ts is imported only by cli';
  if (source === 'gateway.ts') return undefined;
  // api.ts puts the routes of all features and the server together.
  if (target === 'api.ts') return 'api.ts is imported only by cli';
  if (source === 'api.ts')
    return target === 'server.ts' ||
      target === 'deps.ts' ||
      isRoutes ||
      entry.typeOnly ||
      GROUND.has(target) ||
      isPort(to)
      ? undefined
      : 'api.ts imports */routes.ts, server.ts and deps.ts';
  if (target === 'server.ts') return 'server.ts is imported only by api.ts and cli';
  if (target === 'deps.ts')
    return source === 'server.ts'
      ? undefined
      : 'deps.ts is imported only by cli, api.ts and server.ts; take what you need as a parameter';
  const leaf = LEAF_ROOMS[source];
  if (leaf) return leaf.includes(target) ? undefined : `${source} is below ${target}`;
  if (source === 'server.ts')
    return GROUND.has(target) ||
      target === 'http' ||
      isRoutes ||
      isPort(to) ||
      to === 'src/webhooks/listener.ts' ||
      entry.typeOnly
      ? undefined
      : 'server.ts imports http, */routes.ts and webhooks/listener.ts';
  if (isRoutes && source !== 'deps.ts') return 'routes.ts is imported only by api.ts and server.ts';
  if (source === 'deps.ts') return target === 'http' ? 'deps.ts builds adapters; http belongs to server.ts' : undefined;
  if (source === target || GROUND.has(target)) return undefined;
  if (target === 'http')
    return HTTP_EDGES.test(from) ? undefined : 'only routes.ts and webhooks/listener.ts import http';
  if (isPort(to)) return undefined;
  return `${source} may import only the model or the port of ${target} (model.ts, ${target}.ts, …), not ${to}`;
}

/** Files that are made for other features: schemas, types, ports. */
function isPort(path: string): boolean {
  const [, room, ...rest] = path.split('/');
  const name = rest.join('/').replace(/\.ts$/, '');
  return name === 'model' || name === room || EXTRA_PORTS.has(path);
}

/** Ports with a name of their own, next to the `model.ts` of their feature. */
const EXTRA_PORTS = new Set([
  'src/crawl/guarded-fetch.ts',
  // The guard for libraries that bring their own protocol, and its check without the network.
  'src/crawl/guarded-stream-fetch.ts',
  'src/crawl/validate-url.ts',
  'src/models/complete.ts',
  'src/models/task.ts',
  // Every event of a run: the engine and all that follow it speak of them.
  'src/research/events.ts',
  // What an origin of further tools implements.
  'src/research/tool.ts',
  'src/runs/service.ts',
  // The events of a run, for features that translate them into another protocol.
  'src/runs/follow.ts',
  // The SSE answer of a run, for every feature's routes.
  'src/runs/stream.ts',
  // What every sandbox of bubblewrap is made of.
  'src/sandbox/bubblewrap.ts',
  'src/sandbox/seccomp-filter.ts',
  'src/webhooks/agent-runner.ts',
  'src/webhooks/event-record.ts',
]);

function checkPlace(file: SourceFile): Violation[] {
  const folders = file.path.split('/').slice(1, -1);
  const banned = folders.find((folder) => BANNED_FOLDERS.has(folder));
  return banned ? [{ file: file.path, line: 1, rule: `no folder is called ${banned}: name what it holds` }] : [];
}

function checkWords(file: SourceFile): Violation[] {
  const lines = withoutCommentsAndTexts(file.text).split('\n');
  return lines.flatMap((line, index) =>
    WORD_PLACES.filter(([word, places]) => word.test(line) && !places.test(file.path)).map(([, , rule]) => ({
      file: file.path,
      line: index + 1,
      rule,
    })),
  );
}

/** A cast over `unknown` switches the compiler off: the line before it says why that is right. */
function checkCasts(file: SourceFile): Violation[] {
  const written = file.text.split('\n');
  return withoutCommentsAndTexts(file.text)
    .split('\n')
    .flatMap((line, index) =>
      /\bas unknown as\b/.test(line) && !/^\s*(\/\/|\*)/.test(written[index - 1] ?? '')
        ? [
            {
              file: file.path,
              line: index + 1,
              rule: '`as unknown as` needs a comment on the line before: why it is right',
            },
          ]
        : [],
    );
}

/** A file that only hands on other files' exports; schema.ts is the one import point of TypeBox on purpose. */
function checkBarrel(file: SourceFile): Violation[] {
  if (file.path === 'src/schema.ts') return [];
  const code = withoutCommentsAndTexts(file.text).trim();
  const rest = code.replace(/export\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+['"][^'"]*['"];?/g, '').trim();
  return code !== '' && rest === '' ? [{ file: file.path, line: 1, rule: 'no barrels: import the file itself' }] : [];
}

function roomOf(path: string): string {
  return path.split('/')[1] as string;
}

/** Static, re-exporting, dynamic and side-effect imports with their lines. */
export function readImports(text: string): Import[] {
  const code = withoutComments(text);
  const found: Import[] = [];
  const add = (match: RegExpMatchArray, specifier: string, typeOnly: boolean, dynamic: boolean) => {
    const start = (match.index ?? 0) + match[0].search(/\S/);
    found.push({ specifier, line: code.slice(0, start).split('\n').length, typeOnly, dynamic });
  };
  const statement =
    /(?:^|[;\n])[ \t]*(?:import|export)[ \t\n]+(type[ \t\n]+)?[\w*{}\s,$]+?[ \t\n]from[ \t\n]*(['"])([^'"\n]+)\2/g;
  for (const match of code.matchAll(statement)) add(match, match[3] as string, match[1] !== undefined, false);
  for (const match of code.matchAll(/(?:^|[;\n])[ \t]*import[ \t]*(['"])([^'"\n]+)\1/g))
    add(match, match[2] as string, false, false);
  for (const match of code.matchAll(/\b(?:import|require)\(\s*(['"])([^'"\n]+)\1/g))
    add(match, match[2] as string, false, true);
  return found;
}

function findCycles(files: SourceFile[]): Violation[] {
  const edges = new Map(
    files.map((file) => [
      file.path,
      // A lazy import runs after its module, so it cannot close a cycle at load time. Types count: whoever reads one
      // file of a circle has to read them all.
      file.imports
        .filter((entry) => entry.specifier.startsWith('.') && !entry.dynamic)
        .map((entry) => ({ to: normalize(join(dirname(file.path), entry.specifier)), line: entry.line })),
    ]),
  );
  const violations: Violation[] = [];
  const done = new Set<string>();
  const visit = (path: string, stack: string[]): void => {
    for (const { to, line } of edges.get(path) ?? []) {
      const start = stack.indexOf(to);
      if (start >= 0) {
        const cycle = [...stack.slice(start), to].map((step) => relative('src', step)).join(' → ');
        violations.push({ file: path, line, rule: `import cycle: ${cycle}` });
      } else if (!done.has(to) && edges.has(to)) visit(to, [...stack, to]);
    }
    done.add(path);
  };
  for (const { path } of files) if (!done.has(path)) visit(path, [path]);
  return violations;
}

/** Blanks comments, keeping every line where it was. */
function withoutComments(text: string): string {
  return blank(text, false);
}

function withoutCommentsAndTexts(text: string): string {
  return blank(text, true);
}

/**
 * One pass over comments, texts and templates (their `${…}` are kept as code). A regular expression holding a quote
 * could confuse it, so a text never runs over the end of its line.
 */
function blank(text: string, textsToo: boolean): string {
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g;
  return text.replace(pattern, (match) => {
    const isComment = match.startsWith('//') || match.startsWith('/*');
    if (isComment) return match.replace(/[^\n]/g, ' ');
    if (!textsToo) return match;
    if (!match.startsWith('`')) return match[0] + match.slice(1, -1).replace(/[^\n]/g, ' ') + match.at(-1);
    const codeKept = match
      .split(/(\$\{[^}]*\})/)
      .map((part) => (part.startsWith('${') ? part : part.replace(/[^\n]/g, ' ')));
    return codeKept.join('');
  });
}

if (import.meta.main) {
  const violations = await checkImports(join(import.meta.dir, '..'));
  for (const { file, line, rule } of violations) console.log(`${file}:${line} ${rule}`);
  if (violations.length > 0) process.exit(1);
  console.log('Import rules hold.');
}
