import { expect, test } from 'bun:test';
import { writeId3 } from '../../src/speech/id3.ts';
import { readChapters, readId3, textOf } from '../helpers/decode-mp3.ts';
import { HOSTILE } from '../helpers/hostile-text.ts';

test('titles of a report reach a player as one line without control characters', () => {
  const tag = writeId3({ title: `Ü ${HOSTILE}`, durationMs: 1000, chapters: [{ title: HOSTILE, startMs: 0 }] });
  const title = readId3(tag).find(({ id }) => id === 'TIT2');
  const calm = 'evil ]0;owned [2J 31m dlrow \u200f\u061c FAKE line';
  expect(textOf(title!.body)).toBe(`Ü ${calm}`);
  expect(readChapters(tag)[0]?.title).toBe(calm);
});
