import type { Document, LineCounter, Node, Scalar } from 'yaml';
import { isRecord } from '../lib/json.ts';
import { type Problem, readHomeFile } from './source.ts';

type Yaml = typeof import('yaml');

export interface YamlFile {
  value: Record<string, unknown>;
  /** Line of the key at `path`, or of the nearest parent that is written in the file. */
  lineOf(path: readonly string[]): number | undefined;
  problems: Problem[];
}

const NAME = 'config.yaml';

/** Reads `<home>/config.yaml` and puts the variables in: `${NAME}`, `${NAME:-otherwise}`, `$${` for a literal `${`. */
export async function readYamlFile(path: string, variables: Record<string, string | undefined>): Promise<YamlFile> {
  const { text, problem } = readHomeFile(path, NAME);
  if (text === undefined || text.trim() === '')
    return { value: {}, lineOf: () => undefined, problems: problem ? [problem] : [] };
  // Loaded here because most starts have no file.
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, merge: true, prettyErrors: false });
  const lineOf = (keys: readonly string[]) => lineOfPath(yaml, document, lines, keys);
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      path: NAME,
      message: `is not valid YAML: ${error.message.split('\n')[0]}`,
      origin: `${NAME}:${lines.linePos(error.pos[0]).line}`,
    }));
    return { value: {}, lineOf, problems };
  }
  const problems = substitute(yaml, document, lines, variables);
  const value: unknown = toValue(document, problems);
  if (value === null || value === undefined) return { value: {}, lineOf, problems };
  if (!isRecord(value)) {
    problems.push({ path: NAME, message: 'must be a mapping of sections (`server:`, `models:`, …) at the top level.' });
    return { value: {}, lineOf, problems };
  }
  return { value, lineOf, problems };
}

/** Aliases may explode or point nowhere; the library throws then. */
function toValue(document: Document, problems: Problem[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    problems.push({ path: NAME, message: `is not usable: ${(error as Error).message}.` });
    return undefined;
  }
}

function substitute(
  yaml: Yaml,
  document: Document,
  lines: LineCounter,
  variables: Record<string, string | undefined>,
): Problem[] {
  const problems: Problem[] = [];
  const missing = (name: string, scalar: Scalar) => {
    const line = scalar.range ? lines.linePos(scalar.range[0]).line : 0;
    problems.push({
      path: NAME,
      message: `\${${name}} is used but ${name} is not set in the environment or in .env.`,
      origin: `${NAME}:${line}`,
    });
  };
  yaml.visit(document, {
    Scalar(key, node) {
      if (key === 'key' || typeof node.value !== 'string' || !node.value.includes('${')) return undefined;
      let complete = true;
      const value = node.value.replace(
        /\$(\$\{)|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?(\}?)/g,
        (match, literal: string | undefined, name: string, otherwise: string | undefined, end: string) => {
          if (literal) return literal;
          if (!end) return match;
          const found = variables[name] || otherwise;
          if (found === undefined) {
            missing(name, node);
            complete = false;
          }
          return found ?? '';
        },
      );
      // A value that cannot be known is left out: it has its problem, and the other keys are checked all the same.
      if (!complete) return yaml.visit.REMOVE;
      node.value = value;
      return undefined;
    },
  });
  return problems;
}

function lineOfPath(yaml: Yaml, document: Document, lines: LineCounter, path: readonly string[]): number | undefined {
  let node: unknown = document.contents;
  let line: number | undefined;
  for (const name of path) {
    if (yaml.isAlias(node)) node = node.resolve(document);
    let next: unknown;
    if (yaml.isMap(node)) {
      const pair = node.items.find((item) => String(yaml.isScalar(item.key) ? item.key.value : item.key) === name);
      if (!pair) return line;
      line = lineOfNode(lines, pair.key) ?? line;
      next = pair.value;
    } else if (yaml.isSeq(node)) {
      next = node.items[Number(name)];
      line = lineOfNode(lines, next) ?? line;
    }
    if (!next) return line;
    node = next;
  }
  return line;
}

function lineOfNode(lines: LineCounter, node: unknown): number | undefined {
  const range = (node as Node | null)?.range;
  return range ? lines.linePos(range[0]).line : undefined;
}
