import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { startGateway, type TestGateway } from '../webhooks/gateway.ts';
import {
  type Captured,
  foreignHeaders,
  messageOf,
  type Parts,
  proofOf,
  readingsOf,
  sign,
  WIRES,
  type Wire,
} from './wires.ts';

const SECRET = 'one secret for every sender';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const HOUR = 3_600_000;

/** Bodies a sender may sign; strangers write the titles in them. `now` is a time that is believed, `n` makes them different. */
const BODIES: [what: string, type: string, make: (now: string, n: string) => string][] = [
  ['plain', JSON_TYPE, (now, n) => JSON.stringify({ type: 'deploy', n, now })],
  [
    'with a form in a title',
    JSON_TYPE,
    (_now, n) => JSON.stringify({ n, title: 'x&payload=%7B%22type%22%3A%22evil%22%7D&type=evil&y=' }),
  ],
  [
    'with a timestamp and a payload in a title',
    JSON_TYPE,
    (now, n) => JSON.stringify({ n, title: `x.${now}.{"type":"evil"}.${now}.type=evil&payload={}` }),
  ],
  ['that starts with a list', JSON_TYPE, (now, n) => `{"list":[1.5,"a.${now}.[1]"],"n":"${n}"}`],
  ['that is a form', FORM_TYPE, (now, n) => `payload=%7B%22n%22%3A%22${n}%22%7D&n=${now}.${now}.%7B%7D&type=evil`],
];

/** Schemes whose senders send forms. */
const SENDS_FORMS = ['github', 'slack', 'generic_v2', 'bearer'];

let gateway: TestGateway;
beforeAll(async () => {
  const pinned = WIRES.map(({ scheme }) => [`only-${scheme.replace('_', '-')}`, { secret: SECRET, scheme }]);
  gateway = await startGateway({
    webhook: { auth_failure_limit: 0, max_concurrency: 8 },
    routes: { any: { secret: SECRET }, ...Object.fromEntries(pinned) },
  });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const nowSeconds = () => String(Math.floor(gateway.clock.now() / 1000));
let count = 0;
const fresh = () => `id-${++count}`;
const only = ({ scheme }: Wire) => `only-${scheme.replace('_', '-')}`;

async function post(route: string, { headers, body }: Captured, type: string) {
  const answer = await fetch(`${gateway.url}/webhooks/${route}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type, ...headers },
  });
  return { code: answer.status, ...((await answer.json()) as { status?: string; event?: string }) };
}

/** The captured request dressed up as every request of another scheme that its signature could stand for. */
function* disguises(from: Wire, as: Wire, parts: Parts): Generator<{ request: Captured; type: string }> {
  const message = messageOf(from, parts);
  const proof = proofOf(from, SECRET, message);
  for (const reading of readingsOf(as, message))
    for (const type of [JSON_TYPE, `${FORM_TYPE}; charset=utf-8`, ''])
      for (const extra of [{}, { ...foreignHeaders(as, fresh()), ...(as.own.id ? { [as.own.id]: fresh() } : {}) }])
        yield { request: { headers: { ...extra, ...as.headers(proof, reading) }, body: reading.body }, type };
}

const PAIRS = WIRES.flatMap((from) =>
  WIRES.filter((as) => as !== from && from.family !== 'token' && as.family !== 'token').map(
    (as) => [from.scheme, as.scheme, from, as] as const,
  ),
);

describe('a signature of one scheme is none of another', () => {
  test.each(PAIRS)('%s is not %s', async (_from, _as, from, as) => {
    for (const [what, type, make] of BODIES) {
      if (type === FORM_TYPE && !SENDS_FORMS.includes(from.scheme)) continue;
      for (const ageSeconds of [0, 86_400]) {
        const time = String(Number(nowSeconds()) - ageSeconds);
        const parts: Parts = { id: fresh(), time, body: make(nowSeconds(), fresh()) };
        const isBelieved = ageSeconds === 0 || from.family === 'body';
        if (isBelieved) {
          const own = from.own.id ? { [from.own.id]: fresh() } : {};
          const sent = sign(from, SECRET, parts);
          const first = await post('any', { ...sent, headers: { ...own, ...sent.headers } }, type);
          expect(first, what).toMatchObject({ code: 200, status: ageSeconds === 0 ? 'accepted' : expect.any(String) });
        }
        for (const { request, type: given } of disguises(from, as, parts)) {
          const answer = await post('any', request, given);
          // Signed bytes that two schemes share are the same delivery, which was seen.
          if (from.family === as.family && isBelieved && answer.code === 200) expect(answer.status).toBe('duplicate');
          else expect([400, 401], `${what} as ${given}: ${request.body}`).toContain(answer.code);
          expect((await post(only(from), request, given)).code, what).toBe(401);
        }
      }
    }
  });

  test('an id of Standard Webhooks cannot swallow the start of a body', async () => {
    const github = WIRES.find(({ scheme }) => scheme === 'github') as Wire;
    const standard = WIRES.find(({ scheme }) => scheme === 'standard') as Wire;
    for (const body of [
      `{"title":"x.${nowSeconds()}.{"type":"evil"}`,
      `payload=%7B%22title%22%3A%22x.${nowSeconds()}.{"type":"evil"}`,
    ]) {
      const proof = proofOf(github, SECRET, body);
      const [reading] = readingsOf(standard, body);
      const request = { headers: standard.headers(proof, reading as Parts), body: reading?.body ?? '' };
      expect(request.body).toBe('{"type":"evil"}');
      expect((await post('any', request, JSON_TYPE)).code).toBe(401);
    }
  });
});

describe('a delivery counts once while its signature is believed', () => {
  test.each(WIRES.map((wire) => [wire.scheme, wire] as const))('%s', async (_scheme, wire) => {
    const ownIds = wire.own.id ? [{ [wire.own.id]: 'first' }] : [{}];
    for (const own of ownIds) {
      const parts: Parts = { id: fresh(), time: nowSeconds(), body: JSON.stringify({ type: 'deploy', n: fresh() }) };
      const request = sign(wire, SECRET, parts);
      const send = (headers: Record<string, string>) =>
        post('any', { ...request, headers: { ...headers, ...request.headers } }, JSON_TYPE);
      expect(await send(own)).toMatchObject({ status: 'accepted', event: 'deploy' });
      const replays: Record<string, string>[] = [own, { ...foreignHeaders(wire, fresh()), ...own }];
      // A token says nothing about the body: who has it need not replay anything.
      if (wire.family !== 'token') {
        replays.push({}, foreignHeaders(wire, fresh()));
        if (wire.own.id) replays.push({ [wire.own.id]: fresh() });
      }
      const ages = wire.family === 'body' ? [0, 61_000, HOUR - 5000] : [0, 61_000, 295_000];
      const start = gateway.clock.offset;
      for (const age of wire.family === 'token' ? [0] : ages) {
        gateway.clock.offset = start + age;
        for (const headers of replays)
          expect(await send(headers), JSON.stringify(headers)).toMatchObject({ status: 'duplicate' });
      }
      gateway.clock.offset = start;
    }
  });

  test('a timestamped request that is too old is refused, not only known', async () => {
    const start = gateway.clock.offset;
    for (const wire of WIRES.filter(({ family }) => ['time', 'slack', 'id'].includes(family))) {
      const body = JSON.stringify({ type: 'deploy', n: fresh() });
      const request = sign(wire, SECRET, { id: fresh(), time: nowSeconds(), body });
      expect((await post('any', request, JSON_TYPE)).status).toBe('accepted');
      gateway.clock.offset = start + 302_000;
      expect((await post('any', request, JSON_TYPE)).code).toBe(401);
      gateway.clock.offset = start;
    }
  });

  test('it holds over a restart, and a short memory of ids does not shorten it', async () => {
    await using short = await startGateway({ routes: { any: { secret: SECRET } }, webhook: { idempotency_ttl: 1 } });
    const believed = WIRES.filter(({ family }) => ['time', 'slack', 'id'].includes(family));
    const time = String(Math.floor(short.clock.now() / 1000));
    const requests = believed.map((wire) =>
      sign(wire, SECRET, { id: 'same', time, body: `{"id":"x","scheme":"${wire.scheme}"}` }),
    );
    const statuses = async (extra: Record<string, string>) => {
      const answers = requests.map(async ({ headers, body }) => {
        const request = { method: 'POST', body, headers: { ...extra, ...headers } };
        return ((await (await fetch(`${short.url}/webhooks/any`, request)).json()) as { status: string }).status;
      });
      return new Set(await Promise.all(answers));
    };
    expect([...(await statuses({}))]).toEqual(['accepted']);
    await short.stop();
    await short.start();
    short.clock.offset = 290_000;
    expect([...(await statuses({ 'idempotency-key': 'new', 'x-github-delivery': 'new' }))]).toEqual(['duplicate']);
  });

  test('of equal requests under many ids at once, one is run', async () => {
    for (const scheme of ['github', 'generic_v2', 'stripe', 'standard'] as const) {
      const wire = WIRES.find((found) => found.scheme === scheme) as Wire;
      const request = sign(wire, SECRET, { id: fresh(), time: nowSeconds(), body: `{"n":"${fresh()}"}` });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => {
          const ids = { 'x-github-delivery': fresh(), 'idempotency-key': fresh() };
          return post('any', { ...request, headers: { ...ids, ...request.headers } }, JSON_TYPE);
        }),
      );
      expect(answers.filter(({ status }) => status === 'accepted').length).toBe(1);
    }
  });

  test('what failed may be sent again, unchanged or signed anew, under the same id of its own', async () => {
    let isUp = false;
    await using direct = await startGateway({
      routes: { any: { secret: SECRET, prompt: '{n}', deliver: 'ntfy', deliver_only: true } },
      deliver: async () =>
        isUp ? { ok: true } : { ok: false, code: 'target_failed', message: 'The target is down.', retryable: true },
    });
    for (const wire of WIRES) {
      const parts = (offset: number): Parts => ({
        id: wire.scheme,
        time: String(Math.floor(direct.clock.now() / 1000) + offset),
        body: JSON.stringify({ n: wire.scheme }),
      });
      const send = async ({ headers, body }: Captured) => {
        const own = wire.own.id ? { [wire.own.id]: wire.scheme } : {};
        const request = { method: 'POST', body, headers: { ...own, ...headers } };
        return (await fetch(`${direct.url}/webhooks/any`, request)).status;
      };
      isUp = false;
      const request = sign(wire, SECRET, parts(0));
      expect([await send(request), await send(sign(wire, SECRET, parts(1))), await send(request)]).toEqual([
        502, 502, 502,
      ]);
      isUp = true;
      expect(await send(request)).toBe(200);
      const ids = new Set(direct.deliveries.splice(0).map(({ deliveryId }) => deliveryId));
      expect(ids.size, wire.scheme).toBe(1);
    }
  });

  test('senders that sign a timestamp may say the same thing again', async () => {
    for (const scheme of ['generic_v2', 'stripe', 'slack'] as const) {
      const wire = WIRES.find((found) => found.scheme === scheme) as Wire;
      const start = gateway.clock.offset;
      const body = `{"celsius":21,"sensor":"${scheme}"}`;
      for (let minute = 0; minute < 3; minute++) {
        gateway.clock.offset = start + minute * 61_000;
        const request = sign(wire, SECRET, { id: '', time: nowSeconds(), body });
        expect((await post('any', request, JSON_TYPE)).status).toBe('accepted');
      }
      gateway.clock.offset = start;
    }
  });
});

describe('headers of another provider count for nothing', () => {
  test.each(WIRES.map((wire) => [wire.scheme, wire] as const))('%s', async (_scheme, wire) => {
    const id = fresh();
    const body = JSON.stringify({ type: 'signed', n: id, object_kind: 'evil' });
    const request = sign(wire, SECRET, { id, time: nowSeconds(), body });
    const own = wire.own.id ? { [wire.own.id]: id } : {};
    const headers = { ...foreignHeaders(wire, 'evil'), ...own, ...request.headers };
    const answer = await post('any', { headers, body }, JSON_TYPE);
    expect(answer).toMatchObject({ status: 'accepted', event: 'signed' });
    const { deliveryId } = gateway.store.list({ route: 'any', limit: 1 })[0] ?? {};
    if (wire.own.id || wire.family === 'id') expect(deliveryId).toBe(id);
    else expect(deliveryId).toStartWith('sha256-');
  });

  test('an own header names the event where the provider does not sign it, never where it does', async () => {
    for (const wire of WIRES.filter(({ own }) => own.event)) {
      const body = JSON.stringify({ type: 'signed', n: fresh() });
      const request = sign(wire, SECRET, { id: '', time: '', body });
      const headers = { ...request.headers, [wire.own.event as string]: 'by-header' };
      const expected = wire.scheme === 'linear' ? 'signed' : 'by-header';
      expect((await post('any', { headers, body }, JSON_TYPE)).event).toBe(expected);
    }
  });

  test('an answer goes to the origin of the accepted scheme only', async () => {
    await using origin = await startGateway({ routes: { any: { secret: SECRET, deliver: 'origin' } } });
    const payload = {
      repository: { full_name: 'owner/repository' },
      issue: { number: 7, iid: 7 },
      project: { id: 5 },
      object_kind: 'note',
      response_url: 'https://hooks.slack.com/x',
    };
    const claims = { 'x-github-event': 'issues', 'x-gitlab-event': 'Note Hook' };
    const time = String(Math.floor(origin.clock.now() / 1000));
    for (const wire of WIRES) {
      const body = JSON.stringify({ ...payload, n: wire.scheme });
      const { headers } = sign(wire, SECRET, { id: wire.scheme, time, body });
      await fetch(`${origin.url}/webhooks/any`, { method: 'POST', body, headers: { ...claims, ...headers } });
      const event = origin.store.get(origin.store.list({ limit: 1 })[0]?.id ?? '');
      expect(new TextDecoder().decode(event?.body)).toBe(body);
      const isKnown = ['github', 'gitlab', 'slack'].includes(wire.scheme);
      expect(event?.origin?.source as string | undefined).toBe(isKnown ? wire.scheme : undefined);
    }
  });

  test('a header that is there twice proves nothing', async () => {
    for (const wire of WIRES.filter(({ family }) => family !== 'token')) {
      const request = sign(wire, SECRET, { id: fresh(), time: nowSeconds(), body: `{"n":"${fresh()}"}` });
      for (const name of Object.keys(request.headers)) {
        const headers = new Headers(request.headers);
        headers.append(name, request.headers[name] as string);
        const answer = await fetch(`${gateway.url}/webhooks/any`, { method: 'POST', body: request.body, headers });
        // Two of these are lists: the same signature twice is one.
        const isList = name === 'stripe-signature' || (wire.family === 'id' && name.endsWith('-signature'));
        expect([name, answer.status]).toEqual([name, isList ? 200 : 401]);
      }
    }
  });
});
