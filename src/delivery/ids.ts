import { createHash } from 'node:crypto';

/** The id itself when it can stand in a header and a path, else a digest: delivery ids come from senders. */
export function safeId(id: string): string {
  return /^[\w.:@-]{1,120}$/.test(id) ? id : createHash('sha256').update(id).digest('hex');
}

/** A digest of `length` URL-safe characters: the same id gives the same digest. */
export function shortId(id: string, length: number): string {
  return createHash('sha256').update(id).digest('base64url').slice(0, length);
}

/** The id as a UUID (version 8, RFC 9562): the same id gives the same UUID. */
export function uuidOf(id: string): string {
  const bytes = createHash('sha256').update(id).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
