import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../../src/main.ts');
const IS_ROOT = process.getuid?.() === 0;
let folder = '';
let home = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-modes-'));
  home = join(folder, 'home');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `agent` as a process of its own, under a umask of its own. */
function start(words: string[], umask = '000') {
  return Bun.spawn(['sh', '-c', `umask ${umask}; exec "$0" "$@"`, process.execPath, MAIN, ...words], {
    cwd: folder,
    env: {
      PATH: Bun.env['PATH'] ?? '',
      HOME: folder,
      AGENT_HOME: home,
      AGENT_PORT: '0',
      DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function agent(words: string[], umask?: string) {
  const child = start(words, umask);
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { status: await child.exited, stdout, stderr };
}

/** Modes of everything at and below the home that are wider than 0700 and 0600. */
function openToOthers(path = home): string[] {
  const { mode } = lstatSync(path);
  const inside = lstatSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => openToOthers(join(path, name)))
    : [];
  return [...(mode & 0o077 ? [`${path} ${(mode & 0o777).toString(8)}`] : []), ...inside];
}

const modeOf = (path: string) => (statSync(path).mode & 0o7777).toString(8);

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

describe('under umask 0, in a folder that others made open', () => {
  test('everything that commands and the gateway write is closed, while they run and after', async () => {
    mkdirSync(home);
    chmodSync(home, 0o777);
    const note = join(folder, 'note.md');
    writeFileSync(note, '# Tides\n\nThe Moon raises the tides.\n');
    const done = async (words: string[]) => {
      const result = await agent(words);
      expect([words, result.status, result.stderr]).toEqual([words, 0, expect.any(String)]);
      expect(openToOthers()).toEqual([]);
    };
    await done(['knowledge', 'add', note]);
    await done(['research', 'What raises the tides?', '--no-web']);
    const port = freePort();
    await done(['gateway', 'setup', '--yes', '--port', String(port)]);
    await done(['webhook', 'subscribe', 'a', '--deliver', 'log', '--prompt', 'Say {text}']);
    const gateway = start(['gateway', 'run']);
    try {
      const reader = gateway.stdout.getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toContain('http://');
      await done(['webhook', 'test', 'a', '--payload', '{"text":"hi"}']);
      expect(readdirSync(home)).toContain('agent.db-wal');
      expect(readdirSync(home)).toContain('webhooks.db-wal');
      await done(['doctor']);
    } finally {
      gateway.kill('SIGTERM');
      await gateway.exited;
    }
    expect(openToOthers()).toEqual([]);
    writeFileSync(join(home, 'webhook_subscriptions.json'), 'no JSON');
    chmodSync(join(home, 'webhook_subscriptions.json'), 0o600);
    expect((await agent(['webhook', 'list'])).stderr).toContain('A backup is in');
    expect(openToOthers()).toEqual([]);
  }, 60_000);

  test('files that the user names follow the umask of the user, and keep their mode when they are there', async () => {
    const out = join(folder, 'out.pptx');
    writeFileSync(join(folder, 'report.md'), '# Tides\n\nThe Moon.\n');
    expect((await agent(['slides', 'report.md', '-o', out], '000')).status).toBe(0);
    expect(modeOf(out)).toBe('666');
    const other = join(folder, 'answer.md');
    expect((await agent(['research', 'tides', '--no-web', '--out', other], '027')).status).toBe(0);
    expect(modeOf(other)).toBe('640');
    chmodSync(out, 0o604);
    expect((await agent(['slides', 'report.md', '-o', out], '077')).status).toBe(0);
    expect(modeOf(out)).toBe('604');
  }, 60_000);
});

describe('agent doctor --fix', () => {
  /** A home with an open file, an open script, an open folder, and a link that leads out of it. */
  function makeOpenHome(): { outside: string } {
    const outside = join(folder, 'outside');
    writeFileSync(outside, 'not ours');
    chmodSync(outside, 0o644);
    mkdirSync(join(home, 'scripts'), { recursive: true });
    writeFileSync(join(home, '.env'), 'AGENT_LOG_LEVEL=warn\n');
    writeFileSync(join(home, 'scripts/run.sh'), 'echo hi\n');
    chmodSync(home, 0o755);
    chmodSync(join(home, '.env'), 0o644);
    chmodSync(join(home, 'scripts'), 0o775);
    chmodSync(join(home, 'scripts/run.sh'), 0o4755);
    symlinkSync(outside, join(home, 'link'));
    symlinkSync(folder, join(home, 'scripts/circle'));
    return { outside };
  }

  test('without --fix it names what is open and changes nothing', async () => {
    makeOpenHome();
    const { status, stdout } = await agent(['doctor']);
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^WARN {2}home +Modes let other users of this machine into 4 files and folders \(.* has 755\)/m,
    );
    expect(stdout).toContain(`chmod 600 ${home}/.env\n`);
    expect(stdout).toContain('agent doctor --fix');
    expect(modeOf(join(home, '.env'))).toBe('644');
    expect(modeOf(home)).toBe('755');
  });

  test('it closes everything in the home, says what it closed, and follows no link out of it', async () => {
    const { outside } = makeOpenHome();
    const { status, stdout } = await agent(['doctor', '--fix']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^OK {4}home +Closed 4 files and folders to other users:$/m);
    expect(stdout).toContain(`${home}/.env: mode 644 → 600\n`);
    expect(stdout).toContain(`${home}/scripts/run.sh: mode 4755 → 700\n`);
    expect(openToOthers().filter((line) => !/\/(link|circle) /.test(line))).toEqual([]);
    expect(modeOf(join(home, 'scripts/run.sh'))).toBe('700');
    expect(modeOf(outside)).toBe('644');
    const again = await agent(['doctor', '--fix', '--json']);
    const { findings } = JSON.parse(again.stdout) as { findings: { area: string; message: string }[] };
    expect(findings.filter(({ area }) => area === 'home').map(({ message }) => message)).toEqual([
      `${home} is private and writable.`,
    ]);
  });

  test.if(IS_ROOT)(
    'root takes strange files for the owner of the home, but no second name of a file outside',
    async () => {
      makeOpenHome();
      const owner = 12345;
      for (const path of ['', '.env', 'scripts', 'scripts/run.sh']) chownSync(join(home, path), owner, owner);
      const strange = join(home, 'agent.db.bak');
      writeFileSync(strange, '');
      const secret = join(folder, 'secret');
      writeFileSync(secret, 'root only');
      chmodSync(secret, 0o640);
      linkSync(secret, join(home, 'hard-link'));
      const before = await agent(['doctor']);
      expect(before.stdout).toMatch(/WARN {2}home +In .* other users than 12345 own 2 files and folders\./);
      const { stdout } = await agent(['doctor', '--fix']);
      expect(stdout).toContain(`${strange}: mode 644 → 600, taken from user 0`);
      expect(statSync(strange)).toMatchObject({ uid: owner, gid: owner });
      expect(statSync(secret)).toMatchObject({ uid: 0, gid: 0 });
      expect(modeOf(secret)).toBe('640');
      expect(stdout).toMatch(/WARN {2}home +In .* own one file or folder\./);
    },
  );

  test('what package managers write into the folder of an MCP server is judged by that folder', async () => {
    const cache = join(home, 'cache/mcp/0a1b2c');
    mkdirSync(join(cache, 'npm'), { recursive: true });
    writeFileSync(join(cache, 'npm/index.js'), '');
    for (const path of [join(cache, 'npm'), join(cache, 'npm/index.js')]) chmodSync(path, 0o755);
    for (const path of [home, join(home, 'cache'), join(home, 'cache/mcp'), cache]) chmodSync(path, 0o700);
    expect((await agent(['doctor'])).stdout).toContain(`${home} is private and writable.`);
    chmodSync(cache, 0o755);
    expect((await agent(['doctor', '--fix'])).stdout).toContain(`${cache}: mode 755 → 700`);
    expect([modeOf(cache), modeOf(join(cache, 'npm/index.js'))]).toEqual(['700', '755']);
  });

  test('it leaves a folder alone that others use too', async () => {
    mkdirSync(home);
    chmodSync(home, 0o1777);
    writeFileSync(join(home, 'theirs'), '');
    chmodSync(join(home, 'theirs'), 0o666);
    const { stdout } = await agent(['doctor', '--fix']);
    expect(stdout).toContain('is a folder that others use too');
    expect(modeOf(join(home, 'theirs'))).toBe('666');
    expect(modeOf(home)).toBe('1777');
  });
});
