import { parseLenientJson } from './lenient-json.ts';

/** Parses JSON; undefined when it is malformed. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Reads the JSON value in a model's answer: strict first, then the fenced block or the outermost brackets, repaired
 * (trailing commas, single quotes, comments, cut-off ends). Undefined when there is none.
 */
export function parseModelJson(text: string): unknown {
  const strict = parseJson(text);
  if (strict !== undefined) return strict;
  for (const candidate of jsonCandidates(text)) {
    const value = parseJson(candidate) ?? parseLenientJson(candidate);
    if (value !== undefined) return value;
  }
  return undefined;
}

function* jsonCandidates(text: string): Generator<string> {
  for (const match of text.matchAll(/```(?:json|json5)?\s*\n([\s\S]*?)(?:```|$)/gi))
    if (match[1]) yield match[1].trim();
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1;
  // An earlier bracket may be part of the prose.
  for (const start of new Set([text.search(/[[{]/), text.indexOf('{')])) {
    if (start < 0) continue;
    if (end > start) yield text.slice(start, end);
    yield text.slice(start);
  }
}

/** True for a plain JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
