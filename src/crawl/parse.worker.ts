import { AppError, fail } from '../errors.ts';
import { serveWorker } from '../lib/serve-worker.ts';
import type { ReadablePage } from './html.ts';
import { type ParseInput, parsePage } from './parse-page.ts';

const operations = serveWorker({
  parse: async (input: ParseInput): Promise<ReadablePage> => {
    try {
      return await parsePage(input);
    } catch (error) {
      // Parsers throw anything on hostile input, stack overflow included: for the caller the page is unreadable.
      throw error instanceof AppError
        ? error
        : fail('unreadable_page', 'The page could not be read.', { cause: error });
    }
  },
});

export type ParseOperations = typeof operations;
