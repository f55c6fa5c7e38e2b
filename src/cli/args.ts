import { type AppError, fail } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';

interface ArgBase {
  description: string;
  required?: boolean;
}
export type Arg = ArgBase &
  (
    | { type: 'string'; alias?: string; default?: string; valueHint?: string; multiple?: boolean }
    | {
        type: 'number';
        alias?: string;
        default?: number;
        valueHint?: string;
        integer?: boolean;
        min?: number;
        max?: number;
      }
    | { type: 'boolean'; alias?: string; default?: boolean }
    /** Values are compared without case, and `-` is `_`. */
    | { type: 'enum'; alias?: string; default?: string; options: readonly string[] }
    /** Taken by place; `multiple` takes all that are left. */
    | { type: 'positional'; default?: string; multiple?: boolean; options?: readonly string[] }
  );
export type Args = Record<string, Arg>;

type Base<A extends Arg> = A extends { type: 'number' }
  ? number
  : A extends { type: 'boolean' }
    ? boolean
    : A extends { options: readonly (infer O)[] }
      ? O
      : string;
type IsSet<A extends Arg> = A extends { required: true }
  ? true
  : A extends { default: infer D }
    ? D extends undefined
      ? false
      : true
    : false;
/** The values of a command's arguments, typed by their definitions. */
export type ParsedArgs<T extends Args> = {
  [K in keyof T]: T[K] extends { multiple: true }
    ? string[]
    : T[K] extends { type: 'boolean' }
      ? boolean
      : IsSet<T[K]> extends true
        ? Base<T[K]>
        : Base<T[K]> | undefined;
};

/** Wrong use of the command line: exit status 2. */
export function usageError(message: string): AppError {
  return fail('usage', message);
}

/**
 * Reads the words behind a command. A value may start with `-` (`--chat -100`), a flag may be repeated where it is
 * `multiple`, `--no-flag` switches off, `--` ends the flags; an unknown flag is a usage error naming the nearest one.
 */
export function parseCommandArgs<T extends Args>(definitions: T, words: readonly string[]): ParsedArgs<T> {
  const flags = new Map(Object.entries(definitions).filter(([, arg]) => arg.type !== 'positional'));
  const values: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] as string;
    if (word === '--') {
      positionals.push(...words.slice(index + 1));
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      positionals.push(word);
      continue;
    }
    const { name, arg, inline, negated } = readFlag(flags, word);
    let value = inline;
    if (arg.type !== 'boolean' && value === undefined) {
      value = words[++index];
      // `--out --json`: the value was forgotten. Another one may begin with `-`, as may anything behind `=`.
      if (value?.startsWith('--') && flags.has(value.slice(2))) value = undefined;
    }
    setFlag(values, name, arg, value, negated);
  }
  takePositionals(definitions, values, positionals);
  for (const [name, arg] of Object.entries(definitions)) applyDefault(values, name, arg);
  return values as ParsedArgs<T>;
}

interface ReadFlag {
  name: string;
  arg: Arg;
  /** What stands behind `=`, or directly behind a one-letter flag. */
  inline: string | undefined;
  negated: boolean;
}

/** `--name`, `--name=value`, `--no-name`, `-n`, `-nvalue`, `-n=value`. */
function readFlag(flags: Map<string, Arg>, word: string): ReadFlag {
  const [, long, inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
  if (long === undefined) {
    const found = [...flags].find(([, arg]) => 'alias' in arg && arg.alias === word[1]);
    if (!found || (found[1].type === 'boolean' && word.length > 2)) throw unknownFlag(word, [...flags.keys()]);
    const rest = word.slice(2).replace(/^=/, '');
    return { name: found[0], arg: found[1], inline: word.length > 2 ? rest : undefined, negated: false };
  }
  const arg = flags.get(long);
  if (arg) return { name: long, arg, inline, negated: false };
  const positive = long.startsWith('no-') ? flags.get(long.slice(3)) : undefined;
  if (positive?.type !== 'boolean') throw unknownFlag(`--${long}`, [...flags.keys()]);
  return { name: long.slice(3), arg: positive, inline, negated: true };
}

function setFlag(values: Record<string, unknown>, name: string, arg: Arg, text: string | undefined, negated: boolean) {
  if (arg.type === 'boolean') {
    if (text !== undefined && !/^(true|false)$/.test(text)) throw usageError(`--${name} takes no value.`);
    values[name] = !negated && text !== 'false';
    return;
  }
  if (text === undefined) throw usageError(`--${name} needs a value.`);
  if ('multiple' in arg && arg.multiple) {
    values[name] = [...((values[name] as string[] | undefined) ?? []), text];
    return;
  }
  if (name in values) throw usageError(`--${name} is given twice.`);
  if (arg.type === 'number') values[name] = readNumber(name, arg, text);
  else values[name] = arg.type === 'enum' ? readOption(`--${name}`, arg.options, text) : text;
}

function readOption(name: string, options: readonly string[], text: string): string {
  const key = (option: string) =>
    option
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
  const found = options.find((option) => key(option) === key(text));
  if (found !== undefined) return found;
  const near = nearest(text, options);
  throw usageError(
    `${name} must be one of ${options.join(', ')}${near ? `; did you mean ${near}?` : `, not "${text}".`}`,
  );
}

function readNumber(name: string, arg: Arg & { type: 'number' }, text: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { min = -Infinity, max = Infinity } = arg;
  const allowed = Number.isFinite(value) && value >= min && value <= max && (!arg.integer || Number.isInteger(value));
  if (allowed) return value;
  const range = `${Number.isFinite(min) ? ` of at least ${min}` : ''}${Number.isFinite(max) ? ` up to ${max}` : ''}`;
  throw usageError(`--${name} must be ${arg.integer ? 'an integer' : 'a number'}${range}, not "${text}".`);
}

function takePositionals(definitions: Args, values: Record<string, unknown>, words: string[]): void {
  let next = 0;
  for (const [name, arg] of Object.entries(definitions)) {
    if (arg.type !== 'positional') continue;
    if (arg.multiple) values[name] = words.slice(next);
    else if (next < words.length) {
      const word = words[next] as string;
      values[name] = arg.options ? readOption(name.toUpperCase(), arg.options, word) : word;
    }
    const isMissing = arg.multiple ? next >= words.length : values[name] === undefined;
    if (arg.required && isMissing) throw usageError(`${name.toUpperCase()} is missing.`);
    next = arg.multiple ? words.length : next + 1;
  }
  if (next < words.length) throw usageError(`Unexpected argument "${words[next]}".`);
}

function applyDefault(values: Record<string, unknown>, name: string, arg: Arg): void {
  if (name in values) return;
  if (arg.required && arg.type !== 'positional') throw usageError(`--${name} is missing.`);
  if ('multiple' in arg && arg.multiple) values[name] = [];
  else if (arg.type === 'boolean') values[name] = arg.default ?? false;
  else if (arg.default !== undefined) values[name] = arg.default;
}

/** Names the nearest flag, or says that `--help` lists what there is. */
export function unknownFlag(rawName: string, names: readonly string[], listed = 'flags'): AppError {
  const near = nearest(rawName.replace(/^-+/, ''), names);
  return usageError(`Unknown flag ${rawName}${near ? `; did you mean --${near}?` : `; --help lists the ${listed}.`}`);
}
