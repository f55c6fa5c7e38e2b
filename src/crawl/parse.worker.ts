import { AppError, userError } from '../errors.ts';
import { serveWorker } from '../lib/serve-worker.ts';
import { type ParsedPage, type ParseInput, parsePage } from './parse-page.ts';

const operations = serveWorker({
  parse: async (input: ParseInput): Promise<ParsedPage> => {
    try {
      return await parsePage(input);
    } catch (error) {
      // Parsers throw anything on hostile input, stack overflow included: for the caller the page is unreadable.
      throw error instanceof AppError ? error : userError('unreadable_page', 400, 'The page could not be read.', error);
    }
  },
});

export type ParseOperations = typeof operations;
