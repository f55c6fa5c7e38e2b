import { describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureHome, isSharedFolder, resolveHome } from '../../src/config/home.ts';
import { type LoadConfigOptions, loadConfig } from '../../src/config/load.ts';
import { AppError } from '../../src/errors.ts';
import { homeFolder } from './home-folder.ts';

function load(files: Record<string, string>, env: Record<string, string> = {}, options: LoadConfigOptions = {}) {
  return loadConfig({ env: { AGENT_HOME: homeFolder(files), ...env }, ...options });
}

async function problemsOf(files: Record<string, string>, env: Record<string, string> = {}): Promise<string[]> {
  try {
    await load(files, env);
  } catch (error) {
    if (error instanceof AppError && error.code === 'config_invalid')
      return (error.errors ?? []).map(({ path, message }) => `${path} ${message}`);
    throw error;
  }
  return [];
}

describe('layers', () => {
  test('an empty home gives the defaults', async () => {
    const { config, origins } = await load({});
    expect(config.server.port).toBe(8000);
    expect(config.server.host).toBe('127.0.0.1');
    expect(config.models).toEqual({});
    expect(config.server.api_token).toBeUndefined();
    expect(origins.size).toBe(0);
  });

  test('file, .env, environment and flags win in this order', async () => {
    const files = {
      'config.yaml': 'server:\n  port: 1\n  host: file\n  heartbeat_seconds: 7\nlog:\n  level: warn\n',
      '.env': 'AGENT_PORT=2\nAGENT_HOST=dotenv\nAGENT_LOG_LEVEL=error\n',
    };
    const { config, origins } = await load(
      files,
      { AGENT_PORT: '3', AGENT_HOST: 'environment' },
      { flags: { server: { port: 4 } } },
    );
    expect(config.server).toMatchObject({ port: 4, host: 'environment', heartbeat_seconds: 7 });
    expect(config.log.level).toBe('error');
    expect(origins.get('server.port')?.label).toBe('flag');
    expect(origins.get('server.host')?.label).toBe('environment (AGENT_HOST)');
    expect(origins.get('log.level')?.label).toBe('.env:3 (AGENT_LOG_LEVEL)');
    expect(origins.get('server.heartbeat_seconds')?.label).toBe('config.yaml:4');
  });

  test('the .env of the working directory is not read', async () => {
    const before = process.cwd();
    const elsewhere = homeFolder({ '.env': 'AGENT_PORT=1234\n' });
    process.chdir(elsewhere);
    try {
      expect((await load({})).config.server.port).toBe(8000);
    } finally {
      process.chdir(before);
    }
  });

  test('mappings are merged and lists replaced', async () => {
    const { config } = await load(
      { 'config.yaml': 'server:\n  allowed_origins: [a, b]\n  port: 5\n' },
      { ALLOWED_ORIGINS: 'http://c' },
    );
    expect(config.server.allowed_origins).toEqual(['http://c']);
    expect(config.server.port).toBe(5);
  });

  test('an empty variable counts as not set', async () => {
    const { config } = await load({ '.env': 'OPENAI_API_KEY=\nAGENT_PORT=\n' }, { AGENT_API_TOKEN: '' });
    expect(config.models.basic).toBeUndefined();
    expect(config.server.port).toBe(8000);
    expect(config.server.api_token).toBeUndefined();
  });

  test('the first named variable of a key wins', async () => {
    const env = { BASIC_MODEL__model: 'first', OPENAI_MODEL: 'second' };
    expect((await load({}, env)).config.models.basic?.model).toBe('first');
    expect((await load({}, { BASIC_MODEL__MODEL: 'capitals' })).config.models.basic?.model).toBe('capitals');
  });

  test('loading twice gives equal values that are not shared', async () => {
    const first = await load({});
    first.config.server.allowed_origins.push('http://x');
    expect((await load({})).config.server.allowed_origins).toEqual(['http://localhost:3000']);
  });

  test('the environment handed on is the process over .env', async () => {
    const { environment } = await load({ '.env': 'A=dotenv\nB=dotenv\n' }, { A: 'process' });
    expect(environment).toMatchObject({ A: 'process', B: 'dotenv' });
  });
});

describe('coercion', () => {
  const booleans: [string, boolean][] = [
    ['true', true],
    ['1', true],
    ['YES', true],
    ['on', true],
    ['false', false],
    ['0', false],
    ['No', false],
    ['off', false],
  ];
  test.each(booleans)('AGENT_INSECURE=%s is %p', async (text, expected) => {
    expect((await load({}, { AGENT_INSECURE: text })).config.server.insecure).toBe(expected);
  });

  test('comma lists are split and trimmed', async () => {
    const { config } = await load({}, { ALLOWED_ORIGINS: ' http://a , http://b,, ' });
    expect(config.server.allowed_origins).toEqual(['http://a', 'http://b']);
  });

  test('YAML gives quoted numbers, unquoted ids and a single item where the meaning is plain', async () => {
    const { config } = await load({
      'config.yaml': 'server:\n  port: "81"\n  allowed_origins: http://a\n  api_token: 123456\n',
    });
    expect(config.server).toMatchObject({ port: 81, allowed_origins: ['http://a'], api_token: '123456' });
  });

  test('words of a choice may be in capitals', async () => {
    expect((await load({}, { AGENT_LOG_LEVEL: 'DEBUG' })).config.log.level).toBe('debug');
  });

  const bad: [variable: string, text: string, expected: RegExp][] = [
    [
      'AGENT_PORT',
      'abc',
      /^server\.port is "abc", which is not allowed; it must be an integer from 0 to 65535\. \[environment \(AGENT_PORT\)\]$/,
    ],
    ['AGENT_PORT', '80.5', /^server\.port is 80\.5/],
    ['AGENT_PORT', '70000', /^server\.port is 70000/],
    ['AGENT_PORT', '0x50', /^server\.port is "0x50"/],
    ['AGENT_INSECURE', 'maybe', /^server\.insecure is "maybe".*true or false/],
    ['AGENT_LOG_LEVEL', 'loud', /^log\.level is "loud".*one of debug, info, warn, error, silent/],
  ];
  test.each(bad)('%s=%s is a problem', async (variable, text, expected) => {
    const problems = await problemsOf({}, { [variable]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(expected);
  });
});

describe('problems', () => {
  test('all are reported together with their lines', async () => {
    const yaml =
      'server:\n  prot: 1\n  port: x\nlog:\n  level: loud\nmodels:\n  basic:\n    base_url: http://m\nnonsense: 1\n';
    const problems = await problemsOf({ 'config.yaml': yaml, '.env': 'AGENT_INSECURE=perhaps\n' });
    expect(problems).toHaveLength(6);
    const all = problems.join('\n');
    expect(all).toContain('server.prot is not a known key; did you mean port? [config.yaml:2]');
    expect(all).toContain('server.port is "x"');
    expect(all).toContain('[config.yaml:3]');
    expect(all).toContain('log.level is "loud"');
    expect(all).toContain('models.basic.base_url is set but the model is not; set OPENAI_MODEL');
    expect(all).toContain('[.env:1 (AGENT_INSECURE)]');
    expect(all).toMatch(/nonsense is not a known key \(known sections: server, log/);
  });

  test('a key at the wrong level names its place', async () => {
    const [problem] = await problemsOf({ 'config.yaml': 'api_token: x\n' });
    expect(problem).toContain('did you mean server.api_token?');
  });

  test('an unknown key inside a list item is found', async () => {
    const yaml = 'models:\n  basic:\n    model: m\n    fallback:\n      - model: a\n        max_tokens: many\n';
    const problems = await problemsOf({ 'config.yaml': yaml });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain('models.basic.fallback.0.max_tokens');
  });

  test('__proto__ is refused where any name may stand', async () => {
    const yaml = 'platforms:\n  webhook:\n    routes:\n      __proto__:\n        polluted: yes\n';
    expect((await problemsOf({ 'config.yaml': yaml })).join('\n')).toContain('routes.__proto__ is not a known key');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('aliases that multiply are refused', async () => {
    const level = (name: string, of: string) => `${name}: &${name} [${Array(10).fill(`*${of}`).join(', ')}]`;
    const yaml = ['a: &a [x, x]', level('b', 'a'), level('c', 'b'), level('d', 'c'), ''].join('\n');
    expect((await problemsOf({ 'config.yaml': yaml })).join('\n')).toContain('config.yaml is not usable');
  });

  test('values of secrets are not repeated', async () => {
    const yaml = 'server:\n  api_token: [tok-123456]\nmodels:\n  basic: sk-abcdef\n';
    const problems = (await problemsOf({ 'config.yaml': yaml })).join('\n');
    expect(problems).toContain('server.api_token');
    expect(problems).toContain('models.basic');
    expect(problems).not.toContain('tok-123456');
    expect(problems).not.toContain('sk-abcdef');
  });

  const files: [name: string, text: string, expected: RegExp][] = [
    ['a list', '- a\n- b\n', /must be a mapping of sections/],
    ['a word', 'hello\n', /must be a mapping of sections/],
    ['broken YAML', 'server:\n  port: [1\n', /is not valid YAML: .*\[config\.yaml:\d+\]/],
    ['a key twice', 'server: {}\nserver: {}\n', /Map keys must be unique.*\[config\.yaml:2\]/i],
    ['a tab as indent', 'server:\n\tport: 1\n', /is not valid YAML/],
    ['a section that is a word', 'server: here\n', /server has a value that is not allowed; it must be a mapping/],
    ['an alias to nothing', 'server: *x\n', /config\.yaml/],
  ];
  test.each(files)('%s as config.yaml is a problem', async (_name, text, expected) => {
    expect((await problemsOf({ 'config.yaml': text })).join('\n')).toMatch(expected);
  });

  test('config.yaml that is a folder or no text is a problem', async () => {
    const home = homeFolder();
    mkdirSync(join(home, 'config.yaml'));
    writeFileSync(join(home, '.env'), new Uint8Array([0x41, 0x3d, 0xff, 0xfe]));
    const failure = (await loadConfig({ env: { AGENT_HOME: home } }).catch((error) => error)) as AppError;
    expect(failure.message).toContain('cannot be read (EISDIR)');
    expect(failure.message).toContain('.env is not UTF-8 text');
  });

  const fine: [name: string, text: string][] = [
    ['empty', ''],
    ['only comments', '# nothing\n#server:\n'],
    ['a byte order mark', '\uFEFFserver:\n  port: 8000\n'],
    ['sections without keys', 'server:\nmodels:\n  basic:\n'],
    ['CRLF', 'server:\r\n  port: 8000\r\n'],
  ];
  test.each(fine)('config.yaml may be: %s', async (_name, text) => {
    expect((await load({ 'config.yaml': text })).config.server.port).toBe(8000);
  });
});

describe('substitution', () => {
  test('variables come from the environment, then .env, then the fallback', async () => {
    const yaml = 'server:\n  host: ${HOST_A}\n  port: ${PORT_A}\n  api_token: "x-${TOKEN_A}-${TOKEN_B:-b}"\n';
    const { config, origins } = await load(
      { 'config.yaml': yaml, '.env': 'HOST_A=dotenv\nPORT_A=99\n' },
      { HOST_A: 'process', TOKEN_A: 'a' },
    );
    expect(config.server).toMatchObject({ host: 'process', port: 99, api_token: 'x-a-b' });
    expect(origins.get('server.port')?.label).toBe('config.yaml:3');
  });

  test('every missing variable is named with its line', async () => {
    const problems = await problemsOf({ 'config.yaml': 'server:\n  host: ${NOT_SET_A}\n  api_token: ${NOT_SET_B}\n' });
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain('${NOT_SET_A} is used but NOT_SET_A is not set');
    expect(problems[0]).toContain('[config.yaml:2]');
    expect(problems[1]).toContain('NOT_SET_B');
  });

  test('a missing variable hides no other problem and makes none of its own', async () => {
    const yaml =
      'server:\n  api_token: ${NOT_SET_A}\n  prot: 80\nmodels:\n  basic: {model: m, api_key: "k-${NOT_SET_B}"}\n';
    const problems = await problemsOf({ 'config.yaml': yaml }, { SEARCH_API: 'Tavily, google' });
    expect(problems).toHaveLength(4);
    expect(problems[0]).toContain('NOT_SET_A is not set');
    expect(problems[1]).toContain('NOT_SET_B is not set');
    expect(problems[2]).toContain('server.prot is not a known key; did you mean port?');
    expect(problems[3]).toStartWith('search.engines has "google", which is not allowed; each must be one of tavily,');
    expect(problems[3]).toEndWith('[environment (SEARCH_API)]');
  });

  test('$${ stays literal, comments and keys are left alone', async () => {
    const yaml = '# ${NOT_SET}\nserver:\n  api_token: "$${NOT_SET} $5 ${"\n';
    expect((await load({ 'config.yaml': yaml })).config.server.api_token).toBe('${NOT_SET} $5 ${');
  });

  test('a substituted value is text, never YAML', async () => {
    const { config } = await load({ 'config.yaml': 'server:\n  api_token: ${T}\n' }, { T: 'a: b\nc: d' });
    expect(config.server.api_token).toBe('a: b\nc: d');
  });
});

describe('model rules', () => {
  test('an OpenAI key alone means gpt-4o-mini', async () => {
    const { config } = await load({}, { OPENAI_API_KEY: 'sk-1' });
    expect(config.models.basic).toEqual({ api_key: 'sk-1', model: 'gpt-4o-mini' });
  });

  test('a base URL without a model names OPENAI_MODEL', async () => {
    const problems = await problemsOf({}, { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_API_KEY: 'k' });
    expect(problems).toEqual([
      'models.basic.base_url is set but the model is not; set OPENAI_MODEL or models.basic.model to the name the endpoint knows. [environment (OPENAI_BASE_URL)]',
    ]);
  });

  test('another role without a model names its variable', async () => {
    const [problem] = await problemsOf({}, { REASONING_MODEL__api_key: 'k' });
    expect(problem).toContain('REASONING_MODEL__model');
  });

  test('a model alone is enough', async () => {
    expect((await load({}, { OPENAI_MODEL: 'm' })).config.models.basic).toEqual({ model: 'm' });
  });
});

describe('home', () => {
  test.each([
    [{ HOME: '/u', AGENT_HOME: '' }, undefined, '/u/.agent'],
    [{ HOME: '/u', AGENT_HOME: '/a' }, undefined, '/a'],
    [{ HOME: '/u', AGENT_HOME: '/a' }, '/b', '/b'],
    [{ HOME: '/u', AGENT_HOME: '~/x' }, undefined, '/u/x'],
    [{ HOME: '/u', AGENT_HOME: '~' }, undefined, '/u'],
    [{ HOME: '/u', AGENT_HOME: 'rel' }, undefined, join(process.cwd(), 'rel')],
  ])('%o with override %p is %s', (env, override, expected) => {
    expect(resolveHome(env, override)).toBe(expected);
  });

  test("is its owner's only, whoever made it", async () => {
    const home = join(homeFolder(), 'deep', 'home');
    expect(await ensureHome(home)).toBe(true);
    expect(statSync(home).mode & 0o777).toBe(0o700);
    chmodSync(home, 0o777);
    expect(await ensureHome(home)).toBe(true);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  test('that others use too keeps its mode, and the answer says so', async () => {
    const home = join(homeFolder(), 'tmp');
    mkdirSync(home);
    chmodSync(home, 0o1777);
    expect(await ensureHome(home)).toBe(false);
    expect(statSync(home).mode & 0o7777).toBe(0o1777);
    for (const shared of ['/', '/srv', '/var', dirname(homedir())]) expect(isSharedFolder(shared)).toBe(true);
    for (const own of [homedir(), '/data', '/srv/agent', '/var/lib/agent']) expect(isSharedFolder(own)).toBe(false);
  });

  test.if(process.getuid?.() === 0)('of another user keeps its mode, and the answer says so', async () => {
    const home = join(homeFolder(), 'theirs');
    mkdirSync(home);
    chmodSync(home, 0o755);
    chownSync(home, 12345, 12345);
    expect(await ensureHome(home)).toBe(false);
    expect(statSync(home).mode & 0o777).toBe(0o755);
  });

  test('that cannot be created says so', async () => {
    const file = join(homeFolder({ file: '' }), 'file', 'home');
    expect(ensureHome(file)).rejects.toThrow(/cannot be created \(ENOTDIR\); set AGENT_HOME/);
  });

  test('loading does not create it', async () => {
    const home = join(homeFolder(), 'none');
    await loadConfig({ env: { AGENT_HOME: home } });
    expect(() => statSync(home)).toThrow();
  });
});
