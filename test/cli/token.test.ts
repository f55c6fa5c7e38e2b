import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCommand } from '../../src/cli/index.ts';
import { weaknessOf } from '../../src/config/api-token.ts';
import { runWords } from './run-cli.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agent-token-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const token = (...words: string[]) => runWords(rootCommand, ['token', ...words], { env: { AGENT_HOME: home } });
const dotenv = () => readFileSync(join(home, '.env'), 'utf8');

describe('a token', () => {
  const rows: [token: string, weakness: RegExp | undefined][] = [
    ['0123456789abcdef', undefined],
    ['Zm9v+/=._~-Zm9v!', undefined],
    ['0123456789abcde', /^has 15 characters; at least 16 are needed$/],
    ['x', /^has 1 character;/],
    ['', /^has 0 characters;/],
    ['a token with spaces in it', /no client can send/],
    ['tökentökentökentöken', /no client can send/],
    ['0123456789abcdef\n', /no client can send/],
    ['0123456789abcdef\ud800', /no client can send/],
    ['0123456789abcdef\0', /no client can send/],
  ];
  test.each(rows)('%j: %p', (text, weakness) => {
    if (weakness) expect(weaknessOf(text)).toMatch(weakness);
    else expect(weaknessOf(text)).toBeUndefined();
  });
});

describe('agent token', () => {
  test('generates one, prints it alone on stdout and stores it closed', async () => {
    writeFileSync(join(home, '.env'), 'AGENT_LOG_LEVEL=warn\n');
    const { status, stdout, stderr } = await token();
    expect(status).toBe(0);
    expect(stdout).toMatch(/^[\w-]{43}\n$/);
    expect(dotenv()).toBe(`AGENT_LOG_LEVEL=warn\nAGENT_API_TOKEN=${stdout}`);
    expect(statSync(join(home, '.env')).mode & 0o777).toBe(0o600);
    expect(stderr).toContain('Stored as AGENT_API_TOKEN');
  });

  test.each(['short', '0123456789abcde', 'with a space in the middle'])(
    'refuses %j, offers a generated one and stores nothing',
    async (weak) => {
      const { status, stdout, stderr } = await token(`--token=${weak}`);
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^The token (has|holds) .* or take this: --token=[\w-]{43}\n$/);
      expect(() => dotenv()).toThrow('ENOENT');
      const offered = /--token=\S+/.exec(stderr)?.[0] as string;
      expect(await token(offered)).toMatchObject({ status: 0, stdout: `${offered.slice('--token='.length)}\n` });
    },
  );

  test('keeps the present one unless it is told to replace it', async () => {
    const first = (await token()).stdout;
    const refused = await token();
    expect(refused).toMatchObject({ status: 1, stdout: '' });
    expect(refused.stderr).toBe('There is a token already (.env:1 (AGENT_API_TOKEN)); --replace makes another one.\n');
    const second = JSON.parse((await token('--replace', '--json')).stdout);
    expect(second.file).toBe(join(home, '.env'));
    expect(`${second.token}\n`).not.toBe(first);
    expect(dotenv()).toBe(`AGENT_API_TOKEN=${second.token}\n`);
  });

  test('says so when the environment wins', async () => {
    const env = { AGENT_HOME: home, AGENT_API_TOKEN: 'from-the-environment' };
    const { status, stderr } = await runWords(rootCommand, ['token', '--replace'], { env });
    expect(status).toBe(0);
    expect(stderr).toContain('AGENT_API_TOKEN of the environment wins');
  });
});

describe('a weak token that is configured already', () => {
  const rows: [env: Record<string, string>, line: RegExp][] = [
    [{ AGENT_API_TOKEN: 'short' }, /^WARN {2}server +The API token has 5 characters; at least 16 are needed\.$/m],
    [{ AGENT_API_TOKEN: 'not sendable as it is' }, /^WARN {2}server +The API token holds characters/m],
    [{ AGENT_API_TOKEN: '0123456789abcdef' }, /^OK {4}server +The API asks for its token\.$/m],
    [{}, /^OK {4}server +The API has no token and is for this machine only\.$/m],
    [{ AGENT_HOST: '0.0.0.0' }, /^FAIL {2}server +The API will not start on 0\.0\.0\.0 without a token\.$/m],
    [{ AGENT_HOST: '0.0.0.0', AGENT_INSECURE: 'true' }, /^WARN {2}server +Anyone who reaches 0\.0\.0\.0/m],
  ];
  test.each(rows)('doctor judges %j', async (settings, line) => {
    const env = { AGENT_HOME: home, DUCKDUCKGO_BASE_URL: 'http://127.0.0.1:9', ...settings };
    const { stdout } = await runWords(rootCommand, ['doctor'], { env });
    expect(stdout).toMatch(line);
    expect(stdout).not.toContain('short');
  });

  test('the server starts with a warning and still asks for the token', async () => {
    const child = Bun.spawn([process.execPath, MAIN, 'serve', '--port', '0'], {
      env: { PATH: Bun.env['PATH'] ?? '', HOME: home, AGENT_HOME: home, AGENT_API_TOKEN: 'shorty' },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const { value } = await child.stdout.getReader().read();
    const url = /http:\/\/[\d.:]+/.exec(new TextDecoder().decode(value))?.[0];
    expect((await fetch(`${url}/api/config`)).status).toBe(401);
    expect((await fetch(`${url}/api/config`, { headers: { authorization: 'Bearer shorty' } })).status).toBe(200);
    child.kill('SIGTERM');
    const log = await new Response(child.stderr).text();
    expect(log).toContain('the API token has 6 characters; at least 16 are needed');
    expect(log).not.toContain('shorty');
    expect(await child.exited).toBe(0);
  });
});
