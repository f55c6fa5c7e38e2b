import { jsonrepair } from 'jsonrepair';

/** Parses JSON; undefined when it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the JSON value in a model's answer: strict first, then the fenced block or the outermost brackets,
 * repaired by `jsonrepair` (trailing commas, single quotes, comments, cut-off ends). Undefined when there is none.
 */
export function parseModelJson(text: string): unknown {
  const strict = parseJson(text);
  if (strict !== undefined) return strict;
  for (const candidate of jsonCandidates(text)) {
    const parsed = parseJson(candidate);
    if (parsed !== undefined) return parsed;
    try {
      const value: unknown = JSON.parse(jsonrepair(candidate));
      if (typeof value === 'object' && value !== null) return value;
    } catch {
      // Not repairable: the next candidate may be.
    }
  }
  return undefined;
}

function* jsonCandidates(text: string): Generator<string> {
  for (const match of text.matchAll(/```(?:json|json5)?\s*\n([\s\S]*?)(?:```|$)/gi))
    if (match[1]) yield match[1].trim();
  const start = text.search(/[[{]/);
  if (start < 0) return;
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  if (end > start) yield text.slice(start, end + 1);
  yield text.slice(start);
}

/** True for a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
