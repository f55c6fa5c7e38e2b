import { expect, test } from 'bun:test';
import { startGateway } from './gateway.ts';

/** Rows: what a route says, and whether its runs read private documents. */
const ROUTES: [string, Record<string, unknown>, boolean][] = [
  ['a log only the owner reads', { deliver: 'log' }, true],
  ['a home channel', { deliver: 'telegram' }, true],
  ['a channel the owner wrote', { deliver: 'slack', deliver_extra: { chat_id: 'C123' } }, true],
  [
    'an issue number in a repository the owner wrote',
    {
      deliver: 'github_comment',
      deliver_extra: { repo: 'me/private', pr_number: '{number}' },
    },
    true,
  ],
  ['a subject from the event', { deliver: 'email', deliver_extra: { to: 'me@example.org', subject: '{title}' } }, true],
  ['the place the event came from', { deliver: 'origin' }, false],
  [
    'a repository the event names',
    { deliver: 'github_comment', deliver_extra: { repo: '{repository.full_name}' } },
    false,
  ],
  ['an address the event names', { deliver: 'email', deliver_extra: { to: '{sender.email}' } }, false],
  ['a chat the event names', { deliver: 'telegram', deliver_chat_id: '{chat}' }, false],
  ['the place the event came from, with the owner’s word', { deliver: 'origin', knowledge: true }, true],
  ['a log, closed by the owner', { deliver: 'log', knowledge: false }, false],
];

test('runs read private documents only where the owner says who reads the answer', async () => {
  const routes = Object.fromEntries(
    ROUTES.map(([, route], index) => [`route${index}`, { secret: 'secret', prompt: 'Do it', ...route }]),
  );
  await using gateway = await startGateway({ routes });
  for (const [index, [name, , reads]] of ROUTES.entries()) {
    const response = await gateway.post(`route${index}`, { number: index });
    expect([name, response.status]).toEqual([name, 200]);
    await gateway.settled();
    expect([name, gateway.runs.at(-1)?.route, gateway.runs.at(-1)?.withoutKnowledge ?? false]).toEqual([
      name,
      `route${index}`,
      !reads,
    ]);
  }
});

test('tools are approved in config.yaml only, and the target learns what the owner wrote', async () => {
  const route = {
    secret: 'secret',
    prompt: 'Do it',
    deliver: 'webhook',
    deliver_extra: { url: 'https://a.example/{id}' },
  };
  await using gateway = await startGateway({ routes: { a: { ...route, approved_tools: ['web_search'] } } });
  await gateway.post('a', { id: 7 });
  await gateway.settled();
  expect(gateway.runs[0]?.approvedTools).toEqual(['web_search']);
  expect(gateway.deliveries[0]).toMatchObject({
    extra: { url: 'https://a.example/7' },
    extraTemplate: { url: 'https://a.example/{id}' },
  });
  const dynamic = JSON.stringify({ b: { ...route, approved_tools: ['web_search'] } });
  await Bun.write(`${gateway.home}/webhook_subscriptions.json`, dynamic);
  while ((await gateway.post('b', { id: 8 })).status === 404) await Bun.sleep(20);
  await gateway.settled();
  expect(gateway.runs.at(-1)).toMatchObject({ route: 'b' });
  expect(gateway.runs.at(-1)?.approvedTools).toBeUndefined();
});
