import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { signRequest } from '../../src/webhooks/sign.ts';
import { type ServingBinary, startBinary } from '../e2e/serve.ts';
import { completeResponse, rawExchange } from '../helpers/raw-http.ts';

const MB = 1 << 20;
const OPEN_BODIES = 400;
/** What the default cap of open bodies (32 MB) and the allocator's slack may take. */
const ROOM_BYTES = 200 * MB;

let agent: ServingBinary;
const sockets: Socket[] = [];
beforeAll(async () => {
  agent = await startBinary({
    config: JSON.stringify({
      platforms: {
        webhook: {
          enabled: true,
          host: '127.0.0.1',
          port: 0,
          rate_limit: 0,
          routes: {
            gh: { secret: 'secret', prompt: 'x', events: ['nothing'] },
            lab: { secret: 'secret', prompt: 'x', events: ['nothing'], scheme: 'gitlab' },
          },
        },
      },
    }),
  });
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await agent?.[Symbol.asyncDispose]();
});

async function memoryBytes(): Promise<number> {
  const status = await readFile(`/proc/${agent.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

const port = () => Number(new URL(agent.webhooksUrl as string).port);

/** Opens requests whose bodies lack the last byte; the statuses of those that are answered all the same come in later. */
async function openBodies(headers: string): Promise<number[]> {
  const part = Buffer.alloc(MB - 1, 120);
  const statuses: number[] = [];
  await Promise.all(
    Array.from({ length: OPEN_BODIES }, async () => {
      const socket = connect(port(), '127.0.0.1');
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (data) => statuses.push(Number(data.toString('latin1').split(' ', 2)[1])));
      socket.write(`POST /webhooks/gh HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`);
      await new Promise((resolve) => socket.write(part, resolve));
    }),
  );
  return statuses;
}

function post(body: string) {
  const headers = signRequest('github', 'secret', { body, id: '', nowMs: Date.now() });
  return fetch(`${agent.webhooksUrl}/webhooks/gh`, { method: 'POST', body, headers });
}

const SIGNATURE = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`;

describe.skipIf(process.platform !== 'linux')(
  `${OPEN_BODIES} open bodies of a megabyte with what could be a signature`,
  () => {
    test.each([
      ['of announced length', `Content-Length: ${MB}\r\n`],
      ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${MB.toString(16)}`],
    ])('%s fill no memory and hold up no signed event', async (_name, framing) => {
      expect((await post('{"a":1}')).status).toBe(200);
      const before = await memoryBytes();
      const statuses = await openBodies(`${SIGNATURE}${framing}`);
      for (let round = 0; round < 20; round++) {
        const answer = await post(JSON.stringify({ round, pad: 'x'.repeat(20_000) }));
        expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('ignored')]);
      }
      // Those that had to make room are told so.
      for (let tries = 0; statuses.length < OPEN_BODIES - 100 && tries < 250; tries++) await Bun.sleep(20);
      expect(statuses.length).toBeGreaterThanOrEqual(OPEN_BODIES - 100);
      expect(new Set(statuses)).toEqual(new Set([503]));
      expect((await memoryBytes()) - before).toBeLessThan(ROOM_BYTES);
      for (const socket of sockets.splice(0)) socket.destroy();
    });
  },
);

test.each([
  ['no signature', 'gh', ''],
  ['what cannot be a signature', 'gh', 'X-Hub-Signature-256: sha256=short\r\n'],
  ['a wrong token', 'lab', 'X-Gitlab-Token: wrong\r\n'],
  ['the signature of another scheme than the pinned one', 'lab', SIGNATURE],
])('a request with %s is refused before its body is read', async (_name, route, headers) => {
  const answer = await rawExchange(
    port(),
    [`POST /webhooks/${route} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${MB}\r\n\r\n`],
    { done: completeResponse },
  );
  expect(answer).toStartWith('HTTP/1.1 401');
});
