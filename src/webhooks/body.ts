import { parseJsonObject } from './parse-object.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The payload of a body: a JSON object, or the fields of a form, whose `payload` field may hold the object itself (GitHub).
 * Undefined when it is malformed, not an object, not UTF-8 or nested deeper than 10,000 levels.
 */
export function parsePayload(body: Uint8Array, contentType: string | null): Record<string, unknown> | undefined {
  const text = decodeUtf8(body);
  if (text === undefined) return undefined;
  const isForm = contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded');
  // `curl -d '{…}'` calls its JSON a form; a form never starts with a bare brace.
  if (isForm && !text.trimStart().startsWith('{')) return parseForm(text);
  return parseJsonObject(text);
}

function parseForm(text: string): Record<string, unknown> | undefined {
  const fields = new URLSearchParams(text);
  const wrapped = fields.get('payload');
  // Only what is meant as JSON: a form may have a field of that name for something else.
  if (wrapped !== null && /^\s*[{[]/.test(wrapped)) return parseJsonObject(wrapped);
  const payload: Record<string, unknown> = Object.create(null);
  for (const key of new Set(fields.keys())) {
    const values = fields.getAll(key);
    payload[key] = values.length === 1 ? values[0] : values;
  }
  return Object.keys(payload).length > 0 ? payload : undefined;
}

function decodeUtf8(body: Uint8Array): string | undefined {
  try {
    return UTF8.decode(body);
  } catch {
    return undefined;
  }
}
