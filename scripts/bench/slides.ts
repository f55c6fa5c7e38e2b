#!/usr/bin/env bun
// A 20-slide deck from Markdown without a model, against pptxgenjs alone drawing the same slides. Run it after a change of
// src/slides:
//   bun scripts/bench/slides.ts [rounds]
// Prints the median of both in this thread (measuring, drawing, cleaning, deflating), of the whole over HTTP's worker pool,
// and how long the event loop was held up meanwhile.
import { createGuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { buildFromMarkdown } from '../../src/slides/build.ts';
import { typesetting } from '../../src/slides/fit-text.ts';
import { createSlideGenerator } from '../../src/slides/generate.ts';
import { layOutDeck } from '../../src/slides/layout.ts';
import { outlineDeck } from '../../src/slides/outline.ts';
import { drawPages, renderPages } from '../../src/slides/render.ts';
import { themeOf } from '../../src/slides/theme.ts';
import { defaultConfig } from '../../test/helpers/test-server.ts';

const SLIDES = 20;
const WARM_UP = 30;
const rounds = Number(Bun.argv[2] ?? 30);
const content = twentySlides();
const settings = { theme: 'light' as const, maxSlides: 120, createdAt: 0 };
const { deck } = outlineDeck(content, 'en-US');
const pages = layOutDeck(deck, { maxSlides: 120, images: [], alts: [] });
if (pages.length !== SLIDES) throw new Error(`the deck has ${pages.length} slides, not ${SLIDES}`);

const raw = { title: deck.title, theme: themeOf('light'), lineHeight: typesetting('en-US').lineHeight, images: [] };
const own: number[] = [];
const alone: number[] = [];
const deflated: number[] = [];
// Taken in turns, so that a busy machine slows both.
for (let round = 0; round < rounds + WARM_UP; round++) {
  const wholeMs = await time(() => buildFromMarkdown(content, 'en-US', settings));
  const aloneMs = await time(() => renderPages(pages, raw));
  if (round < WARM_UP) continue;
  own.push(wholeMs);
  alone.push(aloneMs);
}
for (let round = 0; round < rounds; round++)
  deflated.push(await time(() => drawPages(pages, raw).then((drawn) => drawn.stream({ compression: true }))));

const figure = (label: string, values: number[]) =>
  `${label} ${median(values).toFixed(1)} ms, ratio ${(median(own) / median(values)).toFixed(2)}`;
console.log(`${SLIDES} slides from Markdown: ${median(own).toFixed(1)} ms`);
console.log(`  ${figure('pptxgenjs alone, deflated as ours is:', deflated)}`);
console.log(`  ${figure('pptxgenjs alone, not compressed:', alone)}`);

// Slides ask for no more where no model is.
const models = { has: () => false } as unknown as Models;
const slides = createSlideGenerator({
  models,
  guardedFetch: createGuardedFetch({ allowPrivateNetwork: false, log: silentLogger }),
  clock: systemClock,
  log: silentLogger,
  config: defaultConfig().slides,
});
const signal = new AbortController().signal;
const first = await time(() => slides.generate({ content }, signal));
const viaWorker: number[] = [];
const delays: number[] = [];
let last = performance.now();
const ticker = setInterval(() => {
  const now = performance.now();
  delays.push(now - last - 5);
  last = now;
}, 5);
for (let round = 0; round < rounds; round++) viaWorker.push(await time(() => slides.generate({ content }, signal)));
clearInterval(ticker);
slides.stop();
console.log(`in the worker: ${median(viaWorker).toFixed(1)} ms, first call ${first.toFixed(1)} ms`);
console.log(`event loop meanwhile: p95 ${percentile(delays, 0.95).toFixed(1)} ms late`);

async function time(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** A report with text, lists, tables, charts, a quote and code that fills twenty slides. */
function twentySlides(): string {
  const part = (index: number) =>
    [
      `## Part ${index}`,
      'Adoption grew in every region that was studied, with one exception. The exception had **changed its rules** twice within a year [1]. Prices followed with a delay of two quarters.',
      `- First finding of part ${index} with some detail\n- Second finding, which qualifies the first\n- Third finding\n- Fourth finding with \`code\``,
    ].join('\n\n');
  return [
    '# Twenty slides',
    ...Array.from({ length: 5 }, (_, index) => part(index + 1)),
    '### Numbers\n\n| Region | Sites | Growth |\n|---|---|---|\n| North | 120 | 14 |\n| South | 80 | 9 |\n| East | 64 | 22 |',
    '### Over time\n\n| Year | Value |\n|---|---|\n| 2020 | 3 |\n| 2021 | 5 |\n| 2022 | 9 |\n| 2023 | 12 |',
    '### Suppliers\n\n| Name | Place | Remark |\n|---|---|---|\n| A | Oslo | large |\n| B | Rome | small and growing |\n| C | Bern | new |',
    '### Voices\n\n> The cheapest unit is the one nobody needs.\n> — An engineer',
    '### Code\n\n```ts\nexport const answer = 42;\n```',
    '## References\n\n1. [Survey](https://example.org/survey)',
  ].join('\n\n');
}
