import { parseArgs } from 'node:util';
import { type AppError, userError } from '../errors.ts';
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
    | { type: 'enum'; alias?: string; default?: string; options: readonly string[] }
    /** Taken by place; `multiple` takes all that are left. */
    | { type: 'positional'; default?: string; multiple?: boolean }
  );
export type Args = Record<string, Arg>;

type Base<A extends Arg> = A extends { type: 'number' }
  ? number
  : A extends { type: 'boolean' }
    ? boolean
    : A extends { type: 'enum'; options: readonly (infer O)[] }
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
  return userError('usage', 400, message);
}

/**
 * Reads the words behind a command. A value may start with `-` (`--chat -100`), a flag may be repeated where it is
 * `multiple`, `--no-flag` switches off, `--` ends the flags; an unknown flag is a usage error naming the nearest one.
 */
export function parseCommandArgs<T extends Args>(definitions: T, words: readonly string[]): ParsedArgs<T> {
  const flags = Object.entries(definitions).filter(([, arg]) => arg.type !== 'positional');
  const byName = new Map(flags);
  const byAlias = new Map(
    flags.flatMap(([name, arg]) => ('alias' in arg && arg.alias ? [[arg.alias, name]] : [])) as [string, string][],
  );
  const { tokens } = parseArgs({
    args: [...words],
    strict: false,
    allowPositionals: true,
    tokens: true,
    options: Object.fromEntries(
      flags.map(([name, arg]) => [
        name,
        {
          type: arg.type === 'boolean' ? ('boolean' as const) : ('string' as const),
          ...('alias' in arg && arg.alias ? { short: arg.alias } : {}),
        },
      ]),
    ),
  });
  const values: Record<string, unknown> = {};
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const known = byName.has(token.name) ? token.name : byAlias.get(token.name);
    const negated = !known && token.name.startsWith('no-') ? token.name.slice(3) : undefined;
    const name = known ?? negated ?? token.name;
    const arg = byName.get(name);
    if (!arg || (negated && arg.type !== 'boolean')) throw unknownFlag(token.rawName, [...byName.keys()]);
    // `--out --json`: the value was forgotten. One that begins with `-` is fine, as is anything behind `=`.
    const isForgotten = token.inlineValue === false && byName.has(token.value.replace(/^--/, ''));
    const value = isForgotten && token.value.startsWith('--') ? undefined : token.value;
    setFlag(values, name, arg, value, negated !== undefined);
  }
  takePositionals(definitions, values, positionals);
  for (const [name, arg] of Object.entries(definitions)) applyDefault(values, name, arg);
  return values as ParsedArgs<T>;
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
  values[name] = arg.type === 'number' ? readNumber(name, arg, text) : text;
  if (arg.type === 'enum' && !arg.options.includes(text)) {
    const near = nearest(text, arg.options);
    throw usageError(
      `--${name} must be one of ${arg.options.join(', ')}${near ? `; did you mean ${near}?` : `, not "${text}".`}`,
    );
  }
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
    else if (next < words.length) values[name] = words[next];
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

function unknownFlag(rawName: string, names: string[]): AppError {
  const near = nearest(rawName.replace(/^-+/, ''), names);
  return usageError(`Unknown flag ${rawName}${near ? `; did you mean --${near}?` : '; --help lists the flags.'}`);
}
