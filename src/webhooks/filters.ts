import { isRecord } from '../lib/json.ts';
import type { FilterFiles } from './filter-file.ts';
import { parsePath, readPath } from './json-path.ts';
import type { LinearRegex, RegexEngine } from './regex.ts';

const OPERATORS = ['equals', 'not_equals', 'contains', 'exists', 'missing', 'in', 'in_file', 'regex'] as const;
const GROUPS = ['all', 'any', 'not'] as const;
const MAX_DEPTH = 32;

/** What a filter looks at. */
interface FilterInput {
  payload: Record<string, unknown>;
  eventType: string;
  headers: Headers;
}

/** The conditions of a route; all must hold. */
export interface RouteFilter {
  /** What is wrong with the conditions, for people. */
  problems: string[];
  /** Waits for files and the regex engine; undefined when `matches` may be called at once. */
  prepare(): Promise<void> | undefined;
  matches(input: FilterInput): boolean;
  /** One entry per top-level condition. */
  explain(input: FilterInput): { condition: unknown; matched: boolean }[];
}

export interface FilterTools {
  files: FilterFiles;
  regex: RegexEngine;
  /** Told when a condition cannot be evaluated and therefore does not match. */
  warn(message: string): void;
}

type Test = (input: FilterInput) => boolean;
interface Compiler {
  tools: FilterTools;
  problems: string[];
  patterns: Map<string, LinearRegex | { error: string } | undefined>;
  files: Set<string>;
}

/** An invalid condition, or one that cannot be decided now; it fails its whole top-level condition, also below a `not`. */
class Undecidable extends Error {}

/**
 * Compiles `filters`: one condition or a list of which all must hold. A condition is `{field, <operator>: value}` or a group
 * `{all: […]}`, `{any: […]}`, `{not: …}`. An invalid condition never matches, also not under `not`.
 */
export function compileFilters(spec: unknown, tools: FilterTools): RouteFilter {
  const compiler: Compiler = { tools, problems: [], patterns: new Map(), files: new Set() };
  const specs = Array.isArray(spec) ? spec : [spec];
  const conditions = specs.map((condition, index) => ({
    condition,
    test: compile(condition, Array.isArray(spec) ? `filters[${index}]` : 'filters', 0, compiler),
  }));
  const decide = (test: Test, input: FilterInput) => {
    try {
      return test(input);
    } catch (error) {
      if (!(error instanceof Undecidable)) throw error;
      tools.warn(error.message);
      return false;
    }
  };
  const { patterns, files, problems } = compiler;
  const compilePatterns = () => {
    for (const [pattern, known] of patterns) {
      if (known) continue;
      const compiled = tools.regex.compile(pattern);
      patterns.set(pattern, compiled);
      if ('error' in compiled) problems.push(`regex ${JSON.stringify(pattern)}: ${compiled.error}`);
    }
  };
  return {
    problems,
    prepare() {
      const needsRegex = [...patterns.values()].includes(undefined);
      const stale = [...files].filter((path) => !tools.files.peek(path));
      if (!needsRegex && stale.length === 0) return undefined;
      return (async () => {
        if (needsRegex) await tools.regex.load();
        compilePatterns();
        await Promise.all(stale.map((path) => tools.files.load(path)));
      })();
    },
    matches: (input) => conditions.every(({ test }) => decide(test, input)),
    explain: (input) => conditions.map(({ condition, test }) => ({ condition, matched: decide(test, input) })),
  };
}

function compile(spec: unknown, at: string, depth: number, compiler: Compiler): Test {
  const invalid = (message: string) => reject(compiler, at, message);
  if (!isRecord(spec)) return invalid('must be an object such as {"field": "action", "equals": "opened"}');
  if (depth > MAX_DEPTH) return invalid('is nested too deep');
  const group = GROUPS.find((name) => Object.hasOwn(spec, name));
  if (group) return compileGroup(group, spec[group], at, depth, compiler);
  if (typeof spec['field'] !== 'string' || !spec['field'].trim()) return invalid('has no "field"');
  const operators = OPERATORS.filter((name) => Object.hasOwn(spec, name));
  if (operators.length === 0) return invalid(`has no operator; use one of ${[...OPERATORS, ...GROUPS].join(', ')}`);
  const read = fieldReader(spec['field'].trim());
  const tests = operators.map((name) => compileOperator(name, spec[name], at, compiler));
  return (input) => {
    const value = read(input);
    return tests.every((test) => test(value));
  };
}

function compileGroup(
  group: (typeof GROUPS)[number],
  spec: unknown,
  at: string,
  depth: number,
  compiler: Compiler,
): Test {
  if (group === 'not') {
    const test = compile(spec, `${at}.not`, depth + 1, compiler);
    return (input) => !test(input);
  }
  if (!Array.isArray(spec)) return reject(compiler, `${at}.${group}`, 'must be a list');
  const tests = spec.map((item, index) => compile(item, `${at}.${group}[${index}]`, depth + 1, compiler));
  if (group === 'all') return (input) => tests.every((test) => test(input));
  return (input) => {
    let undecided: unknown;
    for (const test of tests) {
      try {
        if (test(input)) return true;
      } catch (error) {
        undecided ??= error;
      }
    }
    // One member that holds is enough; without one the group is only false when every member was decided.
    if (undecided) throw undecided;
    return false;
  };
}

function reject(compiler: Compiler, at: string, message: string): () => never {
  compiler.problems.push(`${at}: ${message}`);
  return () => {
    throw new Undecidable(`${at}: ${message}`);
  };
}

function compileOperator(
  name: (typeof OPERATORS)[number],
  wanted: unknown,
  at: string,
  compiler: Compiler,
): (value: unknown) => boolean {
  const invalid = (message: string) => reject(compiler, `${at}.${name}`, message);
  switch (name) {
    case 'equals':
      return (value) => value !== undefined && isEqual(value, wanted);
    case 'not_equals':
      return (value) => value === undefined || !isEqual(value, wanted);
    case 'exists':
    case 'missing': {
      if (typeof wanted !== 'boolean') return invalid('must be true or false');
      const present = (name === 'exists') === wanted;
      return (value) => (value !== undefined) === present;
    }
    case 'contains':
      return (value) => contains(value, wanted);
    case 'in':
      if (!Array.isArray(wanted)) return invalid('must be a list');
      return (value) => value !== undefined && wanted.some((item) => isEqual(value, item));
    case 'in_file': {
      if (typeof wanted !== 'string' || !wanted.trim()) return invalid('must be the path of a file');
      const path = wanted.trim();
      compiler.files.add(path);
      return (value) => {
        const listed = compiler.tools.files.peek(path);
        if (!listed) throw new Undecidable(`${at}: the file of in_file cannot be read`);
        return value !== undefined && listed.has(value);
      };
    }
    case 'regex': {
      if (typeof wanted !== 'string') return invalid('must be a pattern');
      compiler.patterns.set(wanted, undefined);
      return (value) => {
        const regex = compiler.patterns.get(wanted);
        if (!regex || 'error' in regex) throw new Undecidable(`${at}: the regex is invalid`);
        if (value === undefined) return false;
        const found = regex.search(textOf(value));
        if (found === 'too_long') throw new Undecidable(`${at}: the text is too long for the regex`);
        return found;
      };
    }
  }
}

function fieldReader(field: string): (input: FilterInput) => unknown {
  if (field === 'event' || field === 'event_type') return (input) => input.eventType;
  const header = /^headers\.(.+)$/i.exec(field)?.[1];
  if (header && /^[\w!#$%&'*+.^`|~-]+$/.test(header)) return (input) => input.headers.get(header) ?? undefined;
  const keys = parsePath(field);
  const isPrefixed = keys[0] === 'payload' && keys.length > 1;
  return ({ payload }) =>
    isPrefixed ? (readPath(payload, keys.slice(1)) ?? readPath(payload, keys)) : readPath(payload, keys);
}

function contains(value: unknown, wanted: unknown): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value)) return value.some((item) => isEqual(item, wanted));
  if (isRecord(value)) return Object.hasOwn(value, String(wanted));
  return textOf(value).includes(textOf(wanted));
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && typeof b === 'object' && Bun.deepEquals(a, b, true));
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}
