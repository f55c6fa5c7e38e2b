import { describe, expect, test } from 'bun:test';
import type { AppError } from '../../src/errors.ts';
import { bytesOf, makeDocx, paragraph } from '../knowledge/make-documents.ts';
import { knowledgeConfig, openKnowledge, signal } from '../knowledge/open-knowledge.ts';

/** Small files that kept a reader busy for a minute and more. */
const HOSTILE: [what: string, name: string, bytes: () => Uint8Array][] = [
  ['a paragraph of 60 MB in a small DOCX', 'paragraph.docx', () => makeDocx(paragraph('word '.repeat(12_000_000)))],
  ['a DOCX of three million elements', 'elements.docx', () => makeDocx('<w:p><w:r/></w:p>'.repeat(1_500_000))],
  ['Markdown of brackets', 'brackets.md', () => bytesOf(`# ${'['.repeat(2_000_000)}`)],
  ['nested SVG', 'svg.html', () => bytesOf('<SVG/'.repeat(400_000))],
  ['nested DIV', 'div.html', () => bytesOf('<div>'.repeat(450_000))],
  ['comments that never end', 'comments.html', () => bytesOf('<!--'.repeat(500_000))],
  ['a text without a space', 'word.txt', () => bytesOf('x'.repeat(10_000_000))],
];
const LIMITS = ['document_time_limit', 'document_memory_limit', 'document_too_large', 'document_too_complex'];

describe('an upload made to keep its reader busy', () => {
  const seconds = 1;
  const config = knowledgeConfig({ read_timeout_seconds: seconds });

  test.each(HOSTILE)('%s is read, or refused in time with the name of the limit', async (_what, name, bytes) => {
    await using held = openKnowledge({ config });
    const content = bytes();
    const started = performance.now();
    const failure = await held.knowledge.ingest({ name, bytes: content }, signal).then(
      () => undefined,
      (error: unknown) => error as AppError,
    );
    // The time limit, and what a loaded machine needs to start a process and to index what was read.
    expect(performance.now() - started).toBeLessThan((seconds + 8) * 1000);
    if (!failure || failure.code === 'empty_file') return;
    expect(LIMITS).toContain(failure.code);
    expect([413, 422]).toContain(failure.status);
    expect(failure.message).toMatch(/knowledge\.read_(timeout_seconds|memory_bytes)|more than \d+|larger than \d+/);
  });

  test('does not keep others from being read, however many there are', async () => {
    await using held = openKnowledge();
    const leave = new AbortController();
    const hostile = Array.from({ length: 4 }, (_, index) =>
      held.knowledge
        .ingest({ name: `${index}.md`, bytes: bytesOf(`# ${'['.repeat(2_000_000)}`) }, leave.signal)
        .catch(() => {}),
    );
    const names = Array.from({ length: 5 }, (_, index) => `good-${index}.md`);
    for (const name of names) await held.knowledge.ingest({ name, bytes: bytesOf(`# ${name}\n\nText.`) }, signal);
    leave.abort(new Error('enough'));
    await Promise.all(hostile);
    const titles = (await held.knowledge.listResources({ limit: 20, signal })).map((resource) => resource.title);
    expect(titles).toEqual(expect.arrayContaining(names));
  });
});
