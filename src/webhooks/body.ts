import { parseJsonObject } from './parse-object.ts';
import { providerOf } from './providers.ts';
import type { AcceptedScheme } from './signatures.ts';

const UTF8 = new TextDecoder('utf-8', { fatal: true });

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
