import { mkdirSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bytesOf, makePdf } from '../knowledge/make-documents.ts';
import type { DocumentationPage } from './documentation-blocks.ts';

const ROOT = join(import.meta.dir, '../..');
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The checkout, the home, and files of the newcomer's own that the pages name. */
export function makePlace(folder: string, page: DocumentationPage, { binary }: { binary?: string }): void {
  const work = join(folder, 'project');
  for (const name of ['home/papers', 'bin', 'backup', 'service', 'project/docs', 'project/handbook'])
    mkdirSync(join(folder, name), { recursive: true });
  if (binary) symlinkSync(binary, join(folder, 'bin/agent'));
  // A refusal by HTTP is a failure too.
  writeFileSync(join(folder, 'home/.curlrc'), 'fail-with-body\nmax-time = 30\n');
  const report =
    '# Tides\n\n## Causes\n\nThe Moon pulls the sea [1]. The Sun helps.\n\n## Citations\n\n- [Tides](https://example.org/tides)\n';
  const own: Record<string, string | Uint8Array> = {
    'report.md': report,
    'bericht.md': '# Gezeiten\n\nDer Mond zieht das Meer an. Die Sonne hilft ihm dabei.\n',
    'draft.md':
      'The tide rises twice a day. It is very, very much a thing that rises. People watch it. They like it.\n',
    'idea.txt': 'electric cars\n',
    'chapter.txt': 'The tide rises twice a day.\n',
    'notes.ssml': '<speak>The tide rises.</speak>',
    'docs/policy.md': '# Policy\n\nThe retention period of records is ten years.\n',
    'handbook/leaving.md': '# Leaving\n\nThe notice period is three months.\n',
    'policy.pdf': makePdf([['Backups are kept for a year.']]),
    'report.pdf': makePdf([['The year in figures and words.']]),
    '../home/papers/tides.md': report,
  };
  for (const [name, content] of Object.entries(own))
    writeFileSync(join(work, name), typeof content === 'string' ? bytesOf(content) : content);
  for (const { text } of page.blocks) {
    const [, script] = /^# <home>\/scripts\/([\w.]+)\n/.exec(text) ?? [];
    if (!script) continue;
    mkdirSync(join(folder, 'home/.agent/scripts'), { recursive: true });
    writeFileSync(join(folder, 'home/.agent/scripts', script), text);
  }
}

/** The checkout as a fresh clone has it after the first start: what belongs to git read-only, dependencies and Bun there. */
function checkoutMounts(folder: string): string[] {
  const work = join(folder, 'project');
  const modules = join(folder, 'modules');
  mkdirSync(modules);
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '.installed') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  const lock = Bun.spawnSync(['cksum'], { stdin: Bun.file(join(ROOT, 'bun.lock')) })
    .stdout.toString()
    .trim();
  writeFileSync(join(modules, '.installed'), `${Bun.version} ${lock}\n`);
  const own = new Set(['node_modules', 'dist', '.git', '.bun']);
  return [
    ...readdirSync(ROOT).flatMap((name) => (own.has(name) ? [] : ['--ro-bind', join(ROOT, name), join(work, name)])),
    ...['--bind', modules, join(work, 'node_modules')],
    ...['--ro-bind', process.execPath, join(work, '.bun/bin/bun')],
  ];
}

/** Network, processes and shared memory of its own; everything ends with the process that started it. */
export function namespaces(): string[] {
  return ['--unshare-net', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--new-session'];
}

/** The machine read-only and without its homes; what a page may write lies in its folder. */
export function mounts(folder: string): string[] {
  const own = new Set(['proc', 'dev', 'tmp', 'var', 'home', 'root', 'backup', 'lost+found']);
  const system = readdirSync('/', { withFileTypes: true }).flatMap((entry) => {
    const path = `/${entry.name}`;
    if (own.has(entry.name)) return [];
    return entry.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
  });
  return [
    ...system,
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--tmpfs', '/var'],
    ...[ROOT, dirname(process.execPath)].flatMap((path) => ['--ro-bind', path, path]),
    ...['--bind', folder, folder, ...checkoutMounts(folder), '--bind', join(folder, 'backup'), '/backup'],
    ...['--bind', join(folder, 'service'), '/var/lib/agent'],
    ...['--clearenv', '--setenv', 'HOME', join(folder, 'home'), '--setenv', 'LANG', 'C.UTF-8'],
    ...['--setenv', 'PATH', `${join(folder, 'bin')}:${SYSTEM_PATH}`, '--setenv', 'TMPDIR', '/tmp'],
    // npx gives up at once instead of after minutes.
    ...['--setenv', 'npm_config_fetch_retries', '0'],
  ];
}
