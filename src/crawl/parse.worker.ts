import { AppError } from '../errors.ts';
import { type ParsedPage, type ParseInput, parsePage } from './parse-page.ts';

/** What the worker answers to one `ParseInput`. */
export type ParseAnswer = { ok: true; page: ParsedPage } | { ok: false; code: string; message: string };

/** A document of this size leaves tens of megabytes behind. */
const LARGE_BYTES = 128 * 1024;

declare const self: Worker;

self.onmessage = async (event: MessageEvent<ParseInput>) => {
  const size = event.data.bytes.byteLength;
  self.postMessage(await answer(event.data));
  // The next page may be long in coming, and the heap would stay at its largest until then.
  if (size > LARGE_BYTES) Bun.gc(true);
};

async function answer(input: ParseInput): Promise<ParseAnswer> {
  try {
    return { ok: true, page: await parsePage(input) };
  } catch (error) {
    // Parsers throw anything on hostile input, stack overflow included: for the caller the page is unreadable.
    if (error instanceof AppError) return { ok: false, code: error.code, message: error.message };
    return { ok: false, code: 'unreadable_page', message: 'The page could not be read.' };
  }
}
