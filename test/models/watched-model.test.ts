import { describe, expect, test } from 'bun:test';
import { createLogger } from '../../src/lib/log.ts';
import type { Model, ModelEvent } from '../../src/models/model.ts';
import { RepetitionWatch } from '../../src/models/repetition-watch.ts';
import { WatchedModel } from '../../src/models/watched-model.ts';

function loops(text: string, piece = 37): boolean {
  const watch = new RepetitionWatch();
  for (let from = 0; from < text.length; from += piece) if (watch.push(text.slice(from, from + piece))) return true;
  return false;
}

describe('RepetitionWatch', () => {
  test.each([
    ['one word', 'word '.repeat(4000)],
    ['one character', 'a'.repeat(20_000)],
    ['a sentence', 'The same thing is said again and again, without an end. '.repeat(300)],
    ['a long passage, after a good beginning', `${article(400)}${article(30).repeat(40)}`],
    ['a word without an end', Array.from({ length: 9000 }, (_, index) => `x${index}`).join('')],
    ['Chinese', '同一句话说了又说。'.repeat(2000)],
  ])('sees the loop of %s', (_, text) => {
    expect(loops(text)).toBe(true);
    expect(loops(text, 1000)).toBe(true);
  });

  test.each([
    ['an article', article(4000)],
    ['a wide table', Array.from({ length: 900 }, (_, row) => `| ${row} | a | b | c | d |\n`).join('')],
    ['a rule of dashes', `${article(300)}\n${'-'.repeat(2000)}\n${article(300)}`],
    [
      'Chinese without spaces',
      Array.from({ length: 40_000 }, (_, index) => String.fromCharCode(0x4e00 + ((index * 7919) % 20_000))).join(''),
    ],
  ])('lets %s pass', (_, text) => {
    expect(loops(text)).toBe(false);
  });

  test('takes time in proportion to the text', () => {
    const startedAt = performance.now();
    loops('ab'.repeat(2000) + article(60_000), 5);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

describe('WatchedModel', () => {
  const request = { agent: 'reporter' as const, messages: [], runId: 'run_1' };

  test('ends an answer that loops, hangs up, and says so without its text', async () => {
    const lines: string[] = [];
    let hungUp = false;
    const model: Model = {
      name: 'm',
      contextWindow: 1000,
      async *stream(_request, signal) {
        signal.addEventListener('abort', () => {
          hungUp = true;
        });
        for (;;) yield { type: 'text', text: 'again and again ' };
      },
    };
    const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
    const events: ModelEvent[] = [];
    for await (const event of new WatchedModel(model, log).stream(request, new AbortController().signal))
      events.push(event);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'length', model: 'm' });
    expect(events.length).toBeLessThan(1000);
    expect(hungUp).toBe(true);
    expect(lines.join('')).toContain('"run_id":"run_1"');
    expect(lines.join('')).not.toContain('again and');
  });

  test('passes an ordinary answer through as it is', async () => {
    const answer: ModelEvent[] = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: article(2000) },
      { type: 'finish', reason: 'stop', model: 'm' },
    ];
    const model: Model = {
      name: 'm',
      contextWindow: 1000,
      async *stream() {
        yield* answer;
      },
    };
    const log = createLogger({ level: 'info', format: 'json', write: () => undefined });
    const events: ModelEvent[] = [];
    for await (const event of new WatchedModel(model, log).stream(request, new AbortController().signal))
      events.push(event);
    expect(events).toEqual(answer);
  });
});

/** Text of so many different words. */
function article(words: number): string {
  return Array.from({ length: words }, (_, index) => `word${(index * 2_654_435_761) % 99_991}`).join(' ');
}
