import { createHmac } from 'node:crypto';
import type { SchemeName } from '../../src/webhooks/signatures.ts';

/** A request as it lay on the wire. */
export interface Captured {
  headers: Record<string, string>;
  body: string;
}

/** What a sender signs, and where it puts the parts. Written from the providers' pages, apart from the code under test. */
export interface Wire {
  scheme: SchemeName;
  /** Names what is signed; schemes of one family sign the same bytes. */
  family: 'body' | 'time' | 'slack' | 'id' | 'token';
  /** The sender's own headers of an id and a type; not signed. */
  own: { id?: string; event?: string };
  headers(signature: Buffer, parts: Parts): Record<string, string>;
}

/** What the signed bytes are made of. */
export interface Parts {
  id: string;
  time: string;
  body: string;
}

const HEX =
  (header: string, prefix = '') =>
  (signature: Buffer) => ({
    [header]: prefix + signature.toString('hex'),
  });
const ID =
  (prefix: string) =>
  (signature: Buffer, { id, time }: Parts) => ({
    [`${prefix}-id`]: id,
    [`${prefix}-timestamp`]: time,
    [`${prefix}-signature`]: `v1,${signature.toString('base64')}`,
  });

/** Every scheme. */
export const WIRES: readonly Wire[] = [
  { scheme: 'svix', family: 'id', own: {}, headers: ID('svix') },
  { scheme: 'standard', family: 'id', own: {}, headers: ID('webhook') },
  {
    scheme: 'stripe',
    family: 'time',
    own: {},
    headers: (signature, { time }) => ({ 'stripe-signature': `t=${time},v1=${signature.toString('hex')}` }),
  },
  {
    scheme: 'slack',
    family: 'slack',
    own: {},
    headers: (signature, { time }) => ({
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${signature.toString('hex')}`,
    }),
  },
  {
    scheme: 'linear',
    family: 'body',
    own: { id: 'linear-delivery', event: 'linear-event' },
    headers: HEX('linear-signature'),
  },
  {
    scheme: 'github',
    family: 'body',
    own: { id: 'x-github-delivery', event: 'x-github-event' },
    headers: HEX('x-hub-signature-256', 'sha256='),
  },
  {
    scheme: 'gitea',
    family: 'body',
    own: { id: 'x-gitea-delivery', event: 'x-gitea-event' },
    headers: HEX('x-gitea-signature'),
  },
  {
    scheme: 'forgejo',
    family: 'body',
    own: { id: 'x-forgejo-delivery', event: 'x-forgejo-event' },
    headers: HEX('x-forgejo-signature'),
  },
  {
    scheme: 'shopify',
    family: 'body',
    own: { id: 'x-shopify-webhook-id', event: 'x-shopify-topic' },
    headers: (signature) => ({ 'x-shopify-hmac-sha256': signature.toString('base64') }),
  },
  {
    scheme: 'gitlab',
    family: 'token',
    own: { id: 'x-gitlab-event-uuid', event: 'x-gitlab-event' },
    headers: (token) => ({ 'x-gitlab-token': token.toString() }),
  },
  {
    scheme: 'generic_v2',
    family: 'time',
    own: { id: 'idempotency-key' },
    headers: (signature, { time }) => ({
      'x-webhook-timestamp': time,
      'x-webhook-signature-v2': signature.toString('hex'),
    }),
  },
  { scheme: 'generic_v1', family: 'body', own: { id: 'idempotency-key' }, headers: HEX('x-webhook-signature') },
  {
    scheme: 'bearer',
    family: 'token',
    own: { id: 'idempotency-key' },
    headers: (token) => ({ authorization: `Bearer ${token.toString()}` }),
  },
];

/** The bytes that a sender signs. */
export function messageOf({ family }: Wire, { id, time, body }: Parts): string {
  if (family === 'time') return `${time}.${body}`;
  if (family === 'slack') return `v0:${time}:${body}`;
  return family === 'id' ? `${id}.${time}.${body}` : body;
}

/** What proves a message: its HMAC, or the token. */
export function proofOf({ family }: Wire, secret: string, message: string): Buffer {
  return family === 'token' ? Buffer.from(secret) : createHmac('sha256', secret).update(message).digest();
}

/** A request by the true sender. */
export function sign(wire: Wire, secret: string, parts: Parts): Captured {
  const proof = proofOf(wire, secret, messageOf(wire, parts));
  return { headers: wire.headers(proof, parts), body: parts.body };
}

/** Every way to read signed bytes as what another scheme signs. */
export function readingsOf({ family }: Wire, message: string): Parts[] {
  if (family === 'body' || family === 'token') return [{ id: '', time: '', body: message }];
  if (family === 'slack') {
    const match = /^v0:([^:]*):([\s\S]*)$/.exec(message);
    return match ? [{ id: '', time: match[1] as string, body: match[2] as string }] : [];
  }
  const parts = message.split('.');
  const readings: Parts[] = [];
  for (let dot = 1; dot < parts.length; dot++) {
    const time = parts[dot - 1] as string;
    const id = parts.slice(0, dot - 1).join('.');
    const isFit = family === 'time' ? dot === 1 : dot > 1;
    if (isFit && /^\d+$/.test(time)) readings.push({ id, time, body: parts.slice(dot).join('.') });
  }
  return readings;
}

/** All headers of all providers that name a delivery or an event. */
export function foreignHeaders(own: Wire, value: string): Record<string, string> {
  const names = [
    ...WIRES.flatMap((wire) => [wire.own.id, wire.own.event]),
    'x-request-id',
    'x-gitlab-webhook-uuid',
    'x-gogs-event',
  ];
  const mine: (string | undefined)[] = [own.own.id, own.own.event];
  return Object.fromEntries(names.filter((name) => name && !mine.includes(name)).map((name) => [name, value]));
}
