import { expect } from 'bun:test';

/** What an attacker writes into a title: clears the screen, sets the window's name, turns the line round, fakes lines. */
export const HOSTILE =
  'evil\u001b]0;owned\u0007\u001b[2J\u009b31m\r\u0008\u007f\u202edlrow\u2066\u2069\u200f\u061c\u2028\u2029\u0085\nFAKE line\u0000';

/** The same for places that take no zero character (arguments, file names, variables). */
export const HOSTILE_WORD = HOSTILE.replaceAll('\u0000', '');

const STEERING = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
/** Colours and weights of our own, and the erased line of a progress display. */
const OURS = /\u001b\[(?:\d+(?:;\d+)*)?m|\r\u001b\[2K/g;

/** Expects that printed text neither steers a terminal nor has a line of the attacker's making; it must show the attack escaped. */
export function expectCalm(text: string, { lines = 'ours' }: { lines?: 'ours' | 'theirs' } = {}): void {
  const found = text.replace(OURS, '').match(STEERING) ?? [];
  // A report may hold marks of direction: right-to-left text needs them.
  const steering = lines === 'theirs' ? found.filter((character) => !/[\u061c\u200e\u200f]/.test(character)) : found;
  expect(steering.map((character) => character.charCodeAt(0).toString(16))).toEqual([]);
  if (lines === 'ours') expect(text).not.toMatch(/^FAKE/m);
}
