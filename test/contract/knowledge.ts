import { describe, expect, test } from 'bun:test';
import type { KnowledgeProvider } from '../../src/knowledge/model.ts';

/** What a provider is asked to hold. */
export interface KnowledgeDocument {
  /** File name. */
  name: string;
  title: string;
  /** Markdown. */
  text: string;
}

/** A provider that holds documents, and how to end it. */
export interface HeldKnowledge extends AsyncDisposable {
  provider: KnowledgeProvider;
}

/** The documents every provider is tested with. */
const KNOWLEDGE_DOCUMENTS: KnowledgeDocument[] = [
  {
    name: 'backups.md',
    title: 'Backup policy',
    text: '# Backup policy\n\nBackups are encrypted and kept for ninety days. A restore drill takes place every quarter.\n',
  },
  {
    name: 'travel.md',
    title: 'Travel guide',
    text: '# Travel guide\n\nEmployees book trains before flights. Hotels are reimbursed up to a nightly limit.\n',
  },
  {
    name: 'lighthouse.md',
    title: 'Lighthouse keeping',
    text: '# Lighthouse keeping\n\nThe lamp is trimmed at dusk. Storm shutters are closed when the barometer falls quickly.\n',
  },
];

/**
 * What every knowledge provider has to do, whatever is behind it. `hold` returns a provider that holds `documents`
 * (an external one fills its service, or a local server that speaks its wire).
 */
export function describeKnowledge(
  name: string,
  hold: (documents: KnowledgeDocument[]) => Promise<HeldKnowledge>,
): void {
  const signal = new AbortController().signal;

  describe(`${name} as a knowledge provider`, () => {
    test('lists every resource with an address and a title', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      const resources = await held.provider.listResources({ limit: 100, signal });
      expect(resources.length).toBeGreaterThan(0);
      for (const resource of resources) {
        expect(resource.uri).toMatch(/^[a-z_+-]+:\/\/\S+$/);
        expect(resource.title).not.toBe('');
      }
      expect(new Set(resources.map((resource) => resource.uri)).size).toBe(resources.length);
      expect(held.provider.name).not.toBe('');
    });

    test('returns no more resources than asked for', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      expect(await held.provider.listResources({ limit: 1, signal })).toHaveLength(1);
    });

    test('finds the passage that answers and names the resource it belongs to', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      const passages = await held.provider.retrieve('How long are backups kept?', { limit: 3, signal });
      const best = passages[0]!;
      expect(best.content).toContain('Backups are encrypted and kept for ninety days.');
      expect(best.title).not.toBe('');
      expect(best.uri.startsWith(best.resourceUri)).toBe(true);
      const uris = (await held.provider.listResources({ limit: 100, signal })).map((resource) => resource.uri);
      expect(uris).toContain(best.resourceUri);
    });

    test('orders passages by score and respects the limit', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      const passages = await held.provider.retrieve('lamp storm trains backups', { limit: 2, signal });
      expect(passages.length).toBeLessThanOrEqual(2);
      expect(passages.map((passage) => passage.score)).toEqual(
        passages.map((passage) => passage.score).sort((a, b) => b - a),
      );
    });

    test('narrows to the selected resources', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      const [lamp] = await held.provider.retrieve('lamp trimmed at dusk', { limit: 1, signal });
      const narrowed = await held.provider.retrieve('backups trains lamp', {
        limit: 10,
        resources: [lamp!.resourceUri],
        signal,
      });
      expect(narrowed.length).toBeGreaterThan(0);
      expect(new Set(narrowed.map((passage) => passage.resourceUri))).toEqual(new Set([lamp!.resourceUri]));
    });

    test('says that it holds something', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      expect(await held.provider.hasContent()).toBe(true);
    });

    test.each([
      '',
      '   ',
      '"',
      '" OR ""',
      'NEAR(',
      '* ^ : - +',
      '\0',
      "'; DROP TABLE chunks; --",
      '💥',
      'a'.repeat(50_000),
    ])('survives the query %j', async (query) => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      expect(Array.isArray(await held.provider.retrieve(query, { limit: 3, signal }))).toBe(true);
      expect(Array.isArray(await held.provider.listResources({ query, limit: 3, signal }))).toBe(true);
    });

    test('rejects with the reason of an abort', async () => {
      await using held = await hold(KNOWLEDGE_DOCUMENTS);
      const reason = new Error('left');
      const aborted = AbortSignal.abort(reason);
      expect(await held.provider.retrieve('backups', { limit: 1, signal: aborted }).catch((error) => error)).toBe(
        reason,
      );
    });
  });
}
