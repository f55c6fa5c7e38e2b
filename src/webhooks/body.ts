import { parseJsonObject } from './parse-object.ts';
import { providerOf } from './providers.ts';
import type { AcceptedScheme } from './signatures.ts';

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

export type Parsed = { ok: true; payload: Record<string, unknown> } | { ok: false; error: string };

/**
 * The payload of a body: a JSON object, or, of schemes whose senders sign forms, the fields of a form, whose `payload` field may
 * hold the object itself (GitHub). Refused when it is malformed, not an object, not UTF-8, nested deeper than 10,000 levels or
 * nothing that a sender of the scheme sends.
 */
export function parsePayload(body: Uint8Array, contentType: string | null, scheme: AcceptedScheme): Parsed {
  const text = decodeUtf8(body);
  const isForm = contentType?.trim().toLowerCase().startsWith('application/x-www-form-urlencoded');
  // `curl -d '{…}'` calls its JSON a form; a form never starts with a bare brace.
  if (text !== undefined && isForm && !text.trimStart().startsWith('{')) {
    const { form } = providerOf(scheme);
    if (!form) return { ok: false, error: `Body must be a JSON object: senders of the scheme ${scheme} send no forms` };
    return toParsed(form.test(text) ? parseForm(text) : undefined);
  }
  return toParsed(text === undefined ? undefined : parseJsonObject(text));
}

function toParsed(payload: Record<string, unknown> | undefined): Parsed {
  return payload ? { ok: true, payload } : { ok: false, error: 'Body must be a JSON object in UTF-8' };
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
