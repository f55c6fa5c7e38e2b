import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { messageChunk, toolCallResult } from '../../src/research/wire.ts';
import type { Workflow } from '../../src/runs/model.ts';
import { isDeadOwner } from '../../src/runs/owner.ts';
import { RunService } from '../../src/runs/service.ts';
import { createStore } from '../../src/store/create-store.ts';

async function setup(workflow: Workflow, leaseMs = 15_000) {
  const home = await mkdtemp(join(tmpdir(), 'agent-takeover-'));
  const store = createStore({ url: 'sqlite:agent.db', home, clock: systemClock });
  await store.start();
  const service = () =>
    new RunService({
      store,
      workflows: { test: workflow },
      clock: systemClock,
      log: silentLogger,
      maxActive: 2,
      leaseMs,
      workerConcurrency: 2,
    });
  return {
    store,
    service,
    async [Symbol.asyncDispose]() {
      await store.stop();
      await rm(home, { recursive: true });
    },
  };
}

const identity = { threadId: 't', agent: 'coordinator', id: 'msg_1' } as const;
const chunk = (content: string) => messageChunk(identity, { content });

const work: Workflow = async function* (_input, { journal }) {
  if (!journal.has('one')) yield { event: chunk('one'), journal: [{ key: 'one', value: 1 }] };
  yield { event: chunk('two') };
  return { status: 'completed' };
};

const orphan = (id: string, onDisconnect: 'continue' | 'cancel', owner: string) => ({
  id,
  threadId: 't',
  kind: 'test',
  status: 'running' as const,
  input: '{}',
  onDisconnect,
  owner,
  leaseUntil: Date.now() + 60_000,
});

const deadOwner = () => {
  const [host] = [require('node:os').hostname()];
  return `${host}:999999999:dead`;
};

test('runs of a dead process go on when asked for, and fail when nobody waits for them', async () => {
  await using env = await setup(work);
  await env.store.runs.create(orphan('goes-on', 'continue', deadOwner()), { journal: [{ key: 'one', value: 1 }] });
  await env.store.runs.create(orphan('fails', 'cancel', deadOwner()));
  const runs = env.service();
  await runs.start();
  await runs.settled('goes-on');
  expect((await env.store.runs.get('goes-on'))?.status).toBe('completed');
  const data = JSON.stringify(chunk('two').data);
  expect(await env.store.runs.events('goes-on', 0, 10)).toEqual([{ seq: 1, type: 'message_chunk', data }]);
  expect(await env.store.runs.get('fails')).toMatchObject({ status: 'failed', errorCode: 'server_restarted' });
  await runs.stop();
});

test('a run of a living process is left alone until its lease ends', async () => {
  await using env = await setup(work);
  const alive = `${require('node:os').hostname()}:${process.ppid}:alive`;
  await env.store.runs.create(orphan('theirs', 'continue', alive));
  const runs = env.service();
  await runs.start();
  expect((await env.store.runs.get('theirs'))?.status).toBe('running');
  await env.store.runs.update('theirs', { leaseUntil: Date.now() - 1 });
  await runs.stop();
  const next = env.service();
  await next.start();
  await next.settled('theirs');
  expect((await env.store.runs.get('theirs'))?.status).toBe('completed');
  await next.stop();
});

test('a submitted run is worked on once, whoever looks first', async () => {
  let count = 0;
  await using env = await setup(async function* () {
    count++;
    yield { event: chunk('x') };
    return { status: 'completed' };
  });
  const [first, second] = [env.service(), env.service()];
  await Promise.all([first.start(), second.start()]);
  const run = await first.submit({ kind: 'test', threadId: 't', input: {}, onDisconnect: 'continue' });
  while ((await env.store.runs.get(run.id))?.status !== 'completed') await Bun.sleep(5);
  await Promise.all([first.stop(), second.stop()]);
  expect(count).toBe(1);
});

test('a run that was taken over too often is given up', async () => {
  await using env = await setup(work);
  await env.store.runs.create(orphan('poison', 'continue', deadOwner()));
  for (let attempt = 0; attempt < 5; attempt++) {
    const run = await env.store.runs.get('poison');
    if (run) await env.store.runs.claim(run, deadOwner(), Date.now() + 60_000);
  }
  const runs = env.service();
  await runs.start();
  expect(await env.store.runs.get('poison')).toMatchObject({ status: 'failed', errorCode: 'too_many_restarts' });
  await runs.stop();
});

test('a request from another process cancels a run at the next sign of life', async () => {
  const never: Workflow = async function* (_input, { signal }) {
    yield { event: chunk('x') };
    await systemClock.sleep(60_000, signal);
    return { status: 'completed' };
  };
  await using env = await setup(never, 750);
  const [worker, other] = [env.service(), env.service()];
  await worker.start();
  const run = await worker.begin({ kind: 'test', threadId: 't', input: {}, onDisconnect: 'continue' });
  expect(await other.cancel(run.id)).toBe(true);
  await worker.settled(run.id);
  expect((await env.store.runs.get(run.id))?.status).toBe('cancelled');
  await worker.stop();
});

test('over the limit of active runs a request is refused with 503', async () => {
  const never: Workflow = async function* (_input, { signal }) {
    yield {};
    await systemClock.sleep(60_000, signal);
    return { status: 'completed' };
  };
  await using env = await setup(never);
  const runs = env.service();
  await runs.start();
  const begin = () => runs.begin({ kind: 'test', threadId: 't', input: {}, onDisconnect: 'cancel' });
  await begin();
  await begin();
  await expect(begin()).rejects.toMatchObject({ code: 'overloaded', status: 503 });
  await runs.stop();
});

test('an event over the size cap is cut with a mark and stays valid JSON', async () => {
  const big: Workflow = async function* () {
    yield { event: toolCallResult(identity, 'x', '界'.repeat(400_000)) };
    return { status: 'completed' };
  };
  await using env = await setup(big);
  const runs = env.service();
  await runs.start();
  const run = await runs.begin({ kind: 'test', threadId: 't', input: {}, onDisconnect: 'cancel' });
  await runs.settled(run.id);
  const [event] = await env.store.runs.events(run.id, 0, 1);
  expect(Buffer.byteLength(event?.data ?? '')).toBeLessThan(512 * 1024);
  const data = JSON.parse(event?.data ?? '');
  expect(data.tool_call_id).toBe('x');
  expect(data.content).toEndWith('… [cut]');
  await runs.stop();
});

test('an owner is dead only when it was a process of this machine that is gone', () => {
  const host = require('node:os').hostname();
  const self = `${host}:${process.pid}:aaaa`;
  expect(isDeadOwner(self, self)).toBe(false);
  expect(isDeadOwner(`${host}:${process.pid}:bbbb`, self)).toBe(true);
  expect(isDeadOwner(`${host}:${process.ppid}:bbbb`, self)).toBe(false);
  expect(isDeadOwner(`${host}:999999999:bbbb`, self)).toBe(true);
  expect(isDeadOwner('elsewhere:999999999:bbbb', self)).toBe(false);
});
