#!/usr/bin/env bun
// Start of the compiled binary: process start to first 200 of /health, and memory after it. Build first, then run
//   bun scripts/bench/startup.ts [runs]
// The floor is a binary compiled in the same run that holds nothing but Bun.serve with the same route.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
const RUNS = Number(Bun.argv[2] ?? 15);
const IDLE_MS = 1000;

interface Sample {
  readyMs: number;
  rssMb: number;
}

/** Starts `command` with `port` filled in and waits for its first 200. */
async function measure(command: (port: number) => string[], env: Record<string, string>): Promise<Sample> {
  const port = freePort();
  const begin = performance.now();
  const child = Bun.spawn(command(port), { env, cwd: env['HOME'], stdout: 'ignore', stderr: 'ignore' });
  try {
    while (true) {
      if (child.exitCode !== null) throw new Error(`it ended with status ${child.exitCode} before it answered`);
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
      if (answer?.status === 200) break;
      await Bun.sleep(1);
      if (performance.now() - begin > 20_000) throw new Error('no 200 of /health within 20 s');
    }
    const readyMs = performance.now() - begin;
    await Bun.sleep(IDLE_MS);
    return { readyMs, rssMb: await rssOf(child.pid) };
  } finally {
    child.kill('SIGTERM');
    await child.exited;
  }
}

async function rssOf(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  const { port } = listener;
  listener.stop(true);
  return port;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

const work = mkdtempSync(join(tmpdir(), 'agent-startup-'));
try {
  const bare = join(work, 'bare');
  await Bun.write(
    join(work, 'bare.ts'),
    `Bun.serve({ hostname: '127.0.0.1', port: Number(process.argv[2]), routes: { '/health': () => Response.json({ status: 'ok' }) } });\n`,
  );
  const built = await Bun.build({
    entrypoints: [join(work, 'bare.ts')],
    target: 'bun',
    bytecode: true,
    format: 'esm',
    compile: { outfile: bare },
  });
  if (!built.success) throw new Error(built.logs.join('\n'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: work, AGENT_HOME: join(work, 'home'), AGENT_LOG_LEVEL: 'error' };
  const agent = join(ROOT, 'dist/agent');
  const serve = (port: number) => [agent, 'serve', '--port', String(port)];
  const floorOf = (port: number) => [bare, String(port)];
  // The first start of each warms the disk cache and creates the home.
  await measure(serve, env);
  await measure(floorOf, env);
  const figures: Sample[] = [];
  const floors: Sample[] = [];
  for (let run = 0; run < RUNS; run++) {
    figures.push(await measure(serve, env));
    floors.push(await measure(floorOf, env));
  }
  const figure = median(figures.map((sample) => sample.readyMs));
  const floor = median(floors.map((sample) => sample.readyMs));
  const rss = median(figures.map((sample) => sample.rssMb));
  const rssFloor = median(floors.map((sample) => sample.rssMb));
  console.log(
    `start to first /health  ${figure.toFixed(1)} ms   bare Bun.serve ${floor.toFixed(1)} ms   ratio ${(figure / floor).toFixed(2)}   (median of ${RUNS})`,
  );
  console.log(
    `idle memory (RSS)       ${rss.toFixed(1)} MB   bare Bun.serve ${rssFloor.toFixed(1)} MB   ratio ${(rss / rssFloor).toFixed(2)}   (after ${IDLE_MS / 1000} s)`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
