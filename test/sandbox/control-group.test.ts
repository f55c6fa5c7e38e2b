import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SOURCE = join(import.meta.dir, '../../src/sandbox/control-group.ts');
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const uid = isRoot ? NOBODY : process.getuid?.();
const folder = mkdtempSync(join(tmpdir(), 'agent-cgroup-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Shown {
  membership?: string;
  owner?: number;
  controllers?: string;
  processes?: string;
}

/** Files as the kernel shows them, for a user who is not root; what is made there is made by the code. */
function openGroup({ membership = '0::/unit', owner = uid!, controllers = 'cpu memory pids', processes = '' }: Shown) {
  const mount = mkdtempSync(join(folder, 'case-'));
  const base = join(mount, 'unit');
  mkdirSync(base);
  const files = {
    'cgroup.procs': processes,
    'cgroup.controllers': `${controllers}\n`,
    'cgroup.subtree_control': '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(base, name), text);
  writeFileSync(join(mount, 'membership'), `${membership}\n`);
  if (isRoot)
    for (const path of [mount, base, ...Object.keys(files).map((name) => join(base, name))])
      chownSync(path, owner, owner);
  const script = `
    import { ControlGroups } from ${JSON.stringify(SOURCE)};
    const groups = new ControlGroups(${JSON.stringify({ membership: join(mount, 'membership'), mount })});
    const group = await groups.open({ memoryBytes: 1000, processes: 7 });
    console.log(JSON.stringify(group?.enter ?? null));`;
  const asNobody = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  const words = [...asNobody, process.execPath, '--no-env-file', '-e', script];
  const { stdout, stderr } = Bun.spawnSync(words, { cwd: '/', env: { HOME: folder, PATH: '/usr/bin:/bin' } });
  expect(stderr.toString()).toBe('');
  return { enter: JSON.parse(stdout.toString()) as string[] | null, base };
}

describe.if(process.platform === 'linux' && (!isRoot || Bun.which('setpriv') !== null))('control groups', () => {
  test('one that was delegated to us gets a group with the limits of the call', () => {
    const { enter, base } = openGroup({});
    expect(readFileSync(join(base, 'cgroup.subtree_control'), 'utf8')).toBe('+memory +pids');
    expect(enter?.slice(0, 3)).toEqual(['/bin/sh', '-c', 'echo 0 >"$0" && exec "$@"']);
    const group = enter![3]!.replace(/\/cgroup\.procs$/, '');
    expect(group).toStartWith(`${base}/python-`);
    expect(readFileSync(join(group, 'memory.max'), 'utf8')).toBe('1000');
    expect(readFileSync(join(group, 'pids.max'), 'utf8')).toBe('7');
  });

  test('our own processes lie in a group beside it', () => {
    expect(openGroup({ membership: '0::/unit/agent-server' }).enter?.[3]).toContain('/unit/python-');
  });

  test.each<[string, Shown]>([
    ['of the first version', { membership: '4:memory:/unit\n9:name=systemd:/unit' }],
    ['that is not there', { membership: '0::/elsewhere' }],
    ['without the controllers', { controllers: 'cpu pids' }],
    ['with processes that are not ours', { processes: '1\n' }],
    ...(isRoot ? [['of somebody else', { owner: 0 }] as [string, Shown]] : []),
  ])('one %s is left alone', (_what, shown) => {
    const { enter, base } = openGroup(shown);
    expect(enter).toBeNull();
    expect(readFileSync(join(base, 'cgroup.subtree_control'), 'utf8')).toBe('');
  });
});
