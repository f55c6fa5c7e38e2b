import { isRecord, parseJson } from '../lib/json.ts';
import { parseLenientJson } from '../lib/lenient-json.ts';
import type { ToolCall } from '../models/model.ts';

/** Arguments of a call as an object, repaired when the model wrote almost-JSON; undefined for anything else. */
export function readArguments(call: ToolCall): Record<string, unknown> | undefined {
  const text = call.argumentsText.trim();
  if (text === '') return {};
  const strict = parseJson(text);
  if (isRecord(strict)) return strict;
  const repaired = text.startsWith('{') ? parseLenientJson(text) : undefined;
  return isRecord(repaired) ? repaired : undefined;
}
