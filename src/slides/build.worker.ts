import { type BuildSettings, type BuiltDeck, buildDeck, buildFromMarkdown, type OutlinedDeck } from './build.ts';
import type { LoadedImage } from './model.ts';

/** What the worker is asked: a presentation from Markdown, or from a deck with its images. */
export type BuildRequest =
  | { kind: 'markdown'; content: string; locale: string; settings: BuildSettings }
  | (OutlinedDeck & { kind: 'deck'; loaded: (LoadedImage | undefined)[]; settings: BuildSettings });

/** What the worker answers; a failure carries its text for the log. */
export type BuildAnswer = { ok: true; result: BuiltDeck | OutlinedDeck } | { ok: false; error: string };

/** Content of this size leaves tens of megabytes behind. */
const LARGE_LENGTH = 128 * 1024;

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<BuildRequest>) => {
  try {
    const result =
      data.kind === 'markdown'
        ? await buildFromMarkdown(data.content, data.locale, data.settings)
        : await buildDeck(data.deck, data.images, data.loaded, data.settings);
    const transfer = 'bytes' in result ? [result.bytes.buffer as ArrayBuffer] : [];
    self.postMessage({ ok: true, result } satisfies BuildAnswer, transfer);
  } catch (error) {
    self.postMessage({
      ok: false,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies BuildAnswer);
  }
  // The next deck may be long in coming, and the heap would stay at its largest until then.
  if (data.kind === 'deck' || data.content.length > LARGE_LENGTH) Bun.gc(true);
};
