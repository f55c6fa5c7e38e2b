import { afterEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { type PoolCall, WorkerPool, type WorkerPoolOptions } from '../../src/lib/worker-pool.ts';
import type { TestOperations } from './test.worker.ts';

const pools: { stop(): void }[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.stop();
});

function createPool(options: Partial<WorkerPoolOptions> = {}, kind: 'thread' | 'process' = 'process') {
  const source = { kind, moduleUrl: import.meta.url, path: 'lib/test' };
  const pool = new WorkerPool<TestOperations>({ source, size: 1, ...options });
  pools.push(pool);
  return pool;
}

const never = new AbortController().signal;
const exceeded = (limit: string) => new AppError(`limit of ${limit}`, { code: limit, category: 'user', status: 422 });
const call = (changes: Partial<PoolCall> = {}): PoolCall => ({
  signal: never,
  timeoutMs: 20_000,
  exceeded,
  ...changes,
});
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error as AppError,
  );

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await Bun.sleep(10);
}

describe.each(['thread', 'process'] as const)('a pool of workers, each a %s', (kind) => {
  test('answers every call with its own answer, and uses a worker again', async () => {
    const pool = createPool({ size: 2 }, kind);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => pool.call('echo', { index }, call())));
    expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => ({ index })));
  });

  test('passes bytes both ways', async () => {
    const pool = createPool({}, kind);
    expect(await pool.call('echo', new Uint8Array([1, 2, 3]), call())).toEqual(new Uint8Array([1, 2, 3]));
    expect((await pool.call('bytes', 5_000_000, call())).bytes.byteLength).toBe(5_000_000);
  });

  test('throws the errors of the work; the text of unexpected ones stays inside', async () => {
    const pool = createPool({}, kind);
    expect(await failureOf(pool.call('refuse', undefined, call()))).toMatchObject({ code: 'run_ended', status: 409 });
    const failure = await failureOf(pool.call('fail', undefined, call()));
    expect(failure).toMatchObject({ code: 'internal_error', message: 'Internal server error' });
    expect(String(failure?.cause)).toContain('secret detail');
  });

  test('kills the worker of an aborted call and goes on with the next', async () => {
    const pool = createPool({}, kind);
    const leave = new AbortController();
    const reason = new Error('left');
    const busy = failureOf(pool.call('work', 60_000, call({ signal: leave.signal })));
    const next = pool.call('echo', 'next', call());
    leave.abort(reason);
    expect(await busy).toBe(reason as AppError);
    expect(await next).toBe('next');
  });

  test('lets a waiting call leave without a word to the worker', async () => {
    const pool = createPool({}, kind);
    const leave = new AbortController();
    const first = pool.call('work', 50, call());
    const second = failureOf(pool.call('echo', 'second', call({ signal: leave.signal })));
    expect(pool.waiting).toBe(1);
    leave.abort(new Error('left'));
    expect((await second)?.message).toBe('left');
    expect(pool.waiting).toBe(0);
    expect(await first).toBe('worked');
  });

  test('refuses what would wait too long, with the words of the caller', async () => {
    const pool = createPool({ maxWaiting: 1 }, kind);
    const first = pool.call('work', 50, call());
    const second = pool.call('echo', 2, call());
    const third = failureOf(pool.call('echo', 3, call({ busy: () => new Error('come back later') })));
    expect((await third)?.message).toBe('come back later');
    expect(await Promise.all([first, second])).toEqual(['worked', 2]);
  });

  test('refuses what is under way when it stops, and can start again', async () => {
    const pool = createPool({}, kind);
    const calls = [pool.call('work', 60_000, call()), pool.call('echo', 1, call())].map(failureOf);
    pool.stop();
    pool.stop();
    for (const failure of await Promise.all(calls)) expect(failure?.code).toBe('worker_stopped');
    expect(await pool.call('echo', 'again', call())).toBe('again');
  });
});

describe('a worker that is a process', () => {
  test('has no environment, so neither keys nor tokens', async () => {
    expect(await createPool().call('environment', undefined, call())).toEqual([]);
  });

  test('is killed at its time also inside a regular expression, and replaced', async () => {
    const pool = createPool();
    const pid = await pool.call('pid', undefined, call());
    const started = performance.now();
    const failure = await failureOf(pool.call('backtrack', undefined, call({ timeoutMs: 50 })));
    expect(failure?.code).toBe('time');
    await untilGone(pid);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await pool.call('pid', undefined, call())).not.toBe(pid);
  });

  test.if(process.platform === 'linux')('is killed when it grows beyond its memory', async () => {
    const pool = createPool();
    const pid = await pool.call('pid', undefined, call());
    const failure = await failureOf(pool.call('grow', undefined, call({ memoryBytes: 400_000_000 })));
    expect(failure?.code).toBe('memory');
    await untilGone(pid);
    expect(await pool.call('echo', 'next', call())).toBe('next');
  });

  test('that breaks costs its own call only', async () => {
    const pool = createPool();
    expect((await failureOf(pool.call('crash', undefined, call())))?.code).toBe('crash');
    expect(await pool.call('echo', 'next', call())).toBe('next');
  });

  test('ends when it was idle for a while', async () => {
    const pool = createPool({ idleMs: 1 });
    await untilGone(await pool.call('pid', undefined, call()));
    expect(await pool.call('echo', 'again', call())).toBe('again');
  });

  test('does not outlive the process that asked, busy as it may be', async () => {
    const script = `
      import { WorkerPool } from ${JSON.stringify(join(import.meta.dir, '../../src/lib/worker-pool.ts'))};
      const source = { kind: 'process', moduleUrl: ${JSON.stringify(import.meta.url)}, path: 'lib/test' };
      const pool = new WorkerPool({ source, size: 1 });
      const call = { signal: new AbortController().signal, timeoutMs: 60_000, exceeded: Error };
      console.log(await pool.call('pid', undefined, call));
      pool.call('backtrack', undefined, call).catch(() => {});
      setTimeout(() => process.exit(0), 20);`;
    const { stdout } = Bun.spawnSync([process.execPath, '--no-env-file', '-e', script]);
    await untilGone(Number(stdout.toString()));
  });
});

describe('calls that take for ever', () => {
  const fair = { size: 2, turnMs: 200 };

  test.each([2, 3, 6])('%i of them hold up each other, but not the rest', async (count) => {
    const pool = createPool(fair);
    const endless = Array.from({ length: count }, () => failureOf(pool.call('backtrack', undefined, call())));
    const quick = await Promise.all(Array.from({ length: 6 }, (_, index) => pool.call('echo', index, call())));
    expect(quick).toEqual([0, 1, 2, 3, 4, 5]);
    pool.stop();
    for (const failure of await Promise.all(endless)) expect(failure?.code).toBe('worker_stopped');
  });

  test('a long one is started again beside the others when its place is needed, and comes to its end', async () => {
    const pool = createPool({ ...fair, size: 1 });
    const endless = failureOf(pool.call('backtrack', undefined, call({ timeoutMs: 1_000 })));
    const long = pool.call('work', 400, call());
    expect(await pool.call('echo', 'quick', call())).toBe('quick');
    expect((await endless)?.code).toBe('time');
    expect(await long).toBe('worked');
  });

  test('only so many wait for their second turn; the rest are told that there is too much to do', async () => {
    const pool = createPool({ ...fair, turnMs: 50 });
    const calls = Array.from({ length: 14 }, () =>
      failureOf(pool.call('work', 60_000, call({ busy: () => new Error('too much') }))),
    );
    await pool.call('echo', 'quick', call());
    pool.stop();
    const messages = (await Promise.all(calls)).map((failure) => failure?.message);
    expect(messages.filter((message) => message === 'too much').length).toBeGreaterThanOrEqual(3);
  });

  test('nobody is disturbed while nobody waits', async () => {
    const pool = createPool({ ...fair, size: 1 });
    const pid = await pool.call('pid', undefined, call());
    expect(await pool.call('work', 400, call())).toBe('worked');
    expect(await pool.call('pid', undefined, call())).toBe(pid);
  });
});
