import { fail } from '../errors.ts';
import { isFromPage } from './check-caller.ts';
import { readBody } from './read-body.ts';

/** Deeper values than this are refused: no client needs them, and recursive code would run out of stack. */
const MAX_JSON_DEPTH = 100;
/** Room for the boundaries and part headers around a file of the largest size. */
const MULTIPART_OVERHEAD_BYTES = 64 * 1024;

/** What {@link parseBody} needs to know. */
export interface BodyLimits {
  /** Cap of a JSON body. */
  maxBodyBytes: number;
  /** Cap of a multipart body, without {@link MULTIPART_OVERHEAD_BYTES}. */
  maxFileBytes: number;
}

/** The cap that applies to this request. */
export function maxBytesOf(request: Request, limits: BodyLimits): number {
  return mediaType(request) === 'multipart/form-data'
    ? Math.max(limits.maxBodyBytes, limits.maxFileBytes) + MULTIPART_OVERHEAD_BYTES
    : limits.maxBodyBytes;
}

/**
 * Reads the body of a request as a JSON object or as the fields of a form; null when there is none. Refuses malformed
 * input (400), what is no object (422), a wrong media type (415) and a body over the cap (413).
 */
export async function parseBody(request: Request, limits: BodyLimits): Promise<Record<string, unknown> | null> {
  const bytes = await readBody(request, maxBytesOf(request, limits));
  if (bytes.byteLength === 0) return null;
  if (mediaType(request) === 'multipart/form-data') return parseForm(bytes, request);
  checkJsonType(request);
  return parseJsonObject(bytes);
}

/**
 * Throws a 415 when the body is not said to be JSON. Pages may send plain text, or bytes without a type, to another site
 * without asking first (WHATWG Fetch, section 2.2.2): the one is never read as JSON, the other not when a page sends it.
 */
export function checkJsonType(request: Request): void {
  const type = mediaType(request);
  if (/^application\/(.+\+)?json$/.test(type) || (type === '' && !isFromPage(request.headers))) return;
  throw fail('unsupported_media_type', 'Send the request body as JSON with "Content-Type: application/json".');
}

function mediaType(request: Request): string {
  return (request.headers.get('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const malformed = (reason: string) => fail('malformed_json', `The request body is not valid JSON: ${reason}.`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw malformed('it is not UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's own message quotes the input, which may hold a secret.
    throw malformed(error instanceof RangeError ? 'it is nested too deeply' : 'check quotes, commas and brackets');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fail('invalid_request', 'The request body must be a JSON object.', {
      errors: [{ path: '', message: 'Expected object' }],
    });
  if (!isShallow(value, MAX_JSON_DEPTH)) throw malformed(`it is nested deeper than ${MAX_JSON_DEPTH} levels`);
  return value as Record<string, unknown>;
}

/** Also takes out `__proto__` keys, which would become the prototype of any object they are copied into. */
function isShallow(value: object, depth: number): boolean {
  if (depth === 0) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (isNested(item) && !isShallow(item, depth - 1)) return false;
    return true;
  }
  // `for in` makes no list of the keys or values: ten megabytes of small objects pass here.
  for (const key in value) {
    const item = (value as Record<string, unknown>)[key];
    if (key === '__proto__') Reflect.deleteProperty(value, key);
    else if (isNested(item) && !isShallow(item, depth - 1)) return false;
  }
  return true;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

async function parseForm(bytes: Uint8Array<ArrayBuffer>, request: Request): Promise<Record<string, unknown>> {
  let form: FormData;
  try {
    const headers = { 'content-type': request.headers.get('content-type') ?? '' };
    form = (await new Response(bytes, { headers }).formData()) as FormData;
  } catch (error) {
    throw fail('malformed_form', 'The request body is not a valid multipart form.', { cause: error });
  }
  const fields: Record<string, unknown> = {};
  for (const name of new Set(form.keys())) {
    if (name === '__proto__') continue;
    const values = form.getAll(name);
    fields[name] = values.length > 1 ? values : values[0];
  }
  return fields;
}
