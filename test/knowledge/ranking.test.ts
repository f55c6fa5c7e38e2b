import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { toQueryTerms } from '../../src/knowledge/index-text.ts';
import { openDatabase } from '../../src/knowledge/local-database.ts';
import { searchText, TermCounts } from '../../src/knowledge/local-search.ts';
import { putDocument } from '../../src/knowledge/local-write.ts';
import { bytesOf } from './make-documents.ts';
import { openKnowledge, signal } from './open-knowledge.ts';

/** Deterministic numbers below `limit`, small ones more often, as words occur in a language. */
function createRandom(seed: number) {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (limit: number) => Math.floor(uniform() * limit),
    skewed: (limit: number) => Math.floor(uniform() ** 3 * limit),
  };
}

const word = (index: number) =>
  `${'bcdfgklmnprtvz'[index % 14]}${'aeiou'[((index / 14) % 5) | 0]}${'bcdfgklmnprtvz'[((index / 70) % 14) | 0]}${'aiou'[((index / 980) % 4) | 0]}k`;

interface Judged {
  documents: { title: string; body: string; topic: number }[];
  queries: { text: string; topic: number }[];
}

/** A collection in which a document is relevant to a query when it was written about the same topic. */
function makeCollection(): Judged {
  const random = createRandom(11);
  const topics = Array.from({ length: 40 }, () => Array.from({ length: 14 }, () => 200 + random.below(1_500)));
  const write = (topic: number, length: number, share: number) =>
    Array.from({ length }, () =>
      word(random.below(100) < share ? topics[topic]![random.skewed(14)]! : random.skewed(2_000)),
    );
  const documents = Array.from({ length: 600 }, (_, index) => {
    const topic = index % 40;
    return { topic, title: write(topic, 7, 30).join(' '), body: write(topic, 60 + random.below(140), 9).join(' ') };
  });
  const queries = Array.from({ length: 80 }, (_, index) => {
    const topic = index % 40;
    return { topic, text: `what is the ${write(topic, 5, 45).join(' of ')}?` };
  });
  return { documents, queries };
}

function ndcgAt10(ranked: number[], topic: number, collection: Judged): number {
  const gain = (relevant: boolean, rank: number) => (relevant ? 1 / Math.log2(rank + 2) : 0);
  const got = ranked
    .slice(0, 10)
    .reduce((sum, document, rank) => sum + gain(collection.documents[document]!.topic === topic, rank), 0);
  return got / Array.from({ length: 10 }, (_, rank) => gain(true, rank)).reduce((a, b) => a + b);
}

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;

describe('ranking', () => {
  test('is as good as FTS5 with porter stemming, stop words and titles counted twice', async () => {
    const collection = makeCollection();
    const reference = new Database(':memory:');
    reference.run("CREATE VIRTUAL TABLE t USING fts5(title, body, tokenize='porter unicode61')");
    await using held = openKnowledge({ handbookPages: [{ name: 'page', text: `# Page\n\n${word(3)} ${word(500)}` }] });
    await Promise.all(
      collection.documents.map(({ title, body }, index) => {
        reference.run('INSERT INTO t (rowid, title, body) VALUES (?, ?, ?)', [index + 1, title, body]);
        return held.knowledge.ingest(
          { name: `${index}.md`, bytes: bytesOf(`---\ntitle: ${title}\n---\n${body}`) },
          signal,
        );
      }),
    );
    const byUri = new Map<string, number>();
    const listed = await held.knowledge.listResources({ limit: 1_000, signal });
    const positions = new Map(collection.documents.map((document, index) => [document.title, index]));
    for (const resource of listed)
      if (positions.has(resource.title)) byUri.set(resource.uri, positions.get(resource.title)!);
    expect(byUri.size).toBe(600);

    const ours: number[] = [];
    const theirs: number[] = [];
    for (const { text, topic } of collection.queries) {
      const resources = await held.knowledge.listResources({ query: text, limit: 10, signal });
      ours.push(
        ndcgAt10(
          resources.map((resource) => byUri.get(resource.uri) ?? 0),
          topic,
          collection,
        ),
      );
      const rows = reference
        .query<{ id: number }, [string]>(
          'SELECT rowid - 1 AS id FROM t WHERE t MATCH ? ORDER BY bm25(t, 2.0, 1.0) LIMIT 10',
        )
        .all(toQueryTerms(text).join(' OR '));
      theirs.push(
        ndcgAt10(
          rows.map((row) => row.id),
          topic,
          collection,
        ),
      );
    }
    expect(mean(theirs)).toBeGreaterThan(0.4);
    expect(mean(theirs)).toBeLessThan(0.98);
    expect(mean(ours)).toBeGreaterThanOrEqual(mean(theirs) - 0.005);
  });

  test('of a large collection finds what ranking every match would find', async () => {
    await using held = openKnowledge();
    const database = openDatabase(join(held.home, 'large.db'));
    const random = createRandom(5);
    database.transaction(() => {
      for (let resource = 0; resource < 15; resource++) {
        const chunks = Array.from({ length: 1_000 }, () => {
          const content = Array.from({ length: 30 }, () => word(random.skewed(3_000))).join(' ');
          return { content, start: 0, end: content.length, headingPath: [] };
        });
        const document = { title: word(random.below(3_000)), description: null, digest: 'x', chunks };
        putDocument(
          database,
          { uri: `local://${resource}`, name: `${resource}`, builtin: false, updatedAt: 1 },
          document,
        );
      }
    })();
    const counts = new TermCounts();
    const overlaps: number[] = [];
    for (let round = 0; round < 40; round++) {
      const terms = [
        ...new Set([1, 2, 3, 4, 5, 6].map(() => `"${word(random.skewed(3_000))}"`)),
        `"${word(2_000 + random.below(900))}"`,
      ];
      const exact = database
        .query<{ id: number; score: number }, [string]>(
          'SELECT rowid AS id, -bm25(chunk_index, 2.0, 1.0) AS score FROM chunk_index WHERE chunk_index MATCH ? ORDER BY score DESC, rowid LIMIT 10',
        )
        .all(terms.join(' OR '));
      const found = searchText(database, counts, terms, 10);
      const best = new Set(exact.map((each) => each.id));
      overlaps.push(found.filter((each) => best.has(each.id)).length / exact.length);
      expect(found[0]!.score).toBeCloseTo(exact[0]!.score, 4);
    }
    expect(mean(overlaps)).toBeGreaterThan(0.97);
    const frequent = [0, 1, 2].map((index) => `"${word(index)}"`);
    expect(searchText(database, counts, frequent, 10)).toHaveLength(10);
    expect(searchText(database, counts, ['"nowhere"'], 10)).toEqual([]);
    // One word that is nowhere else must not hide what the others find.
    const document = {
      title: 'rarity',
      description: null,
      digest: 'x',
      chunks: [{ content: 'rarity', start: 0, end: 6, headingPath: [] }],
    };
    database.transaction(() =>
      putDocument(database, { uri: 'local://r', name: 'r', builtin: false, updatedAt: 1 }, document),
    )();
    const mixed = searchText(database, counts, ['"rarity"', ...frequent], 10);
    expect(mixed).toHaveLength(10);
    expect(mixed[0]!.id).toBe(15_001);
    // A selection that holds none of the rare words.
    const selected = searchText(database, counts, ['"rarity"', ...frequent, '"nowhere"'], 10, [3]);
    expect(selected).toHaveLength(10);
    for (const { id } of selected) expect(Math.ceil(id / 1_000)).toBe(3);
    database.close();
  });
});
