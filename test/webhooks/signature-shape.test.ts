import { expect, test } from 'bun:test';
import { signRequest } from '../../src/webhooks/sign.ts';
import { maySignBody } from '../../src/webhooks/signature-shape.ts';
import { SCHEME_NAMES, verifySignature } from '../../src/webhooks/signatures.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NOW = Date.UTC(2026, 10, 22);
const signed = (scheme: (typeof SCHEME_NAMES)[number], body: string) =>
  new Headers(signRequest(scheme, SECRET, { body, id: 'msg_1', nowMs: NOW }));
const SHOWS_SECRET = ['gitlab', 'bearer'];

test.each(SCHEME_NAMES)('%s: what a sender signs has the shape, whatever the body', (scheme) => {
  for (const body of ['{}', '{"a":1}', 'x'.repeat(1000), 'payload=%7B%7D', '\u00e9']) {
    const headers = signed(scheme, body);
    expect(maySignBody(headers, undefined)).toBe(!SHOWS_SECRET.includes(scheme));
    expect(maySignBody(headers, scheme)).toBe(!SHOWS_SECRET.includes(scheme));
    for (const other of SCHEME_NAMES) if (other !== scheme) expect(maySignBody(headers, other)).toBe(false);
  }
});

test.each(SCHEME_NAMES)('%s: without the shape no body is right, or any', (scheme) => {
  const headers = signed(scheme, '{}');
  const name = [...headers.keys()].find((key) => /signature|hmac/.test(key) && !/timestamp|id$/.test(key));
  const values = name
    ? ['', 'x', 'sha256=0', 'v1,short=', 't=1,v1=', 'a'.repeat(63), 'a'.repeat(65), '\u00e9']
    : [undefined];
  for (const value of values) {
    if (name && value !== undefined) headers.set(name, value);
    if (maySignBody(headers, undefined)) continue;
    const verdicts = ['{}', '', '{"a":1}'].map(
      (body) => verifySignature({ headers, body: new TextEncoder().encode(body), nowMs: NOW }, [SECRET]).ok,
    );
    expect(new Set(verdicts).size).toBe(1);
    expect(verdicts[0]).toBe(SHOWS_SECRET.includes(scheme));
  }
});

test('several signatures in one header, the right one last', () => {
  const value = signed('standard', '{}').get('webhook-signature') as string;
  expect(maySignBody(new Headers({ 'webhook-signature': `v1a,other v1,old= ${value}` }), undefined)).toBe(true);
  const stripe = signed('stripe', '{}').get('stripe-signature') as string;
  expect(maySignBody(new Headers({ 'stripe-signature': stripe.replace('v1=', 'v0=x,v1=') }), undefined)).toBe(true);
});
