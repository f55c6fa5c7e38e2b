// Child process of scripts/bench/webhooks.ts: the floor, a Bun server that only verifies the HMAC.
import { timingSafeEqual } from 'node:crypto';

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const body = new Uint8Array(await request.arrayBuffer());
    const expected = `sha256=${new Bun.CryptoHasher('sha256', 'secret').update(body).digest('hex')}`;
    const given = request.headers.get('x-hub-signature-256') ?? '';
    const isValid = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
    return isValid ? Response.json({ status: 'accepted' }) : new Response('invalid', { status: 401 });
  },
});
console.log(server.url.origin);
