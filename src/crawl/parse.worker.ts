import { AppError } from '../errors.ts';
import { type ParsedPage, type ParseInput, parsePage } from './parse-page.ts';

/** What the worker answers to one `ParseInput`. */
export type ParseAnswer = { ok: true; page: ParsedPage } | { ok: false; code: string; message: string };

declare const self: Worker;

self.onmessage = async (event: MessageEvent<ParseInput>) => {
  self.postMessage(await answer(event.data));
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
