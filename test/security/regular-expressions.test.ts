import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { hostileTexts, pumpedTexts } from '../helpers/hostile-texts.ts';
import { readSourceRegexes } from '../helpers/source-regexes.ts';

const ROOT = join(import.meta.dir, '../..');
const SHORT = 2_500;
/** What takes time in proportion takes 4 times as long for 4 times the text, a quadratic one 16 times. */
const FACTOR = 4;
const MAX_GROWTH = 9;
/** Below this nothing can be told from noise, and nothing is held up. */
const QUIET_MS = 12;

function timeOf(regex: RegExp, text: string): number {
  const all = new RegExp(regex.source, regex.flags.includes('g') || regex.sticky ? regex.flags : `${regex.flags}g`);
  const startedAt = performance.now();
  text.replace(all, '');
  return performance.now() - startedAt;
}

/** The least of some tries: a stall of the machine is not the expression's. */
function leastTime(regex: RegExp, text: string, tries: number): number {
  return Math.min(...Array.from({ length: tries }, () => timeOf(regex, text)));
}

/** How many times as long the same attack takes when it is four times as long; 0 when it takes no time at all. */
function growthOf(regex: RegExp, short: string, long: string): number {
  if (timeOf(regex, long) < QUIET_MS || leastTime(regex, long, 3) < QUIET_MS) return 0;
  return leastTime(regex, long, 3) / Math.max(leastTime(regex, short, 5), QUIET_MS / (FACTOR * FACTOR));
}

describe('every regular expression of the product takes time in proportion to the text', async () => {
  const { literals } = await readSourceRegexes(ROOT);
  const hostile = hostileTexts(SHORT).map(({ text }, index) => [text, hostileTexts(SHORT * FACTOR)[index]?.text ?? '']);

  test('there are expressions to look at, and the attack finds a quadratic one', () => {
    expect(literals.length).toBeGreaterThan(300);
    const careless = /[a-z]+:\/\//g;
    expect(growthOf(careless, 'a'.repeat(20_000), 'a'.repeat(80_000))).toBeGreaterThan(MAX_GROWTH);
  });

  const files = Map.groupBy(literals, ({ place }) => place.split('/')[1] ?? place);
  test.each([...files])('in %s', (_folder, own) => {
    const slow: string[] = [];
    for (const { place, regex } of own) {
      const long = [...pumpedTexts(regex, SHORT * FACTOR)];
      const pumped = [...pumpedTexts(regex, SHORT)].map((text, index) => [text, long[index] ?? text]);
      const found = [...pumped, ...hostile].find(
        ([short = '', text = '']) => growthOf(regex, short, text) > MAX_GROWTH,
      );
      if (found) slow.push(`${place} ${regex} on ${JSON.stringify(found[0]?.slice(0, 40))}`);
    }
    expect(slow).toEqual([]);
  });
});
