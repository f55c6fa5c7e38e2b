import { describe, expect, test } from 'bun:test';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createWebhookListener } from '../../src/webhooks/listener.ts';
import { startGateway } from './gateway.ts';

const gh = { secret: 'secret', prompt: 'PR #{number}' };

describe('addresses', () => {
  test('health, unknown paths, wrong methods', async () => {
    await using gateway = await startGateway({ routes: { gh } });
    const health = await fetch(`${gateway.url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toEqual({ status: 'ok', platform: 'webhook' });
    const get = await fetch(`${gateway.url}/webhooks/gh`);
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST']);
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      expect((await fetch(`${gateway.url}/webhooks/gh`, { method })).status).toBe(404);
    for (const path of ['/', '/webhooks', '/webhooks/', '/webhooks/gh/', '/webhooks/gh/x', '/healthz'])
      expect((await fetch(`${gateway.url}${path}`, { method: 'POST', body: '{}' })).status).toBe(404);
  });

  test('without a host it answers on IPv4 and on IPv6', async () => {
    await using gateway = await startGateway({ webhook: { host: undefined } });
    const { port } = new URL(gateway.url);
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
    expect((await fetch(`http://[::1]:${port}/health`)).status).toBe(200);
  });

  test('a port in use is named', async () => {
    await using gateway = await startGateway();
    const port = Number(new URL(gateway.url).port);
    const second = startGateway({ webhook: { port } });
    await expect(second).rejects.toMatchObject({ code: 'port_in_use' });
    await second.catch((error: Error) => {
      expect(error.message).toContain(String(port));
      expect(error.message).toContain('127.0.0.1');
    });
  });

  test('INSECURE_NO_AUTH works on loopback and refuses to start elsewhere', async () => {
    const routes = { open: { secret: 'INSECURE_NO_AUTH' } };
    {
      await using gateway = await startGateway({ routes });
      expect((await fetch(`${gateway.url}/webhooks/open`, { method: 'POST', body: '{"a":1}' })).status).toBe(200);
    }
    await expect(startGateway({ routes, webhook: { host: '0.0.0.0' } })).rejects.toMatchObject({
      code: 'insecure_webhook',
    });
    await expect(startGateway({ webhook: { host: undefined, secret: 'INSECURE_NO_AUTH' } })).rejects.toMatchObject({
      code: 'insecure_webhook',
    });
  });

  test('a secret that replaced INSECURE_NO_AUTH closes the route when the overlap ends', async () => {
    await using gateway = await startGateway({
      routes: {
        gh: {
          secret: 'secret',
          secrets: [{ secret: 'INSECURE_NO_AUTH', expires_at: new Date(Date.now() + 60_000).toISOString() }],
        },
      },
    });
    const unsigned = (body: string) => fetch(`${gateway.url}/webhooks/gh`, { method: 'POST', body });
    expect((await unsigned('{"a":1}')).status).toBe(200);
    gateway.clock.offset = 61_000;
    expect((await unsigned('{"a":2}')).status).toBe(401);
    expect((await gateway.post('gh', { a: 3 })).status).toBe(200);
  });

  test('stopping twice and before starting is fine', async () => {
    const gateway = await startGateway();
    await gateway.stop();
    await gateway[Symbol.asyncDispose]();
    expect(createWebhookListener).toBeFunction();
  });
});

describe('the order of checks', () => {
  const routes = {
    gh: { ...gh, events: ['push'] },
    off: { ...gh, enabled: false },
    nosecret: { prompt: 'x' },
    emptysecret: { secret: '', prompt: 'x' },
  };

  test('unknown and disabled routes answer before the body is looked at', async () => {
    await using gateway = await startGateway({ routes, webhook: { secret: undefined } });
    const big = 'x'.repeat(2_000_000);
    const unknown = await gateway.post('nope', big);
    expect([unknown.status, await unknown.json()]).toEqual([404, { error: 'Unknown route: nope' }]);
    expect((await gateway.post('nosecret', '{}')).status).toBe(404);
    const disabled = await gateway.post('off', big);
    expect([disabled.status, await disabled.json()]).toEqual([403, { error: 'Route disabled: off' }]);
  });

  test('an explicit empty secret never falls back to the global one, an absent one does', async () => {
    await using gateway = await startGateway({ routes, webhook: { secret: 'secret' } });
    expect((await gateway.post('emptysecret', '{}')).status).toBe(404);
    expect((await gateway.post('nosecret', '{"a":1}')).status).toBe(200);
  });

  test('a body over the cap is 413 before its signature counts', async () => {
    await using gateway = await startGateway({ routes, webhook: { max_body_bytes: 100 } });
    const wrong = { 'x-hub-signature-256': 'sha256=0' };
    expect((await gateway.post('gh', `{"a":"${'x'.repeat(100)}"}`, wrong)).status).toBe(413);
    const chunks = new ReadableStream({
      async pull(controller) {
        controller.enqueue(new TextEncoder().encode('x'.repeat(60)));
        await Bun.sleep(1);
      },
    });
    // Nothing but the body can tell whether this one is right, so it has to be read.
    const headers = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
    const streamed = await fetch(`${gateway.url}/webhooks/gh`, { method: 'POST', body: chunks, headers });
    expect(streamed.status).toBe(413);
  });

  test('a wrong signature is 401 before the body is parsed', async () => {
    await using gateway = await startGateway({ routes });
    const answer = await gateway.post('gh', 'not json', { 'x-hub-signature-256': 'sha256=0' });
    expect([answer.status, await answer.json()]).toEqual([401, { error: 'Invalid signature' }]);
    expect((await fetch(`${gateway.url}/webhooks/gh`, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  test('malformed bodies are 400', async () => {
    await using gateway = await startGateway({ routes });
    for (const body of ['', 'x', '[1]', '1', 'null', '{"a":', '"text"']) {
      const answer = await gateway.post('gh', body);
      expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([400, ['error']]);
    }
  });

  test('an unwanted event is ignored, a wanted one accepted', async () => {
    await using gateway = await startGateway({ routes });
    const ignored = await gateway.post('gh', { a: 1 }, { 'x-github-event': 'issues' });
    expect([ignored.status, await ignored.json()]).toEqual([200, { status: 'ignored', event: 'issues' }]);
    const accepted = await gateway.post('gh', { a: 1 }, { 'x-github-event': 'push', 'x-github-delivery': 'd1' });
    expect(accepted.status).toBe(200);
    expect(await accepted.json()).toEqual({
      status: 'accepted',
      route: 'gh',
      event: 'push',
      delivery_id: 'd1',
      run_id: expect.stringMatching(/^run_/),
    });
  });

  test('a filter that does not match ignores the event and the log of events says why', async () => {
    await using gateway = await startGateway({
      routes: { gh: { ...gh, filters: [{ field: 'action', equals: 'opened' }] } },
    });
    const answer = await gateway.post('gh', { action: 'closed' });
    expect(await answer.json()).toEqual({ status: 'ignored', reason: 'filter', route: 'gh' });
    expect(await (await gateway.post('gh', { action: 'opened' })).json()).toMatchObject({ status: 'accepted' });
    const reasons = gateway.store.list({ route: 'gh', limit: 9 }).map((line) => [line.status, line.reason]);
    expect(reasons).toContainEqual(['ignored', 'filter']);
  });
});

describe('limits', () => {
  test('the rate limit is per route, counted after authentication, without duplicates', async () => {
    await using gateway = await startGateway({ routes: { gh: { ...gh, rate_limit: 3 }, other: gh } });
    for (let index = 0; index < 5; index++)
      expect((await gateway.post('gh', { index }, { 'x-hub-signature-256': 'sha256=0' })).status).toBe(401);
    const same = { 'x-github-delivery': 'same' };
    for (let index = 0; index < 5; index++) expect((await gateway.post('gh', { a: 1 }, same)).status).toBe(200);
    expect((await gateway.post('gh', { b: 2 })).status).toBe(200);
    expect((await gateway.post('gh', { c: 3 })).status).toBe(200);
    const refused = await gateway.post('gh', { d: 4 });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61);
    expect((await gateway.post('other', { a: 1 })).status).toBe(200);
    gateway.clock.offset = 61_000;
    expect((await gateway.post('gh', { d: 4 })).status).toBe(200);
  });

  test('failed signatures from one address are answered 429 after a while, other addresses are not', async () => {
    await using gateway = await startGateway({ routes: { gh }, webhook: { auth_failure_limit: 3 } });
    const attack = { 'x-hub-signature-256': 'sha256=0', 'x-forwarded-for': '198.51.100.7, 203.0.113.9' };
    const statuses: number[] = [];
    for (let index = 0; index < 5; index++) statuses.push((await gateway.post('gh', {}, attack)).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.9' })).status).toBe(429);
    expect((await gateway.post('gh', { a: 1 }, { 'x-forwarded-for': '203.0.113.10' })).status).toBe(200);
    expect((await gateway.post('gh', { a: 2 })).status).toBe(200);
  });
});

describe('idempotency', () => {
  test('two equal deliveries at once cause one run', async () => {
    await using gateway = await startGateway({ routes: { gh } });
    const headers = { 'x-github-delivery': 'one' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.post('gh', { number: 1 }, headers)));
    const bodies = (await Promise.all(answers.map((answer) => answer.json()))) as {
      status: string;
      delivery_id: string;
    }[];
    expect(answers.every((answer) => answer.status === 200)).toBe(true);
    expect(bodies.filter((body) => body.status === 'accepted').length).toBe(1);
    expect(bodies.filter((body) => body.status === 'duplicate').length).toBe(9);
    expect(bodies.every((body) => body.delivery_id === 'one')).toBe(true);
    await gateway.settled();
    expect(gateway.runs.length).toBe(1);
  });

  test('the key holds an hour, is per route and bound to the body, and survives a restart', async () => {
    await using gateway = await startGateway({ routes: { gh, other: gh } });
    const headers = { 'x-github-delivery': 'one' };
    const status = async (name: string, payload: object) =>
      ((await (await gateway.post(name, payload, headers)).json()) as { status: string }).status;
    expect(await status('gh', { number: 1 })).toBe('accepted');
    expect(await status('other', { number: 1 })).toBe('accepted');
    expect(await status('gh', { number: 2 })).toBe('accepted');
    await gateway.stop();
    await gateway.start();
    expect(await status('gh', { number: 1 })).toBe('duplicate');
    gateway.clock.offset = 3_601_000;
    expect(await status('gh', { number: 1 })).toBe('accepted');
    expect(await status('gh', { number: 1 })).toBe('duplicate');
  });

  test('without an id the same body counts as the same for a minute', async () => {
    await using gateway = await startGateway({ routes: { gh } });
    const status = async () => ((await (await gateway.post('gh', { n: 1 })).json()) as { status: string }).status;
    expect([await status(), await status()]).toEqual(['accepted', 'duplicate']);
    gateway.clock.offset = 61_000;
    expect(await status()).toBe('accepted');
  });
});

describe('scripts', () => {
  async function withScripts(route: object, scripts: Record<string, string>) {
    const gateway = await startGateway({ routes: { gh: { ...gh, prompt: '{text} {script_output}', ...route } } });
    await mkdir(join(gateway.home, 'scripts'));
    for (const [name, text] of Object.entries(scripts)) await writeFile(join(gateway.home, 'scripts', name), text);
    return gateway;
  }

  test('a JSON object replaces the payload', async () => {
    await using gateway = await withScripts(
      { script: 'change.py' },
      { 'change.py': 'import json,sys\np=json.load(sys.stdin)\nprint(json.dumps({"text":p["text"].upper()}))' },
    );
    expect(await (await gateway.post('gh', { text: 'hi' })).json()).toMatchObject({ status: 'accepted' });
    await gateway.settled();
    expect(gateway.runs[0]?.prompt).toBe('HI {script_output}');
  });

  test.each([
    ['exit 3', 'script: exit 3'],
    ['true', 'script: empty'],
    ['echo "[SILENT]"', 'script: silent'],
  ])('%p ignores the event and says why', async (text, reason) => {
    await using gateway = await withScripts({ script: 'x.sh' }, { 'x.sh': text });
    const answer = await gateway.post('gh', { text: 'hi' }, { 'x-github-delivery': 'd' });
    expect([answer.status, await answer.json()]).toEqual([200, { status: 'ignored', reason: 'script', route: 'gh' }]);
    expect((await gateway.settled()).reason).toBe(reason);
    expect(await (await gateway.post('gh', { text: 'hi' }, { 'x-github-delivery': 'd' })).json()).toMatchObject({
      status: 'duplicate',
    });
    expect(gateway.runs.length).toBe(0);
  });

  test('with retry_on_script_failure a failure is 503 and the id stays free', async () => {
    await using gateway = await withScripts({ script: 'x.sh', retry_on_script_failure: true }, { 'x.sh': 'exit 1' });
    const headers = { 'x-github-delivery': 'd' };
    const failed = await gateway.post('gh', { text: 'hi' }, headers);
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '30']);
    await writeFile(join(gateway.home, 'scripts', 'x.sh'), 'echo plain text');
    expect(await (await gateway.post('gh', { text: 'hi' }, headers)).json()).toMatchObject({ status: 'accepted' });
    await gateway.settled();
    expect(gateway.runs[0]?.prompt).toBe('hi plain text');
  });

  test('two equal deliveries at once run the script once', async () => {
    await using gateway = await withScripts({ script: 'x.sh' }, { 'x.sh': `echo run >> "$AGENT_HOME/count"; echo ok` });
    const headers = { 'x-github-delivery': 'd' };
    await Promise.all([1, 2, 3].map(() => gateway.post('gh', { text: 'hi' }, headers)));
    expect(await Bun.file(join(gateway.home, 'count')).text()).toBe('run\n');
  });
});

describe('direct delivery', () => {
  const direct = {
    secret: 'secret',
    prompt: 'Alert: {text}',
    deliver: 'telegram',
    deliver_only: true,
    deliver_extra: { chat_id: '{chat}' },
  };

  test('success is 200, without an agent run', async () => {
    await using gateway = await startGateway({ routes: { alert: direct } });
    const answer = await gateway.post('alert', { text: 'disk', chat: -100 }, { 'x-github-delivery': 'd' });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'delivered', route: 'alert', target: 'telegram', delivery_id: 'd' },
    ]);
    expect(gateway.deliveries).toMatchObject([
      { target: 'telegram', content: 'Alert: disk', extra: { chat_id: '-100' } },
    ]);
    expect(gateway.runs.length).toBe(0);
  });

  test('failure is 502 and the retry delivers under the same delivery id', async () => {
    let isUp = false;
    await using gateway = await startGateway({
      routes: { alert: direct },
      deliver: async () =>
        isUp
          ? { ok: true }
          : { ok: false, code: 'target_unreachable', message: 'Telegram answered 500.', retryable: true },
    });
    const headers = { 'x-github-delivery': 'd' };
    const failed = await gateway.post('alert', { text: 'disk' }, headers);
    expect([failed.status, await failed.json()]).toEqual([
      502,
      { status: 'error', error: 'Delivery failed', delivery_id: 'd' },
    ]);
    expect((await gateway.settled()).reason).toBe('target_unreachable: Telegram answered 500.');
    isUp = true;
    expect(await (await gateway.post('alert', { text: 'disk' }, headers)).json()).toMatchObject({
      status: 'delivered',
    });
    expect(await (await gateway.post('alert', { text: 'disk' }, headers)).json()).toMatchObject({
      status: 'duplicate',
    });
    expect(new Set(gateway.deliveries.map((delivery) => delivery.deliveryId)).size).toBe(1);
    expect(gateway.deliveries.length).toBe(2);
    expect((await gateway.settled()).attempts).toBe(2);
  });

  test('parts that arrived before the failure are not sent again', async () => {
    let attempt = 0;
    await using gateway = await startGateway({
      routes: { alert: direct },
      async deliver(request) {
        if (attempt++ > 0) return { ok: true };
        await request.onProgress?.(2);
        return { ok: false, code: 'target_failed', message: 'x', retryable: true, progress: 2 };
      },
    });
    const headers = { 'x-github-delivery': 'd' };
    await gateway.post('alert', { text: 'long' }, headers);
    await gateway.post('alert', { text: 'long' }, headers);
    expect(gateway.deliveries.map((delivery) => delivery.progress)).toEqual([0, 2]);
  });

  test('direct routes need a signature and a real target', async () => {
    await using gateway = await startGateway({ routes: { alert: direct, bad: { ...direct, deliver: 'log' } } });
    expect((await fetch(`${gateway.url}/webhooks/alert`, { method: 'POST', body: '{}' })).status).toBe(401);
    expect((await gateway.post('bad', {})).status).toBe(404);
    expect(gateway.logged.join()).toContain('deliver_only without a real deliver target');
  });
});

describe('what never happens', () => {
  test('10,000 levels upset no filter, script, template or run', async () => {
    await using gateway = await startGateway({
      routes: {
        gh: {
          ...gh,
          prompt: '{a} {__raw__}',
          script: 'x.sh',
          filters: [
            { field: 'a', contains: 'a' },
            { field: 'a', regex: 'a' },
            { field: 'a', not_equals: { a: 1 } },
          ],
        },
      },
    });
    await mkdir(join(gateway.home, 'scripts'));
    await writeFile(join(gateway.home, 'scripts', 'x.sh'), 'cat');
    const answer = await gateway.post('gh', `${'{"a":'.repeat(9999)}{}${'}'.repeat(9999)}`);
    expect(await answer.json()).toMatchObject({ status: 'accepted' });
    expect(await gateway.settled()).toMatchObject({ status: 'delivered' });
    expect(gateway.runs[0]?.prompt.length).toBeLessThan(7000);
    expect((await gateway.post('gh', `${'{"a":'.repeat(100_000)}{}${'}'.repeat(100_000)}`)).status).toBe(400);
  });

  test('payload values and secrets are not logged', async () => {
    await using gateway = await startGateway({
      routes: { gh: { ...gh, prompt: '{token}' } },
      run: async () => ({ status: 'failed', code: 'model_failed', message: 'No.', retryable: false }),
    });
    await gateway.post('gh', { token: 'PAYLOAD-VALUE' });
    await gateway.post('gh', { token: 'PAYLOAD-VALUE' }, { 'x-hub-signature-256': 'sha256=PAYLOAD-VALUE' });
    await gateway.post('gh', '{"token": PAYLOAD-VALUE');
    await gateway.settled();
    expect(gateway.logged.length).toBeGreaterThan(0);
    expect(gateway.logged.join()).not.toContain('PAYLOAD-VALUE');
    expect(gateway.logged.join()).not.toContain('secret":"secret');
  });

  test('hostile headers are 401, never 500', async () => {
    await using gateway = await startGateway({ routes: { gh } });
    const { port } = new URL(gateway.url);
    for (const header of [
      'X-Hub-Signature-256: sha256=\xe9\xff',
      'Svix-Signature: v1,\xff\xfe',
      'Authorization: Bearer \xc3\x28',
      'Stripe-Signature: t=1,v1',
    ]) {
      const answer = await raw(
        Number(port),
        `POST /webhooks/gh HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\n${header}\r\n\r\n{}`,
      );
      expect(answer).toStartWith('HTTP/1.1 401');
    }
  });

  test('a length header that lies does not reach the agent', async () => {
    await using gateway = await startGateway({ routes: { gh }, webhook: { max_body_bytes: 1000 } });
    const { port } = new URL(gateway.url);
    const head = 'POST /webhooks/gh HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
    expect(await raw(Number(port), `${head}Content-Length: 5000\r\n\r\n{}`)).toStartWith('HTTP/1.1 413');
    expect(await raw(Number(port), `${head}Content-Length: -1\r\n\r\n{}`)).toStartWith('HTTP/1.1 400');
    expect(await raw(Number(port), `${head}Content-Length: 1\r\n\r\n{}`)).toStartWith('HTTP/1.1 401');
    expect(gateway.runs.length).toBe(0);
  });

  test('a script folder that is a file or unreadable ignores the event', async () => {
    await using gateway = await startGateway({ routes: { gh: { ...gh, script: 'x.sh' } } });
    await writeFile(join(gateway.home, 'scripts'), 'a file');
    await chmod(join(gateway.home, 'scripts'), 0);
    expect(await (await gateway.post('gh', { a: 1 })).json()).toMatchObject({ status: 'ignored', reason: 'script' });
  });
});

function raw(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(request, 'latin1')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}
