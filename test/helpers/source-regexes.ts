import { join } from 'node:path';
import { parse } from 'acorn';

/** A regular expression of the product and where it stands. */
export interface SourceRegex {
  /** `src/folder/file.ts:line`. */
  place: string;
  regex: RegExp;
}

/** A `RegExp(…)` whose pattern is put together while the program runs. */
export interface ComposedRegex {
  place: string;
  /** The first argument as it is written. */
  pattern: string;
}

interface Node {
  type: string;
  raw?: string;
  regex?: { pattern: string; flags: string };
  callee?: { type: string; name?: string };
  arguments?: { start: number; end: number }[];
}

/** Every regular expression literal below `root`/src, and every place that composes one. */
export async function readSourceRegexes(root: string): Promise<{ literals: SourceRegex[]; composed: ComposedRegex[] }> {
  const literals: SourceRegex[] = [];
  const composed: ComposedRegex[] = [];
  // TypeScript 7 has no parser to call: its types are stripped first and what is left is JavaScript.
  const transpiler = new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false, trimUnusedImports: false });
  for (const file of [...new Bun.Glob('src/**/*.ts').scanSync({ cwd: root })].sort()) {
    if (file.endsWith('.d.ts')) continue;
    const source = await Bun.file(join(root, file)).text();
    const code = transpiler.transformSync(source);
    const placeOf = (text: string) => {
      const at = source.indexOf(text);
      return at < 0 ? file : `${file}:${source.slice(0, at).split('\n').length}`;
    };
    for (const node of nodesOf(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }))) {
      if (node.type === 'Literal' && node.regex && node.raw)
        literals.push({ place: placeOf(node.raw), regex: new RegExp(node.regex.pattern, node.regex.flags) });
      const first = node.arguments?.[0];
      if (node.callee?.type === 'Identifier' && node.callee.name === 'RegExp' && first) {
        const pattern = code.slice(first.start, first.end);
        composed.push({ place: placeOf(pattern), pattern });
      }
    }
  }
  return { literals, composed };
}

function* nodesOf(value: unknown): Generator<Node> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') yield value as Node;
  for (const child of Object.values(value)) if (typeof child === 'object') yield* nodesOf(child);
}
