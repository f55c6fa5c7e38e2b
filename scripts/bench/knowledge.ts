#!/usr/bin/env bun
// Measures the local knowledge store: ingest and query at 100,000 chunks on disk, each against bare FTS5 in the same run.
// Run it after a change of src/knowledge:
//   bun scripts/bench/knowledge.ts [chunks]
import { Database } from 'bun:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalKnowledge } from '../../src/knowledge/local.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import { defaultConfig } from '../../test/helpers/test-server.ts';

const CHUNKS = Number(Bun.argv[2] ?? 100_000);
const CHUNKS_PER_DOCUMENT = 20;
const WORDS_PER_CHUNK = 270;
const QUERIES = 300;
const signal = new AbortController().signal;

const words = createVocabulary(50_000);
const home = mkdtempSync(join(tmpdir(), 'agent-bench-'));
try {
  await measureIngest();
  await measureQueries();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function measureIngest(): Promise<void> {
  const floor = rawInsertsPerSecond();
  const knowledge = open();
  let spent = 0;
  for (let first = 0; first < CHUNKS / CHUNKS_PER_DOCUMENT; first += 50) {
    const documents = Array.from({ length: 50 }, (_, index) => documentText(first + index));
    const startedAt = performance.now();
    await Promise.all(documents.map((text, index) => knowledge.ingest(markdown(first + index, text), signal)));
    spent += performance.now() - startedAt;
  }
  const { chunks } = await knowledge.check();
  await knowledge.stop();
  const rate = chunks / (spent / 1000);
  report(
    'ingest',
    `${Math.round(rate)} chunks/s (${chunks} chunks)`,
    `bare FTS5 insert ${Math.round(floor)}/s`,
    rate / floor,
  );
}

async function measureQueries(): Promise<void> {
  const knowledge = open();
  const bare = new Database(join(home, 'knowledge.db'), { readonly: true });
  const statement = bare.query('SELECT rowid FROM chunk_index WHERE chunk_index MATCH ? ORDER BY rank LIMIT 10');
  for (const [label, length, rarest] of [
    ['query of 3 topic words', 3, 500],
    ['query of 6 mixed words', 6, 100],
    ['query of 10 mixed words', 10, 100],
    ['query of 2 frequent words', 2, 20],
  ] as const) {
    const queries = Array.from({ length: QUERIES }, () => question(length, rarest));
    const ours = await times(queries, (query) => knowledge.retrieve(query, { limit: 10, signal }));
    const floor = await times(queries.slice(0, 60), async (query) =>
      statement.all(
        query
          .split(' ')
          .map((word) => `"${word}"`)
          .join(' OR '),
      ),
    );
    const text = `p50 ${ours.p50.toFixed(1)} ms, p95 ${ours.p95.toFixed(1)} ms`;
    report(
      label,
      text,
      `bare FTS5 MATCH p50 ${floor.p50.toFixed(1)}, p95 ${floor.p95.toFixed(1)} ms`,
      ours.p95 / floor.p95,
    );
  }
  const queries = Array.from({ length: 100 }, () => question(6, 100));
  const listed = await times(queries, (query) => knowledge.listResources({ query, limit: 100, signal }));
  report('resources for 6 words', `p50 ${listed.p50.toFixed(1)} ms, p95 ${listed.p95.toFixed(1)} ms`, '', undefined);
  bare.close();
  await knowledge.stop();
}

function open() {
  const config = { ...defaultConfig().knowledge, handbook: false };
  return createLocalKnowledge({ home, config, log: silentLogger, clock: systemClock });
}

/** Rows of the same size into a bare FTS5 table, in batches of one transaction. */
function rawInsertsPerSecond(): number {
  const database = new Database(join(home, 'floor.db'));
  database.run('PRAGMA journal_mode = WAL');
  database.run('PRAGMA synchronous = NORMAL');
  database.run(
    `CREATE VIRTUAL TABLE floor USING fts5(title, body, content='', contentless_delete=1, tokenize="porter unicode61")`,
  );
  const insert = database.prepare('INSERT INTO floor (title, body) VALUES (?, ?)');
  const count = Math.min(CHUNKS, 20_000);
  let spent = 0;
  for (let done = 0; done < count; done += 1000) {
    const rows = Array.from({ length: 1000 }, () => sentence(WORDS_PER_CHUNK));
    const startedAt = performance.now();
    database.transaction(() => {
      for (const row of rows) insert.run('title', row);
    })();
    spent += performance.now() - startedAt;
  }
  database.close();
  return count / (spent / 1000);
}

function markdown(index: number, text: string) {
  return { name: `document-${index}.md`, bytes: new TextEncoder().encode(text) };
}

function documentText(index: number): string {
  const sections = Array.from(
    { length: CHUNKS_PER_DOCUMENT },
    () => `## ${sentence(4)}\n\n${sentence(WORDS_PER_CHUNK)}\n`,
  );
  return `# ${sentence(5)} ${index}\n\n${sections.join('\n')}`;
}

function sentence(length: number): string {
  return Array.from({ length }, () => words.next()).join(' ');
}

/** Words of the vocabulary below the `rarest` most frequent ones, drawn as they occur. */
function question(length: number, rarest: number): string {
  const chosen: string[] = [];
  while (chosen.length < length) {
    const rank = words.rank();
    if (rank >= rarest) chosen.push(words.name(rank));
  }
  return chosen.join(' ');
}

async function times(queries: string[], run: (query: string) => Promise<unknown>) {
  for (const query of queries.slice(0, 5)) await run(query);
  const taken: number[] = [];
  for (const query of queries) {
    const startedAt = performance.now();
    await run(query);
    taken.push(performance.now() - startedAt);
  }
  taken.sort((a, b) => a - b);
  return { p50: taken[taken.length >> 1]!, p95: taken[Math.floor(taken.length * 0.95)]! };
}

function report(what: string, figure: string, floor: string, ratio: number | undefined): void {
  console.log(
    `${what}: ${figure}${floor ? `; ${floor}` : ''}${ratio === undefined ? '' : `; ratio ${ratio.toFixed(2)}`}`,
  );
}

/** Made-up words whose frequency falls with their rank as in a natural language. */
function createVocabulary(size: number) {
  let state = 42;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const names = Array.from({ length: size }, (_, rank) => {
    let name = '';
    for (let rest = rank + 100; rest > 0; rest = Math.floor(rest / 95))
      name += `${'bcdfghjklmnpqrstvwz'[rest % 19]}${'aeiou'[Math.floor(rest / 19) % 5]}`;
    return name;
  });
  const cumulative = new Float64Array(size);
  let total = 0;
  for (let rank = 0; rank < size; rank++) {
    total += 1 / (rank + 2.7);
    cumulative[rank] = total;
  }
  const rank = () => {
    const target = random() * total;
    let low = 0;
    let high = size - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cumulative[middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return { rank, name: (index: number) => names[index]!, next: () => names[rank()]! };
}
