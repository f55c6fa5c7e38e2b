import { fail } from '../errors.ts';
import { serveWorker } from '../lib/serve-worker.ts';
import { type BuildSettings, type BuiltDeck, buildDeck, buildFromMarkdown, type OutlinedDeck } from './build.ts';
import type { LoadedImage } from './model.ts';

/** What the worker is asked: a presentation from Markdown, or from a deck with its images. */
export type BuildRequest =
  | { kind: 'markdown'; content: string; locale: string; settings: BuildSettings }
  | (OutlinedDeck & { kind: 'deck'; loaded: (LoadedImage | undefined)[]; settings: BuildSettings });

/** Content of this size leaves tens of megabytes behind. */
const LARGE_LENGTH = 128 * 1024;

const operations = serveWorker({
  build: async (request: BuildRequest): Promise<BuiltDeck | OutlinedDeck> => {
    try {
      return request.kind === 'markdown'
        ? await buildFromMarkdown(request.content, request.locale, request.settings)
        : await buildDeck(request.deck, request.images, request.loaded, request.settings);
    } catch (error) {
      throw fail('slides_failed', 'The presentation could not be built.', { cause: error });
    } finally {
      // The next deck may be long in coming, and the heap would stay at its largest until then.
      if (request.kind === 'deck' || request.content.length > LARGE_LENGTH) setImmediate(() => Bun.gc(true));
    }
  },
});

export type BuildOperations = typeof operations;
