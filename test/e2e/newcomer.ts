import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block, DocumentationPage } from './documentation-blocks.ts';
import { makePlace, mounts, namespaces } from './newcomer-place.ts';

/** A page that says nothing for so long hangs. */
const BLOCK_MS = 60_000;
/** So long a command that cannot work here may try. */
const TRY_SECONDS = 12;

/** What became of a block: the statuses of its failed commands, nothing when all went well, and what it printed. */
export interface Outcome {
  statuses: number[];
  output: string;
}

/** In place of a status: the page ended before the block. */
export const NOT_REACHED = -1;

/** How a block is run; those that are not named are run to their end and must succeed. */
export type Manner = 'succeeds' | 'fails' | 'stays';

/** Why newcomers cannot be played on this machine, or undefined. */
export function missingForNewcomer(): string | undefined {
  const missing = ['bwrap', 'bash', 'git', 'curl', 'sqlite3', 'espeak-ng', 'python3', 'ssh-keygen'].filter(
    (name) => !Bun.which(name),
  );
  if (missing.length > 0) return `${missing.join(', ')} missing`;
  const { exitCode, stderr } = Bun.spawnSync([
    'bwrap',
    ...namespaces(),
    '--ro-bind',
    '/',
    '/',
    '--proc',
    '/proc',
    'true',
  ]);
  return exitCode === 0 ? undefined : `bubblewrap: ${stderr.toString().trim()}`;
}

/**
 * Runs the blocks of a page one after the other as somebody does who has just unpacked the project: in one shell, with an
 * empty home, without network and with ports of their own (namespaces of bubblewrap). Nothing of the machine can be
 * written but a folder for this page. `agent` is the binary, except where the page itself builds it.
 */
export async function followPage(
  page: DocumentationPage,
  blocks: { block: Block; manner: Manner }[],
  options: { binary?: string; prepare?: string },
): Promise<Map<Block, Outcome>> {
  const folder = mkdtempSync(join(tmpdir(), 'agent-newcomer-'));
  try {
    makePlace(folder, page, options);
    writeFileSync(join(folder, 'page.sh'), pageScript(folder, blocks, options.prepare));
    const statuses = await runScript(folder);
    return new Map(
      blocks.map(({ block }, index) => [
        block,
        { statuses: statuses.get(index) ?? [NOT_REACHED], output: readText(join(folder, `${index}.log`)) },
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One shell for the page; what it says on its standard output are the statuses: `<block> <status>`, `<block> done`. */
function pageScript(folder: string, blocks: { block: Block; manner: Manner }[], prepare = ''): string {
  let hasServer = false;
  const steps = blocks.map(({ block, manner }, index) => {
    const trap = manner === 'fails' ? `trap 'echo ${index} $? >&3' ERR\n` : '';
    writeFileSync(join(folder, `${index}.sh`), trap + block.text);
    const needsServer = !hasServer && manner !== 'stays' && block.text.includes('127.0.0.1:8000');
    hasServer ||= manner === 'stays' || needsServer;
    const ports = manner !== 'stays' ? '' : block.text.includes('gateway run') ? ' 8000,8644' : ' 8000';
    return `${needsServer ? 'stays started 8000 agent serve\n' : ''}${manner} ${index}${ports} . ${folder}/${index}.sh`;
  });
  return `set -Eemo pipefail
exec 3>&1 </dev/null
SERVER=
CURRENT=prepare
trap 'status=$?; [ $status = 0 ] || echo "$CURRENT $status" >&3' EXIT
succeeds() {
  CURRENT=$1; shift
  "$@" >${folder}/$CURRENT.log 2>&1
  echo "$CURRENT done" >&3
}
# Every command is tried, and the status of each that fails is told; one that tries for long is ended (124).
fails() {
  CURRENT=$1
  timeout -k 1 ${TRY_SECONDS} bash -Eo pipefail $3 >${folder}/$1.log 2>&1 || [ $? != 124 ] || echo "$1 124" >&3
  echo "$1 done" >&3
}
answers() {
  curl -q -s -o /dev/null --max-time 1 "http://127.0.0.1:{$1}/health"
}
# A server holds its terminal until the page starts another one.
stays() {
  CURRENT=$1 PORTS=$2; shift 2
  if [ -n "$SERVER" ]; then
    kill -TERM -- -$SERVER
    # Also what the shell of the block had started: the port is free when it has gone.
    while kill -0 -- -$SERVER 2>/dev/null; do wait $SERVER || true; sleep 0.05; done
  fi
  ("$@") >${folder}/$CURRENT.log 2>&1 &
  SERVER=$!
  SERVES=$CURRENT
  for _ in {1..300}; do
    if answers $PORTS; then echo "$CURRENT done" >&3; return 0; fi
    kill -0 $SERVER 2>/dev/null || break
    sleep 0.1
  done
  return 70
}
${prepare ? `succeeds prepare eval ${quote(prepare)}` : ''}
${steps.join('\n')}
CURRENT=$SERVES
[ -z "$SERVER" ] || kill -0 $SERVER
`;
}

async function runScript(folder: string): Promise<Map<number, number[]>> {
  const shell = Bun.spawn(
    ['bwrap', ...namespaces(), ...mounts(folder), '--chdir', join(folder, 'project'), 'bash', join(folder, 'page.sh')],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'pipe', env: {} },
  );
  let alarm = setTimeout(() => shell.kill('SIGKILL'), BLOCK_MS);
  const statuses = new Map<number, number[]>();
  let rest = '';
  for await (const chunk of shell.stdout.pipeThrough(new TextDecoderStream())) {
    clearTimeout(alarm);
    alarm = setTimeout(() => shell.kill('SIGKILL'), BLOCK_MS);
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const [name = '', status = ''] = line.split(' ');
      if (!/^\d+$/.test(name)) {
        if (status !== 'done')
          throw new Error(`before the page: ${name} ${status}: ${readText(join(folder, `${name}.log`))}`);
        continue;
      }
      const known = statuses.get(Number(name)) ?? [];
      statuses.set(Number(name), status === 'done' ? known : [...known, Number(status)]);
    }
  }
  clearTimeout(alarm);
  const complaint = await new Response(shell.stderr).text();
  if ((await shell.exited) !== 0 && statuses.size === 0) throw new Error(complaint);
  return statuses;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
