import { isRecord } from '../lib/json.ts';

/** A tool call read from an answer's text. */
export interface WrittenCall {
  name: string;
  argumentsText: string;
}

const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input', 'action_input'];

/**
 * Reads the calls in a JSON value in the shapes models write: `{tool, arguments}` as asked for, or
 * `{name, parameters}`, `{function: {name, arguments}}`, `{tool_calls: […]}` and lists of them as they were trained.
 * Empty when the value is not a call: only `tool` may name a tool that does not exist.
 */
export function readWrittenCalls(value: unknown, names: ReadonlySet<string>): WrittenCall[] {
  if (Array.isArray(value)) {
    const calls = value.map((item) => readWrittenCalls(item, names));
    return calls.every((list) => list.length > 0) ? calls.flat() : [];
  }
  if (!isRecord(value)) return [];
  const inner = value['tool_calls'] ?? value['tool_call'] ?? value['function'];
  if (isRecord(inner) || Array.isArray(inner)) return readWrittenCalls(inner, names);
  const named = value['tool'];
  const name = named ?? value['tool_name'] ?? value['name'] ?? value['action'] ?? value['function'];
  if (typeof name !== 'string' || name === '') return [];
  const key = ARGUMENT_KEYS.find((candidate) => value[candidate] !== undefined);
  if (!names.has(name) && (named === undefined || key === undefined)) return [];
  const given = key === undefined ? {} : value[key];
  return [{ name, argumentsText: typeof given === 'string' ? given : JSON.stringify(given) }];
}
