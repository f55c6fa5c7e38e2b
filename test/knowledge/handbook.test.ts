import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { HANDBOOK_PAGES, type HandbookPage } from '../../src/knowledge/handbook.ts';
import { bytesOf } from './make-documents.ts';
import { openKnowledge, signal } from './open-knowledge.ts';

const titles = (resources: { title: string }[]) => resources.map((resource) => resource.title);

describe('the handbook', () => {
  const pages: HandbookPage[] = [
    { name: 'runs', text: '# Runs\n\nA run continues after a restart.' },
    { name: 'models', text: '# Models\n\nEvery role has a model.' },
  ];

  test('is there without any document, after the user’s own', async () => {
    await using held = openKnowledge({ handbookPages: pages });
    expect(await held.knowledge.hasContent()).toBe(true);
    expect((await held.knowledge.listResources({ limit: 10, signal })).map((resource) => resource.uri)).toEqual([
      'handbook://runs',
      'handbook://models',
    ]);
    await held.knowledge.ingest(
      { name: 'mine.md', bytes: bytesOf('# Mine\n\nA long text of my own that mentions a restart late.') },
      signal,
    );
    expect(titles(await held.knowledge.listResources({ limit: 10, signal }))).toEqual(['Mine', 'Runs', 'Models']);
    expect(titles(await held.knowledge.listResources({ query: 'restart', limit: 10, signal }))).toEqual([
      'Mine',
      'Runs',
    ]);
    expect((await held.knowledge.retrieve('continue after restart', { limit: 1, signal }))[0]!.uri).toBe(
      'handbook://runs#runs',
    );
  });

  test('follows its text, without duplicates, and disappears when it is switched off', async () => {
    await using held = openKnowledge({ handbookPages: pages });
    const uris = async (knowledge: typeof held.knowledge) =>
      (await knowledge.listResources({ limit: 10, signal })).map((resource) => resource.uri).sort();
    expect(await uris(held.knowledge)).toEqual(['handbook://models', 'handbook://runs']);
    const newer = held.another({
      handbookPages: [
        { name: 'runs', text: '# Runs\n\nChanged words.' },
        { name: 'new', text: '# New' },
      ],
    });
    expect(await uris(newer)).toEqual(['handbook://new', 'handbook://runs']);
    expect(await newer.retrieve('changed', { limit: 5, signal })).toHaveLength(1);
    expect(await newer.retrieve('restart', { limit: 5, signal })).toEqual([]);
    const { knowledge: off } = openKnowledge({ home: held.home });
    expect(await uris(off)).toEqual([]);
    expect(await off.hasContent()).toBe(false);
    await off.stop();
    expect(await uris(held.another())).toEqual(['handbook://models', 'handbook://runs']);
  });

  test('holds every page of the product and quotes them verbatim', async () => {
    await using held = openKnowledge({ handbookPages: HANDBOOK_PAGES });
    const resources = await held.knowledge.listResources({ limit: 100, signal });
    expect(resources.map((resource) => resource.uri)).toEqual(HANDBOOK_PAGES.map((page) => `handbook://${page.name}`));
    const files = [...new Bun.Glob('*.md').scanSync(join(import.meta.dir, '../../src/handbook'))];
    expect(HANDBOOK_PAGES.map((page) => `${page.name}.md`).sort()).toEqual(files.sort());
    const [passage] = await held.knowledge.retrieve('How does a research run continue after the server restarts?', {
      limit: 1,
      signal,
    });
    const page = HANDBOOK_PAGES.find((each) => `handbook://${each.name}` === passage!.resourceUri)!;
    expect(page.text).toContain(passage!.content);
    expect(page.name).toBe('runs');
  });
});
