import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createLogger } from '../../src/lib/log.ts';
import { loadImages } from '../../src/slides/load-images.ts';

const png = Buffer.from(await Bun.file(join(import.meta.dir, '../fixtures/slides/slide.png')).arrayBuffer());

/** Loads `data:` URLs of these bytes; the codes are what the log says of those left out. */
async function load(images: Buffer[]) {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const guardedFetch = () => Promise.reject(new Error('nothing is fetched'));
  const references = images.map((bytes) => ({ source: `data:image/png;base64,${bytes.toString('base64')}`, alt: '' }));
  const used = new Set(images.map((_, index) => index + 1));
  const needs = { guardedFetch, log, maxBytes: 20 * 1024 * 1024 };
  const loaded = await loadImages(references, used, needs, new AbortController().signal);
  return { loaded: loaded.map((image) => image !== undefined), codes: lines.map((line) => JSON.parse(line).code) };
}

test('a deck has at most forty images; the others are left out', async () => {
  const { loaded, codes } = await load(Array.from({ length: 42 }, () => png));
  expect(loaded).toEqual([...Array<boolean>(40).fill(true), false, false]);
  expect(codes).toEqual(['too_many_images', 'too_many_images']);
});

test('the images of a deck have at most 24 MiB together; a smaller one after a refused one still fits', async () => {
  const large = Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]);
  const { loaded, codes } = await load([large, large, large, png]);
  expect(loaded).toEqual([true, true, false, true]);
  expect(codes).toEqual(['images_too_large']);
});
