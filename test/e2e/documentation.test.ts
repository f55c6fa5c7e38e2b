import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Semaphore } from '../../src/lib/semaphore.ts';
import { binaryPath, runBinary } from './binary.ts';
import { type Block, documentationPages, readBlocks } from './documentation-blocks.ts';
import { followPage, type Manner, missingForNewcomer, NOT_REACHED, type Outcome } from './newcomer.ts';

/**
 * Second words of a fence, \`\`\`sh MARK: how the block is run, why, and what it says where it cannot work here. Blocks
 * without one are run to their end and must succeed.
 */
const MARKS: Record<string, { manner: Manner | 'not run'; reason: string; says?: RegExp }> = {
  server: { manner: 'stays', reason: 'runs until it is stopped' },
  network: { manner: 'fails', reason: 'needs the network' },
  model: { manner: 'fails', reason: 'needs a language model', says: /model/ },
  id: { manner: 'fails', reason: 'names something the reader has', says: /not found|There is no|does not exist/i },
  root: { manner: 'not run', reason: 'installs on the machine', says: /^(sudo|apt-get) / },
  itself: { manner: 'not run', reason: 'is the run of these tests', says: /^scripts\/test$/ },
};

/** What the reader of a page has done before, beside `agent serve` where a page asks the server. */
const PREPARED: Record<string, string> = {
  'src/handbook/delivery-targets.md': 'agent gateway setup --yes',
  'src/handbook/webhook-recipes.md': 'agent gateway setup --yes',
  'src/handbook/deployment.md': `
    agent config --sample >/var/lib/agent/config.yaml
    agent gateway setup --yes --home /var/lib/agent
    agent webhook subscribe gh --prompt x --deliver log --home /var/lib/agent
    agent knowledge add docs --home /var/lib/agent
    agent research "What is kept?" --home /var/lib/agent`,
};

interface Run {
  block: Block;
  manner: Manner;
}

/** How the shell blocks are run; those that are not run are left out. */
function runsOf(blocks: Block[]): Run[] {
  return shellBlocks(blocks).flatMap((block) => {
    const manner = block.mark === '' ? 'succeeds' : MARKS[block.mark]?.manner;
    return manner && manner !== 'not run' ? [{ block, manner }] : [];
  });
}

/** Why a block is not as it should be. */
function problemsOf({ block, manner }: Run, { statuses, output }: Outcome): string[] {
  const end = output.slice(-1500);
  if (manner !== 'fails') return statuses.length > 0 ? [`${block.place}: status ${statuses.at(-1)}: ${end}`] : [];
  const { reason, says } = MARKS[block.mark]!;
  if (statuses.length === 0) return [`${block.place}: works here, although it ${reason}`];
  // 2 is wrong usage, 126 and 127 are commands that are not there.
  if (statuses.some((status) => [NOT_REACHED, 2, 126, 127].includes(status)))
    return [`${block.place}: status ${statuses}: ${end}`];
  return says && !says.test(output) ? [`${block.place}: not because it ${reason}: ${end}`] : [];
}

const pages = documentationPages();
const shellBlocks = (blocks: Block[]) => blocks.filter(({ language }) => language === 'sh');
const missing = missingForNewcomer();
/** Pages followed at once: one waits for a server while another computes. */
const places = new Semaphore(2);
if (missing) console.log(`The commands of README and handbook were not tried: ${missing}.`);

describe.skipIf(missing !== undefined)('as a newcomer, without network and with an empty home', () => {
  for (const page of pages) {
    const blocks = runsOf(page.blocks);
    if (blocks.length === 0) continue;
    test.concurrent(`every command of ${page.path} does what the page says`, async () => {
      const isBuilding = page.path === 'README.md';
      const prepare = PREPARED[page.path];
      const leave = await places.acquire();
      const outcomes = await followPage(page, blocks, {
        ...(isBuilding ? {} : { binary: binaryPath() }),
        ...(prepare ? { prepare } : {}),
      }).finally(leave);
      expect(blocks.flatMap((one) => problemsOf(one, outcomes.get(one.block)!))).toEqual([]);
    }, 300_000);
  }

  test.each([
    ['a wrong flag', '```sh\nagent doctor --fox\n```', /^x.md:1: status 2: [\s\S]*--fox/],
    [
      'a wrong command in a block that cannot work here',
      '```sh network\nagent mcp inspct\n```',
      /^x.md:1: status 2: Unknown command/,
    ],
    ['a wrong flag after another failure', '```sh model\nagent enhance a\nagent enhance a --fox\n```', /status 1,2: /],
    ['a program that is not there', '```sh network\nagnet doctor\n```', /^x.md:1: status 127: /],
    ['a refusal by HTTP', '```sh\ncurl http://127.0.0.1:8000/api/fox\n```', /^x.md:1: status 22: /],
    ['a mark that is not needed', '```sh network\nagent --version\n```', /works here, although it needs the network/],
    ['another reason', '```sh model\nagent knowledge add fox.md\n```', /not because it needs a language model/],
    ['a server that ends', '```sh server\nagent --version\n```', /^x.md:1: status 70: /],
    ['what comes after it', '```sh\nfalse\n```\n```sh\ntrue\n```', /^x.md:1: status 1: \nx.md:4: status -1: $/],
  ])('finds %s', async (_what, markdown, problem) => {
    const blocks = readBlocks('x.md', markdown);
    const runs = runsOf(blocks);
    const outcomes = await followPage({ path: 'x.md', blocks }, runs, { binary: binaryPath() });
    expect(runs.flatMap((run) => problemsOf(run, outcomes.get(run.block)!)).join('\n')).toMatch(problem);
  });
});

describe('the shell blocks of the documentation', () => {
  test('are known by their language, and what is different about one by its mark', () => {
    const languages = new Set(['', 'sh', 'dotenv', 'json', 'yaml', 'ini', 'nginx', 'python', 'markdown', 'js', 'ts']);
    const blocks = pages.flatMap((page) => page.blocks);
    const strange = blocks.filter(
      ({ language, mark }) => !languages.has(language) || (mark !== '' && !(language === 'sh' && mark in MARKS)),
    );
    expect(strange.map(({ place, language, mark }) => `${place}: ${language} ${mark}`)).toEqual([]);
    expect(shellBlocks(blocks).length).toBeGreaterThan(40);
  });

  test('have no chains, in which the shell takes no notice of a failure', () => {
    const bare = (text: string) => text.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, '');
    const chains = pages.flatMap((page) => shellBlocks(page.blocks)).filter(({ text }) => /&&|\|\|/.test(bare(text)));
    expect(chains.map(({ place }) => place)).toEqual([]);
  });

  test('are run, but for these', () => {
    const left = pages
      .flatMap((page) => shellBlocks(page.blocks))
      .filter(({ mark }) => MARKS[mark]?.manner === 'not run');
    expect(
      left.map(({ place, mark, text }) => `${place.replace(/:\d+$/, '')}, ${MARKS[mark]!.reason}: ${text.trim()}`),
    ).toEqual([
      'README.md, is the run of these tests: scripts/test',
      'README.md, installs on the machine: sudo scripts/install.sh',
      'src/handbook/deployment.md, installs on the machine: sudo sh install.sh --release agent-1.2.3-linux-x64.tar.gz --signers signers',
      'src/handbook/sandbox.md, installs on the machine: apt-get install bubblewrap python3',
      'src/handbook/speech.md, installs on the machine: apt-get install espeak-ng',
    ]);
    for (const { mark, text } of left) expect(text.trim()).toMatch(MARKS[mark]!.says!);
  });
});

describe('settings in the documentation', () => {
  const settings = pages.flatMap(({ blocks }) =>
    blocks.filter(({ language }) => ['dotenv', 'yaml'].includes(language)),
  );
  test.each(settings.map((block) => [block.place, block] as const))('%s is understood', async (_place, block) => {
    const home = mkdtempSync(join(tmpdir(), 'agent-settings-'));
    writeFileSync(join(home, block.language === 'yaml' ? 'config.yaml' : '.env'), block.text);
    const secrets = [...block.text.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => [name!, 'x']);
    const env = { AGENT_HOME: home, ...Object.fromEntries(secrets) };
    const { status, stdout, stderr } = await runBinary(['config'], { cwd: home, env });
    rmSync(home, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const [, name] of block.text.matchAll(/^([A-Z]\w+)=/gm)) expect(stdout).toContain(`(${name})`);
  });
});

test('a block is read with its language and mark, in lists too; one without an end is an error', () => {
  expect(readBlocks('x.md', 'a\n\n```sh network\ncurl x\n\n  y\n```\n- b\n  ~~~json\n  {}\n  ~~~\n')).toEqual([
    { place: 'x.md:3', language: 'sh', mark: 'network', text: 'curl x\n\n  y\n' },
    { place: 'x.md:9', language: 'json', mark: '', text: '{}\n' },
  ]);
  expect(() => readBlocks('x.md', '```sh\na\n')).toThrow('x.md:1: the block has no end');
});
