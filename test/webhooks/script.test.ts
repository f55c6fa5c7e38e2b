import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runScript, type ScriptInput } from '../../src/webhooks/script.ts';
import { resolveScript } from '../../src/webhooks/script-path.ts';
import { stillRunning } from '../helpers/processes.ts';

let home = '';
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'scripts-'));
  await mkdir(join(home, 'scripts/sub'), { recursive: true });
  await writeFile(join(home, 'outside.sh'), 'echo outside');
  await symlink(join(home, 'outside.sh'), join(home, 'scripts/link.sh'));
  await symlink(home, join(home, 'scripts/linkdir'));
  await symlink(join(home, 'scripts/loop.sh'), join(home, 'scripts/loop.sh'));
  await writeFile(join(home, 'scripts/ok.sh'), 'cat');
  await symlink(join(home, 'scripts/ok.sh'), join(home, 'scripts/inner-link.sh'));
  await chmod(join(home, 'scripts/ok.sh'), 0o444);
  await writeFile(join(home, 'scripts/sub/ok.py'), 'print("from sub")');
});
afterAll(() => rm(home, { recursive: true, force: true }));

async function run(text: string, options: Partial<ScriptInput> = {}, name = 'x.sh') {
  await writeFile(join(home, 'scripts', name), text);
  return runScript({
    home,
    script: name,
    payload: { a: 1 },
    route: 'gh',
    eventType: 'push',
    deliveryId: 'd1',
    timeoutMs: 5000,
    environment: {
      PATH: process.env['PATH'],
      HOME: '/root',
      LANG: 'C.UTF-8',
      OPENAI_API_KEY: 'sk-secret',
      WEBHOOK_SECRET: 's',
    },
    ...options,
  });
}

describe('resolveScript', () => {
  test.each([
    ['ok.sh', 'ok'],
    ['sub/ok.py', 'ok'],
    ['./sub/../ok.sh', 'ok'],
    ['inner-link.sh', 'ok'],
    ['absent.sh', 'missing'],
    ['sub', 'missing'],
    ['loop.sh', 'missing'],
    ['ok.sh/x', 'missing'],
    ['link.sh', 'outside'],
    ['linkdir/outside.sh', 'outside'],
    ['../outside.sh', 'outside'],
    ['sub/../../outside.sh', 'outside'],
    ['/etc/passwd', 'outside'],
    ['', 'outside'],
    ['.', 'outside'],
    ['a\0.sh', 'outside'],
  ])('%p is %s', async (script, expected) => {
    const found = await resolveScript(home, script);
    expect(found.ok ? 'ok' : found.code).toBe(expected as 'ok');
  });

  test('an absolute path inside the folder is fine', async () => {
    expect((await resolveScript(home, join(home, 'scripts/ok.sh'))).ok).toBe(true);
  });
});

describe('what comes out', () => {
  test('the payload arrives on stdin and a JSON object replaces it', async () => {
    expect(await run('cat')).toEqual({ outcome: 'continue', payload: { a: 1 } });
    expect(await run('import sys,json; print(json.dumps({"n": json.load(sys.stdin)["a"] + 1}))', {}, 'x.py')).toEqual({
      outcome: 'continue',
      payload: { n: 2 },
    });
  });

  test.each([
    ['echo hello world', { a: 1, script_output: 'hello world' }],
    ['echo "[1, 2]"', { a: 1, script_output: '[1, 2]' }],
    ['echo 42', { a: 1, script_output: '42' }],
  ])('other text joins the payload: %p', async (text, payload) => {
    expect(await run(text)).toEqual({ outcome: 'continue', payload: payload as unknown as Record<string, unknown> });
  });

  test('a script without a run bit runs, stderr is not output', async () => {
    expect(await run('echo noise >&2')).toEqual({ outcome: 'ignored', reason: 'empty' });
    expect(await run('', { script: 'ok.sh' })).toEqual({ outcome: 'continue', payload: { a: 1 } });
  });

  test('a large payload that is not read is no failure', async () => {
    expect(await run('echo fine', { payload: { text: 'x'.repeat(900_000) } })).toMatchObject({ outcome: 'continue' });
  });
});

describe('what a script sees', () => {
  test('words of the sender that would end a variable are escaped', async () => {
    const result = await run('printf "%s|" "$WEBHOOK_EVENT_TYPE" "$WEBHOOK_DELIVERY_ID"', {
      eventType: 'push\0\nx\ud800',
      deliveryId: '\u001b[2J',
    });
    expect(result).toMatchObject({ payload: { script_output: 'push\\u0000\\nx\ufffd|\\u001b[2J|' } });
  });

  test('only the environment of the contract', async () => {
    const result = await run('env -0 | tr "\\0" "\\n" | cut -d= -f1 | sort | tr "\\n" " "');
    const names = String(result.outcome === 'continue' && result.payload['script_output']).split(' ');
    const own = names.filter((name) => !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name));
    expect(own).toEqual([
      'AGENT_HOME',
      'HOME',
      'LANG',
      'PATH',
      'WEBHOOK_DELIVERY_ID',
      'WEBHOOK_EVENT_TYPE',
      'WEBHOOK_ROUTE',
    ]);
    expect(await run('echo "$WEBHOOK_ROUTE $WEBHOOK_EVENT_TYPE $WEBHOOK_DELIVERY_ID $AGENT_HOME"')).toMatchObject({
      payload: { script_output: `gh push d1 ${home}` },
    });
  });
});

describe('scripts that misbehave', () => {
  test('one that hangs is killed with its children', async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const start = performance.now();
    const result = await run(`bash -c "exec -a ${mark} sleep 60" & sleep 60`, { timeoutMs: 300 });
    expect(result).toEqual({ outcome: 'failed', reason: 'timeout' });
    expect(performance.now() - start).toBeLessThan(3000);
    expect(await stillRunning(mark)).toEqual([]);
  });

  test('a child left behind does not hold up the answer and is killed', async () => {
    const mark = `mark-${crypto.randomUUID()}`;
    const start = performance.now();
    const result = await run(`bash -c "exec -a ${mark} sleep 60" & echo done`);
    expect(result).toMatchObject({ outcome: 'continue', payload: { script_output: 'done' } });
    expect(performance.now() - start).toBeLessThan(3000);
    expect(await stillRunning(mark)).toEqual([]);
  });

  test('one that floods stdout is stopped', async () => {
    expect(await run('yes')).toEqual({ outcome: 'failed', reason: 'output_too_large' });
  });

  test('an abort ends it', async () => {
    const stopping = new AbortController();
    const running = run('sleep 60', { signal: stopping.signal });
    setTimeout(() => stopping.abort(new DOMException('stop', 'AbortError')), 30);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('missing, outside and failing ones say so', async () => {
    expect(await run('', { script: 'absent.sh' })).toEqual({ outcome: 'failed', reason: 'missing' });
    expect(await run('', { script: '../outside.sh' })).toEqual({ outcome: 'failed', reason: 'outside' });
    expect(await run('exit 7')).toEqual({ outcome: 'failed', reason: 'exit', exitCode: 7 });
    expect(await run('kill -9 $$')).toMatchObject({ outcome: 'failed', reason: 'exit' });
  });
});
