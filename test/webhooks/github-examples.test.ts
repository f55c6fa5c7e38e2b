import { expect, test } from 'bun:test';
import examples from '@octokit/webhooks-examples';
import { sign } from '@octokit/webhooks-methods';
import { startGateway } from './gateway.ts';

test('every GitHub example payload is accepted, typed and templated', async () => {
  await using gateway = await startGateway({
    routes: {
      all: {
        secret: 'secret',
        prompt: '{event_type}|{action}|{repository.full_name}|{sender.login}|{sender}|{__raw__}',
      },
      plain: { secret: 'secret' },
    },
    webhook: { max_concurrency: 16 },
  });
  let count = 0;
  // Some examples are the same body twice. GitHub does not sign the delivery id, so the second one is a repetition.
  const seen = new Set<string>();
  for (const { name, examples: payloads } of examples as unknown as {
    name: string;
    examples: Record<string, unknown>[];
  }[]) {
    for (const payload of payloads) {
      const body = JSON.stringify(payload);
      const headers = {
        'content-type': 'application/json',
        'x-github-event': name,
        'x-github-delivery': crypto.randomUUID(),
        'x-hub-signature-256': await sign('secret', body),
      };
      for (const route of ['all', 'plain']) {
        const answer = await fetch(`${gateway.url}/webhooks/${route}`, { method: 'POST', body, headers });
        expect(answer.status).toBe(200);
        if (seen.has(body)) {
          expect(await answer.json()).toMatchObject({ status: 'duplicate' });
          continue;
        }
        expect(await answer.json()).toMatchObject({ status: 'accepted', event: name });
        count++;
      }
      seen.add(body);
    }
  }
  expect(count).toBeGreaterThan(600);
  for (let tries = 0; gateway.deliveries.length < count && tries < 2000; tries++) await Bun.sleep(5);
  expect(gateway.runs.length).toBe(count);
  for (const run of gateway.runs) {
    if (run.route === 'plain') {
      expect(run.prompt).toMatch(/^Webhook event '\w+' on route 'plain':\n\n```json\n\{/);
      continue;
    }
    expect(run.prompt).not.toContain('{event_type}');
    expect(run.prompt).not.toContain('{__raw__}');
    expect(run.prompt.length).toBeLessThan(7000);
  }
  const statuses = new Set(gateway.store.list({ limit: count }).map((line) => line.status));
  expect([...statuses]).toEqual(['delivered']);
}, 30_000);
