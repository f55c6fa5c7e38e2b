import { createHash, createHmac } from 'node:crypto';

export interface SignedCall {
  method: string;
  url: URL;
  body: string;
  accessKey: string;
  secretKey: string;
  region: string;
  service: string;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * The headers that sign a call with an access key, as Volcengine's public gateway wants them (HMAC-SHA256, "Signature
 * V4"): https://www.volcengine.com/docs/6369/67269
 */
export function signVolcengine(call: SignedCall): Record<string, string> {
  const date = new Date(call.now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = date.slice(0, 8);
  const bodyHash = sha256(call.body);
  const signed: Record<string, string> = {
    'content-type': 'application/json',
    host: call.url.host,
    'x-content-sha256': bodyHash,
    'x-date': date,
  };
  const names = Object.keys(signed).sort();
  const canonical = [
    call.method,
    call.url.pathname,
    canonicalQuery(call.url.searchParams),
    ...names.map((name) => `${name}:${signed[name]}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const scope = `${day}/${call.region}/${call.service}/request`;
  const toSign = ['HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, call.region, call.service, 'request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    call.secretKey,
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  const { host: _, ...headers } = signed;
  return {
    ...headers,
    authorization: `HMAC-SHA256 Credential=${call.accessKey}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`,
  };
}

function canonicalQuery(params: URLSearchParams): string {
  return [...params]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** RFC 3986: stricter than encodeURIComponent. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
