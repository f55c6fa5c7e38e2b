import { afterAll, describe, expect, test } from 'bun:test';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { programFolders } from '../../src/mcp/program-folders.ts';
import { type SandboxPlan, sandboxCommand } from '../../src/mcp/sandbox-command.ts';
import { foldersForRequests, foldersNamed } from '../../src/mcp/shared-folders.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'agent-folders-')));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const file = (path: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
  return join(root, path);
};
const folder = (path: string) => {
  mkdirSync(join(root, path), { recursive: true });
  return join(root, path);
};
const user = folder('user');
const home = folder('user/.agent');
const docs = folder('user/docs');
const note = file('user/docs/note.txt');
const inHome = folder('user/.agent/files');
const config = file('user/.agent/config.yaml');
const packaged = file('user/app/node_modules/pkg/dist/index.js');
const project = file('user/project/src/server.py');
file('user/project/pyproject.toml');
const loose = file('user/loose.js');
const topmost = file('user/data.db');

describe('the folders that arguments name', () => {
  test.each([
    ['a folder', [docs], [{ path: docs, writable: true }]],
    ['behind a flag', [`--root=${docs}`], [{ path: docs, writable: true }]],
    ['as an address of a file', [`file://${note}`], [{ path: docs, writable: true }]],
    ['a file: the folder it lies in', [note], [{ path: docs, writable: true }]],
    ['a file that is still to be made: its folder', [join(docs, 'new.db')], [{ path: docs, writable: true }]],
    ['a file to be made in a home: nothing', [join(user, 'new.db'), join(home, 'new.db'), join(inHome, 'new.db')], []],
    ['a script: all packages', [packaged], [{ path: join(root, 'user/app/node_modules'), writable: false }]],
    ['a script: its project', [project], [{ path: join(root, 'user/project'), writable: false }]],
    ['a script beside the home of a user: itself', [loose], [{ path: loose, writable: false }]],
    ['a file beside the home of a user: itself', [topmost], [{ path: topmost, writable: true }]],
    ['the agent home: nothing', [home], []],
    ['the configuration: nothing', [config], []],
    ['a folder in the agent home: for reading', [inHome], [{ path: inHome, writable: false }]],
    ['the whole disk: nothing', ['/', '//'], []],
    ['folders of the system: nothing', ['/usr/bin', '/proc/1', '/dev/shm', '/sys'], []],
    ['settings of the system: for reading', ['/etc/hosts'], [{ path: '/etc/hosts', writable: false }]],
    [
      'what is not there, words, addresses: nothing',
      ['/no/such', '/nothing', '/etc/none', 'docs', 'https://example.org/usr', '-y', ''],
      [],
    ],
  ] as [string, string[], object[]][])('%s', (_what, words, folders) => {
    expect(foldersNamed(words, home, user)).toEqual(folders as never);
  });

  test('the home of the user is shared when the operator wrote it, and never for a request', () => {
    expect(foldersNamed([user], home, user)).toEqual([{ path: user, writable: true }]);
    expect(foldersForRequests([user, root, docs], home, [], user)).toEqual([{ path: docs, writable: true }]);
    symlinkSync(user, join(root, 'link'));
    expect(foldersForRequests([join(root, 'link')], home, [], user)).toEqual([]);
  });

  test('a script of a request brings no project along: it sees the folder for scripts it lies in', () => {
    expect(foldersForRequests([project, docs], home, [dirname(project)], user)).toEqual([
      { path: docs, writable: true },
    ]);
  });
});

describe('the folders of programs', () => {
  test('are those of the PATH with the libraries beside them, those their links lead to, and never a home', () => {
    const bin = folder('opt/tool/bin');
    const lib = folder('opt/tool/lib');
    const target = file('opt/other/bin/node');
    chmodSync(target, 0o755);
    symlinkSync(target, join(bin, 'node'));
    const shims = folder('user/.pyenv/shims');
    const path = [bin, shims, join(user, 'bin'), user, home, '/usr/bin', 'relative', ''].join(':');
    folder('user/bin');
    folder('user/lib');
    expect(programFolders(join(bin, 'node'), path, home, user).sort()).toEqual(
      [bin, lib, join(root, 'opt/other/bin'), join(root, 'user/.pyenv'), join(user, 'bin')].sort(),
    );
  });
});

describe('the command of a sandbox', () => {
  const plan = (folders: SandboxPlan['folders']): string =>
    sandboxCommand({
      bwrap: '/usr/bin/bwrap',
      canSize: true,
      isRoot: true,
      namespaces: [],
      hasFilter: true,
      network: false,
      home,
      cwd: docs,
      folders,
    }).join(' ');

  test('mounts outer folders first, hides the agent home in them and shows what lies in it', () => {
    const command = plan([
      { path: join(home, 'tmp'), writable: true },
      { path: user, writable: false },
    ]);
    const at = (words: string) => {
      expect(command).toContain(words);
      return command.indexOf(words);
    };
    const order = [`--ro-bind-try ${user} ${user}`, `--tmpfs ${home}`, `--bind-try ${home}/tmp ${home}/tmp`].map(at);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(command).toContain('--unshare-net');
    expect(command).not.toContain('/etc/shadow');
  });

  test('makes the links by which a folder was named, where nothing mounted brings them along', () => {
    symlinkSync(docs, join(root, 'outer'));
    symlinkSync('docs', join(user, 'inner'));
    expect(plan([{ path: join(root, 'outer'), writable: true }])).toContain(
      `--bind-try ${docs} ${docs} --symlink ${docs} ${root}/outer`,
    );
    const covered = plan([
      { path: user, writable: true },
      { path: join(user, 'inner'), writable: true },
    ]);
    expect(covered).not.toContain(`--symlink ${docs}`);
  });
});
