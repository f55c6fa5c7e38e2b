import { expect, test } from 'bun:test';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { findDescendants } from '../../src/lib/process-tree.ts';
import { BUN, hasBubblewrap, PATH } from './mcp-places.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const isRoot = process.getuid?.() === 0;

/** In front of a program: root has too many rights to be kept out, so it starts both sides without them. */
const weak = isRoot ? ['bwrap', '--dev-bind', '/', '/', '--cap-drop', 'ALL', '--die-with-parent', '--'] : [];

/** Reads a file of `/proc` as another program of the same user. */
function readAsSameUser(path: string): { status: number | null; text: string } {
  const { exitCode, stdout } = Bun.spawnSync([...weak, 'cat', path], { env: { PATH } });
  return { status: exitCode, text: stdout.toString('latin1') };
}

/** The program itself, behind what was put in front of it. */
async function programOf(pid: number, word: string): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    for (const candidate of [pid, ...(await findDescendants(pid))]) {
      const [, ...words] = readFileSync(`/proc/${candidate}/cmdline`, 'latin1').split('\0');
      if (words.includes(word) && !words.includes('--cap-drop')) return candidate;
    }
    await Bun.sleep(20);
  }
  throw new Error('the program did not start');
}

/** Starts the server from its source and waits for its address. */
async function serve(env: Record<string, string>, prefix: string[] = []) {
  const home = mkdtempSync(join(tmpdir(), 'agent-closed-'));
  const child = Bun.spawn([...prefix, BUN, '--no-env-file', MAIN, 'serve', '--port', '0', '--json'], {
    env: { PATH, HOME: home, AGENT_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const reader = child.stdout.getReader();
  let text = '';
  while (!text.includes('}')) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the server ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  return {
    pid: await programOf(child.pid, MAIN),
    home,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await child.exited;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

test.if(process.platform === 'linux' && (hasBubblewrap || !isRoot))(
  'environment and memory of the server are closed to programs of its own user, those of others are not',
  async () => {
    await using server = await serve({ OPENAI_API_KEY: 'hunter2' }, weak);
    for (const file of ['environ', 'mem', 'maps', 'auxv'])
      expect([file, readAsSameUser(`/proc/${server.pid}/${file}`)]).toEqual([file, { status: 1, text: '' }]);
    const child = Bun.spawn([...weak, 'sleep', '60.25'], { env: { PATH, MARK: 'readable' } });
    const pid = await programOf(child.pid, '60.25');
    expect(readAsSameUser(`/proc/${pid}/environ`).text).toContain('MARK=readable');
    child.kill('SIGKILL');
    await child.exited;
  },
  20_000,
);

test.if(process.platform === 'linux' && isRoot)(
  'secrets leave the environment the server was started with, so that root does not find them there either',
  async () => {
    await using server = await serve({
      OPENAI_API_KEY: 'hunter2',
      MY_SERVICE_TOKEN: 'hunter2',
      AGENT_DATABASE_URL: 'sqlite:other.db?hunter2',
      LC_NAME: 'kept',
    });
    const environ = await Bun.file(`/proc/${server.pid}/environ`).text();
    expect(environ).toContain('LC_NAME=kept');
    expect(environ).not.toContain('hunter2');
  },
  20_000,
);

test('secrets are forgotten only when they came from the process, and what was read stays', async () => {
  const home = mkdtempSync(join(tmpdir(), 'agent-closed-'));
  chmodSync(home, 0o700);
  writeFileSync(
    join(home, 'config.yaml'),
    'models: { basic: { api_key: "${SOME_SECRET}", model: m, base_url: "http://127.0.0.1:9" } }\n',
  );
  const script = `
    import { loadConfig } from ${JSON.stringify(join(import.meta.dir, '../../src/config/load.ts'))};
    const given = await loadConfig({ env: { AGENT_HOME: process.env.AGENT_HOME, SOME_SECRET: 'x' } });
    given.forgetSecrets();
    const kept = process.env.SOME_SECRET;
    const loaded = await loadConfig();
    const names = loaded.forgetSecrets();
    console.log(JSON.stringify({ kept, names, left: process.env.SOME_SECRET ?? null, path: process.env.PATH,
      key: loaded.config.models.basic.api_key, environment: loaded.environment.SOME_SECRET }));`;
  const child = Bun.spawnSync([BUN, '--no-env-file', '-e', script], {
    env: { PATH, AGENT_HOME: home, SOME_SECRET: 'hunter2', SLACK_WEBHOOK_URL: 'https://hooks.example/x' },
  });
  rmSync(home, { recursive: true });
  const answer = JSON.parse(child.stdout.toString());
  expect(answer).toMatchObject({ kept: 'hunter2', left: null, path: PATH, key: 'hunter2', environment: 'hunter2' });
  expect(answer.names.toSorted()).toEqual(['SLACK_WEBHOOK_URL', 'SOME_SECRET']);
});

test('a configuration of a test or of another process is not forgotten', async () => {
  expect((await loadConfig({ env: { OPENAI_API_KEY: 'x' } })).forgetSecrets()).toEqual([]);
});
