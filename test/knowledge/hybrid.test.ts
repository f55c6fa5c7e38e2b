import { describe, expect, test } from 'bun:test';
import { fuseRankings } from '../../src/knowledge/local-vectors.ts';
import type { Embedder } from '../../src/models/model.ts';
import { bytesOf } from './make-documents.ts';
import { openKnowledge, signal } from './open-knowledge.ts';

const MEANINGS = [
  ['car', 'automobile', 'vehicle'],
  ['ship', 'vessel', 'boat'],
  ['bread', 'loaf', 'bakery'],
];

/** Places a text by what it is about; counts its calls; fails while `broken`. */
function createEmbedder(name = 'meaning'): Embedder & { texts: string[]; broken: boolean; answer?: Float32Array[] } {
  return {
    name,
    texts: [],
    broken: false,
    async embed(texts, abort) {
      abort.throwIfAborted();
      if (this.broken) throw new Error('secret-key-in-an-error');
      this.texts.push(...texts);
      if (this.answer) return this.answer;
      return texts.map((text) => {
        const counts = MEANINGS.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length);
        return Float32Array.from([...counts, 0.01]);
      });
    },
  };
}

const documents = [
  ['cars.md', '# Garage\n\nThe automobile stands in the yard.'],
  ['ships.md', '# Port\n\nThe vessel leaves at noon.'],
  ['bread.md', '# Oven\n\nA loaf is baked at dawn.'],
] as const;

describe('hybrid search', () => {
  test('finds a passage that shares no word with the question', async () => {
    const embedder = createEmbedder();
    await using held = openKnowledge({ embedder });
    for (const [name, text] of documents) await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal);
    const [best] = await held.knowledge.retrieve('boat', { limit: 1, signal });
    expect(best!.title).toBe('Port');
    expect((await held.knowledge.listResources({ query: 'car', limit: 1, signal }))[0]!.title).toBe('Garage');
    const narrowed = await held.knowledge.retrieve('boat', { limit: 5, resources: [best!.resourceUri], signal });
    expect(narrowed.map((passage) => passage.title)).toEqual(['Port']);
    await using plain = openKnowledge({ home: held.home });
    expect(await plain.knowledge.retrieve('boat', { limit: 1, signal })).toEqual([]);
  });

  test('embeds again after a change of the model and forgets what was removed', async () => {
    const first = createEmbedder('first');
    await using held = openKnowledge({ embedder: first });
    const added = [];
    for (const [name, text] of documents)
      added.push(await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal));
    expect(first.texts).toHaveLength(3);
    const second = createEmbedder('second');
    const other = held.another({ embedder: second });
    await other.ingest({ name: 'more.md', bytes: bytesOf('# Quay\n\nA ship waits.') }, signal);
    expect(second.texts).toHaveLength(4);
    expect((await other.retrieve('boat', { limit: 2, signal })).map((passage) => passage.title).sort()).toEqual([
      'Port',
      'Quay',
    ]);
    await other.remove(added[1]!.uri);
    expect((await other.retrieve('boat', { limit: 1, signal }))[0]!.title).toBe('Quay');
  });

  test('falls back to full text when the provider fails, with a warning and without its words', async () => {
    const embedder = createEmbedder();
    embedder.broken = true;
    await using held = openKnowledge({ embedder });
    for (const [name, text] of documents) await held.knowledge.ingest({ name, bytes: bytesOf(text) }, signal);
    expect((await held.knowledge.retrieve('vessel', { limit: 1, signal }))[0]!.title).toBe('Port');
    expect(held.log.filter((line) => line.includes('embedding failed'))).toHaveLength(1);
    embedder.broken = false;
    held.advance(60_000);
    await held.knowledge.ingest({ name: 'more.md', bytes: bytesOf('# Quay\n\nNothing.') }, signal);
    expect((await held.knowledge.retrieve('boat', { limit: 1, signal }))[0]!.title).toBe('Port');
    expect(held.log.join('\n')).not.toContain('The vessel leaves');
  });

  test('ignores an answer with too few vectors or of another length', async () => {
    const embedder = createEmbedder();
    embedder.answer = [];
    await using held = openKnowledge({ embedder });
    await held.knowledge.ingest({ name: 'a.md', bytes: bytesOf('# A\n\nalpha vessel') }, signal);
    expect(held.log.join('\n')).toContain('embedding failed');
    embedder.answer = [Float32Array.from([1, 0])];
    held.advance(60_000);
    await held.knowledge.ingest({ name: 'b.md', bytes: bytesOf('# B\n\nbeta') }, signal).catch(() => {});
    expect((await held.knowledge.retrieve('alpha', { limit: 1, signal }))[0]!.title).toBe('A');
  });

  test('an abort during the embedding of a question is the caller’s', async () => {
    const embedder = createEmbedder();
    const leave = new AbortController();
    embedder.embed = (_texts, abort) =>
      new Promise((_, reject) => abort.addEventListener('abort', () => reject(abort.reason), { once: true }));
    await using held = openKnowledge({ embedder });
    const searching = held.knowledge.retrieve('alpha', { limit: 1, signal: leave.signal }).catch((error) => error);
    await Bun.sleep(10);
    leave.abort(new Error('left'));
    expect((await searching).message).toBe('left');
    expect(held.log.join('\n')).not.toContain('embedding failed');
  });
});

test('fusion puts first what several rankings place high', () => {
  const ranking = (...ids: number[]) => ids.map((id) => ({ id, score: 1 }));
  expect(fuseRankings([ranking(1, 2, 3), ranking(4, 2, 5)], 3).map((each) => each.id)).toEqual([2, 1, 4]);
  expect(fuseRankings([], 3)).toEqual([]);
});
