import { parseJson } from '../lib/json.ts';
import { readCapped } from '../lib/read-capped.ts';

const MAX_ERROR_BYTES = 65_536;

/**
 * Caps the body of an error answer before the SDK reads it whole, and takes it out of the list Gemini's compatible
 * endpoint puts it in.
 */
export async function readErrorResponse(response: Response): Promise<Response> {
  if (response.ok || !response.body) return response;
  const { bytes } = await readCapped(response.body, MAX_ERROR_BYTES);
  const text = new TextDecoder().decode(bytes);
  const parsed = parseJson(text);
  const body = Array.isArray(parsed) ? JSON.stringify(parsed[0] ?? null) : text;
  const headers = new Headers(response.headers);
  for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) headers.delete(name);
  return new Response(body, { status: response.status, headers });
}
