import type { SlidesConfig } from '../config/sections/slides.ts';
import type { GuardedFetch } from '../crawl/guarded-fetch.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { firstHeading } from '../lib/heading.ts';
import { createId } from '../lib/id.ts';
import { invalidField } from '../lib/invalid-field.ts';
import type { Logger } from '../lib/log.ts';
import { Semaphore } from '../lib/semaphore.ts';
import { type WorkerLimit, WorkerPool } from '../lib/worker-pool.ts';
import type { Models } from '../models/model.ts';
import { askForDeck } from './ask-model.ts';
import type { BuildSettings, BuiltDeck, OutlinedDeck } from './build.ts';
import type { BuildOperations, BuildRequest } from './build.worker.ts';
import { loadImages } from './load-images.ts';
import type { ThemeName } from './model.ts';
import { phrasesFor, resolveLocale } from './phrases.ts';

export interface SlidesNeeds {
  models: Models;
  guardedFetch: GuardedFetch;
  clock: Clock;
  log: Logger;
  config: SlidesConfig;
}

interface SlidesInput {
  /** A report in Markdown, or any text. */
  content: string;
  locale?: string | null | undefined;
  theme?: ThemeName | null | undefined;
}

/** Called as the work goes on, for a terminal. */
type SlidesProgress = (step: 'asking' | 'building') => void;

/** Makes presentations. */
export interface SlideGenerator {
  /**
   * A PowerPoint file: written by the language model when one is configured, else from the document's own structure.
   * Throws an AppError (`empty_content`, `upstream_*`), or the signal's reason on abort.
   */
  generate(input: SlidesInput, signal: AbortSignal, onProgress?: SlidesProgress): Promise<BuiltDeck>;
  /** Ends the workers; idempotent. */
  stop(): void;
}

/** The generator of presentations; starts its workers when they are first needed. */
export function createSlideGenerator({ models, guardedFetch, clock, log, config }: SlidesNeeds): SlideGenerator {
  const pool = new WorkerPool<BuildOperations>({
    source: { kind: 'thread', moduleUrl: import.meta.url, path: 'slides/build' },
    size: config.concurrency,
  });
  // Loaded images are held only by this many requests at a time.
  const places = new Semaphore(config.concurrency * 2);

  const build = async (request: BuildRequest, signal: AbortSignal): Promise<BuiltDeck | OutlinedDeck> => {
    const transfer =
      request.kind === 'deck'
        ? request.loaded.flatMap((image) => (image ? [image.bytes.buffer as ArrayBuffer] : []))
        : [];
    return pool.call('build', request, { signal, timeoutMs: config.timeout_seconds * 1000, exceeded, transfer });
  };

  const finish = async ({ deck, images }: OutlinedDeck, settings: BuildSettings, signal: AbortSignal) => {
    const used = new Set(deck.slides.flatMap((slide) => (slide.kind === 'image' ? [slide.image] : [])));
    const loaded = await loadImages(images, used, { guardedFetch, log, maxBytes: config.max_image_bytes }, signal);
    // The worker shows what was loaded; a data URL of a refused image must not be copied there.
    const named = images.map(({ alt }) => ({ source: '', alt }));
    return (await build({ kind: 'deck', deck, images: named, loaded, settings }, signal)) as BuiltDeck;
  };

  return {
    stop: () => pool.stop(),
    async generate({ content, locale: wanted, theme }, signal, onProgress) {
      if (content.trim() === '') throw invalidField('/content', 'The content is empty.', 'empty_content');
      const locale = resolveLocale(wanted, content);
      const settings: BuildSettings = {
        theme: theme ?? 'light',
        maxSlides: config.max_slides,
        createdAt: Math.floor(clock.now() / 1000),
      };
      if (models.has('basic')) {
        onProgress?.('asking');
        const title = firstHeading(content)?.slice(0, 200).toWellFormed() ?? phrasesFor(locale).overview;
        const question = { content, locale, phrases: phrasesFor(locale), title, fence: createId('f') };
        const outlined = await askForDeck(models.get('basic'), question, signal);
        onProgress?.('building');
        return places.run(() => finish(outlined, settings, signal), signal);
      }
      onProgress?.('building');
      return places.run(async () => {
        const result = await build({ kind: 'markdown', content, locale, settings }, signal);
        return 'bytes' in result ? result : finish(result, settings, signal);
      }, signal);
    },
  };
}

function exceeded(limit: WorkerLimit, cause?: unknown) {
  return limit === 'time'
    ? fail('slides_timeout', 'The presentation took too long to build.')
    : fail('slides_failed', 'The presentation could not be built.', { cause });
}
