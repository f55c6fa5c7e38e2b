import { parseJsonObject } from './parse-object.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a request's body; undefined when it is longer than `limit`. Nothing beyond the limit is kept. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const length = request.headers.get('content-length');
  if (length !== null) {
    // The HTTP layer hands over exactly as many bytes as the header says.
    return Number(length) > limit ? undefined : request.bytes();
  }
  if (!request.body) return new Uint8Array(0);
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    size += value.length;
    if (size > limit) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
}

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
