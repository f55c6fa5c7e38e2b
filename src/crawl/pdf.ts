import { fail } from '../errors.ts';
import { readPdf } from '../text/pdf.ts';
import type { ReadablePage } from './html.ts';

const LIMITS = { maxPages: 20_000, maxCharacters: 20_000_000 };

/** Extracts the text of a PDF. Throws an AppError `unreadable_page` for one that is corrupt, locked or far too long. */
export async function readPdfPage(bytes: Uint8Array): Promise<ReadablePage> {
  const read = await readPdf(bytes, LIMITS);
  if (!read.ok)
    throw read.problem.startsWith('too_')
      ? fail('unreadable_page', 'The PDF is too long.')
      : fail('unreadable_page', 'The PDF is corrupt or locked.', { cause: read.cause });
  return { title: read.title ?? '', markdown: read.pages.filter(Boolean).join('\n\n') };
}
