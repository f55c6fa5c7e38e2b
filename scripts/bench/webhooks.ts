// Measures the webhook gateway against the targets of issue 3: bun scripts/bench/webhooks.ts [rate] [reload] [memory] [bodies] [kill] [list]
// Needs wrk (Debian package). Load comes from another process; the ratio is to a bare server measured in the same run.
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';

const SECONDS = Number(process.env['SECONDS'] ?? 5);
const CONNECTIONS = 64;
const here = import.meta.dir;
const folder = mkdtempSync(join(tmpdir(), 'bench-webhooks-'));
const FIRST = 1_000_000_000;
const bodyOf = (n: number) =>
  JSON.stringify({ action: 'opened', number: 7, n, pull_request: { title: 'Title', body: 'x'.repeat(1925) } });
const body = bodyOf(FIRST);
const bodyFile = join(folder, 'body.json');
writeFileSync(bodyFile, body);
const sign = (text: string) => `sha256=${new Bun.CryptoHasher('sha256', 'secret').update(text).digest('hex')}`;
const rows: string[][] = [];
const row = (what: string, value: string, target: string, isMet: boolean) => {
  rows.push([what, value, target, isMet ? 'met' : 'MISSED']);
  console.log(`${isMet ? ' ' : '!'} ${what.padEnd(58)} ${value.padEnd(34)} ${target}`);
};

const ROUTE = { secret: 'secret', prompt: 'PR #{number}: {pull_request.title}', deliver: 'telegram' };
const ROUTES = {
  run: ROUTE,
  unwanted: { ...ROUTE, events: ['issues'] },
  filtered: { ...ROUTE, filters: [{ field: 'action', equals: 'closed' }] },
};

interface Child {
  url: string;
  pid: number;
  process: Bun.Subprocess;
}

async function start(script: string, env: Record<string, string> = {}): Promise<Child> {
  const child = Bun.spawn(['bun', join(here, 'webhooks', script)], {
    env: { ...process.env, ...env },
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  reader.releaseLock();
  return { url: new TextDecoder().decode(value).trim(), pid: child.pid, process: child };
}

async function stop(child: Child): Promise<void> {
  child.process.kill('SIGTERM');
  await child.process.exited;
}

function createHome(extra: Record<string, unknown> = {}): string {
  const home = mkdtempSync(join(folder, 'home-'));
  const webhook = { enabled: true, host: '127.0.0.1', port: 0, rate_limit: 0, routes: ROUTES, ...extra };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ platforms: { webhook } }));
  return home;
}

interface Load {
  rate: number;
  p99Ms: number;
  count: number;
  failed: number;
}

/** More than a generator sends in a second. */
const BODIES_PER_SECOND = 40_000;
let unsent = FIRST + 1;

/** Signs bodies that no run before has sent; gives the environment of post.lua. */
function signBodies(seconds: number): Record<string, string> {
  const first = unsent;
  unsent += seconds * BODIES_PER_SECOND;
  const file = join(folder, 'signatures.txt');
  writeFileSync(
    file,
    Array.from({ length: unsent - first }, (_, index) => `${sign(bodyOf(first + index))}\n`).join(''),
  );
  return { SIGNATURES: file, FIRST: String(first) };
}

async function wrk(url: string, options: { seconds?: number; id?: string } = {}): Promise<Load> {
  const seconds = options.seconds ?? SECONDS;
  const load = Bun.spawn(
    ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}`, '--latency', '-s', join(here, 'webhooks/post.lua'), url],
    {
      env: {
        ...process.env,
        BODY: bodyFile,
        SIGNATURE: sign(body),
        ...(options.id ? { ID: options.id } : signBodies(seconds)),
      },
      stdout: 'pipe',
    },
  );
  const text = await new Response(load.stdout).text();
  const [, value = '0', unit = 'ms'] = /99%\s+([\d.]+)(us|ms|s)/.exec(text) ?? [];
  return {
    rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1] ?? 0),
    p99Ms: Number(value) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us' | 'ms' | 's'],
    count: Number(/(\d+) requests in/.exec(text)?.[1] ?? 0),
    failed: Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0),
  };
}

const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')}/s`;

async function rate(): Promise<void> {
  const bare = await start('bare.ts');
  const gateway = await start('gateway.ts', { AGENT_HOME: createHome() });
  await wrk(`${bare.url}/x`, { seconds: 1, id: 'any' });
  await wrk(`${gateway.url}/webhooks/unwanted`, { seconds: 1 });
  const floor = await wrk(`${bare.url}/x`, { id: 'any' });
  // The generator is slower when every request has a new id, so each figure has the floor of its own kind of load.
  const floorOfNew = await wrk(`${bare.url}/x`);
  await stop(bare);
  console.log(
    `  bare server that verifies the HMAC: ${perSecond(floor.rate)}; with new ids ${perSecond(floorOfNew.rate)}`,
  );
  for (const [what, name, id] of [
    ['ignored by events', 'unwanted', 'any'],
    ['ignored by filters', 'filtered', 'any'],
    ['duplicate', 'run', 'always-the-same'],
  ] as const) {
    const load = await wrk(`${gateway.url}/webhooks/${name}`, { id });
    row(
      what,
      `${perSecond(load.rate)} (${(load.rate / floor.rate).toFixed(2)})`,
      '>= 25,000/s',
      load.rate >= 25_000 && !load.failed,
    );
  }
  await wrk(`${gateway.url}/webhooks/run`, { seconds: 1 });
  const durable = await wrk(`${gateway.url}/webhooks/run`);
  const ratio = durable.rate / floorOfNew.rate;
  row('signed 2 KB POST, durable', perSecond(durable.rate), '>= 12,000/s', durable.rate >= 12_000 && !durable.failed);
  row('  ratio to the bare server', ratio.toFixed(2), '>= 0.25', ratio >= 0.25);
  row('  p99', `${durable.p99Ms.toFixed(1)} ms`, '<= 40 ms', durable.p99Ms <= 40);
  await stop(gateway);
}

async function reload(): Promise<void> {
  const home = createHome();
  const file = join(home, 'webhook_subscriptions.json');
  const subscriptions = (count: number, mark: string) =>
    JSON.stringify(
      Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`route-${index}`, { ...ROUTE, mark, events: ['issues'] }]),
      ),
    );
  const gateway = await start('gateway.ts', { AGENT_HOME: home });
  const url = `${gateway.url}/webhooks/route-0`;
  writeFileSync(file, subscriptions(1, 'a'));
  await wrk(url, { seconds: 2 });
  const one = await wrk(url, { id: 'any' });
  writeFileSync(file, subscriptions(10_000, 'a'));
  await fetch(url, { method: 'POST', body });
  await Bun.sleep(300);
  const many = await wrk(url, { id: 'any' });
  row(
    '10,000 subscriptions, against 1',
    `${perSecond(many.rate)} / ${perSecond(one.rate)}`,
    'no slower',
    many.rate >= one.rate * 0.9,
  );
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    writeFileSync(file, subscriptions(10_000, `round-${round}`));
    await Bun.sleep(100);
    const begin = performance.now();
    await fetch(url, { method: 'POST', body });
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  row(
    '  request that reloads 10,000',
    `${times[5]?.toFixed(1)} ms (worst ${times[9]?.toFixed(1)} ms)`,
    '<= 50 ms',
    (times[9] ?? 99) <= 50,
  );
  await stop(gateway);
}

function rssMb(pid: number): number {
  const text = Bun.spawnSync(['ps', '-o', 'rss=', '-p', String(pid)]).stdout.toString();
  return Number(text) / 1024;
}

async function memory(): Promise<void> {
  const gateway = await start('gateway.ts', { AGENT_HOME: createHome({ max_concurrency: 8 }) });
  const url = `${gateway.url}/webhooks/run`;
  let sent = (await wrk(url, { seconds: 4 })).count;
  await Bun.sleep(1500);
  const before = rssMb(gateway.pid);
  const begin = sent;
  while (sent - begin < 100_000) sent += (await wrk(url, { seconds: 4 })).count;
  await Bun.sleep(1500);
  const after = rssMb(gateway.pid);
  row(
    `RSS over ${(sent - begin).toLocaleString('en')} deliveries`,
    `${before.toFixed(0)} -> ${after.toFixed(0)} MB`,
    '<= +30 MB',
    after - before <= 30,
  );
  await stop(gateway);
}

/** 800 connections that each send a body of almost a megabyte and never end it, with what could be a signature. */
async function bodies(): Promise<void> {
  const gateway = await start('gateway.ts', { AGENT_HOME: createHome() });
  const url = `${gateway.url}/webhooks/run`;
  await wrk(url, { seconds: 1 });
  const before = rssMb(gateway.pid);
  const size = 1 << 20;
  const head = `POST /webhooks/run HTTP/1.1\r\nHost: localhost\r\nX-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`;
  const part = Buffer.alloc(size - 1, 120);
  let written = 0;
  const sockets = Array.from({ length: 800 }, () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`${head}Content-Length: ${size}\r\n\r\n`);
    socket.write(part, () => void written++);
    return socket;
  });
  const started = performance.now();
  let peak = before;
  let slowest = 0;
  let refused = 0;
  let count = 0;
  while (performance.now() - started < 8000) {
    count++;
    const begin = performance.now();
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'x-hub-signature-256': sign(body), 'x-github-delivery': crypto.randomUUID() },
    });
    if (!answer.ok) refused++;
    slowest = Math.max(slowest, performance.now() - begin);
    peak = Math.max(peak, rssMb(gateway.pid));
    await Bun.sleep(50);
  }
  for (const socket of sockets) socket.destroy();
  row(
    `RSS under ${written} open bodies of 1 MB`,
    `${before.toFixed(0)} -> ${peak.toFixed(0)} MB`,
    '<= +150 MB',
    peak - before <= 150,
  );
  row(
    '  signed events meanwhile: slowest, refused',
    `${slowest.toFixed(0)} ms, ${refused} of ${count}`,
    '0 refused',
    refused === 0,
  );
  await stop(gateway);
}

/** Kills the gateway at random moments under load; every accepted event must reach the sink, under one delivery id. */
async function kill(rounds = 20): Promise<void> {
  const idsOf = new Map<string, Set<string>>();
  const sink = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const text = await request.text();
      const ids = idsOf.get(text) ?? new Set();
      idsOf.set(text, ids.add(request.headers.get('webhook-id') ?? ''));
      return new Response('ok');
    },
  });
  const home = createHome({
    max_concurrency: 32,
    routes: { run: { ...ROUTE, prompt: '{n}' }, direct: { ...ROUTE, prompt: '{n}', deliver_only: true } },
  });
  const accepted = new Set<string>();
  let next = 0;
  // What got no answer is sent again, as a real sender does: it may have been accepted all the same.
  const unanswered: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const gateway = await start('gateway.ts', { AGENT_HOME: home, SINK: sink.url.href });
    let isAlive = true;
    const senders = Array.from({ length: 32 }, async () => {
      while (isAlive) {
        const n = unanswered.shift() ?? String(next++);
        const text = JSON.stringify({ n });
        const post = () =>
          fetch(`${gateway.url}/webhooks/${Number(n) % 8 === 0 ? 'direct' : 'run'}`, {
            method: 'POST',
            body: text,
            headers: { 'x-hub-signature-256': sign(text), 'x-github-delivery': n },
          });
        const answer = await post().catch(() => undefined);
        if (answer?.status === 200) accepted.add(n);
        else unanswered.push(n);
      }
    });
    await Bun.sleep(150 + Math.random() * 500);
    gateway.process.kill('SIGKILL');
    await gateway.process.exited;
    isAlive = false;
    await Promise.all(senders);
  }
  const gateway = await start('gateway.ts', { AGENT_HOME: home, SINK: sink.url.href });
  const missing = () => [...accepted].filter((n) => !idsOf.has(n)).length;
  for (let wait = 0; missing() > 0 && wait < 300; wait++) await Bun.sleep(200);
  const twice = [...idsOf.values()].filter((ids) => ids.size > 1).length;
  row(
    `kill -9, ${rounds} times, ${accepted.size.toLocaleString('en')} accepted: lost`,
    String(missing()),
    '0',
    missing() === 0 && accepted.size > 0,
  );
  row('  delivered under two ids', String(twice), '0', twice === 0);
  await stop(gateway);
  await sink.stop(true);
}

async function list(): Promise<void> {
  const home = createHome();
  writeFileSync(
    join(home, 'webhook_subscriptions.json'),
    JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`route-${index}`, ROUTE]))),
  );
  const command = process.env['AGENT']?.split(' ') ?? ['bun', join(here, '../../src/main.ts')];
  const times: number[] = [];
  for (let round = 0; round < 15; round++) {
    const begin = performance.now();
    Bun.spawnSync([...command, 'webhook', 'list'], { env: { ...process.env, AGENT_HOME: home } });
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  row(
    `agent webhook list, 100 subscriptions (${command[0]})`,
    `${times[7]?.toFixed(0)} ms`,
    '<= 80 ms',
    (times[7] ?? 99) <= 80,
  );
}

const parts = { rate, reload, memory, bodies, kill, list };
const wanted = process.argv.slice(2).filter((name): name is keyof typeof parts => name in parts);
console.log(
  `${cpus().length} x ${cpus()[0]?.model}; ${CONNECTIONS} connections; free disk ${Math.round((statfsSync(folder).bavail * 4096) / 1e9)} GB`,
);
try {
  for (const name of wanted.length > 0 ? wanted : (Object.keys(parts) as (keyof typeof parts)[])) await parts[name]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  `\n| what | measured | target | |\n|---|---|---|---|\n${rows.map((cells) => `| ${cells.map((cell) => cell.trim()).join(' | ')} |`).join('\n')}`,
);
process.exit(rows.every((cells) => cells[3] === 'met') ? 0 : 1);
