import { readPdf } from '../text/pdf.ts';
import type { ExtractedDocument } from './document.ts';
import { MAX_CHARACTERS, tooComplex, tooLarge, unreadable } from './ingest-errors.ts';

const MAX_PAGES = 20_000;

/** Reads the text of a PDF, with the place where each page begins. */
export async function extractPdf(bytes: Uint8Array): Promise<ExtractedDocument> {
  const read = await readPdf(bytes, { maxPages: MAX_PAGES, maxCharacters: MAX_CHARACTERS });
  if (!read.ok)
    switch (read.problem) {
      case 'no_pdf':
        throw unreadable('The file is not a PDF document.');
      case 'locked':
        throw unreadable('The PDF is protected by a password.', read.cause);
      case 'damaged':
        throw unreadable('The PDF is damaged.', read.cause);
      case 'too_many_pages':
        throw tooComplex(`The PDF has more than ${MAX_PAGES} pages.`);
      case 'too_long':
        throw tooLarge(`The PDF holds more than ${MAX_CHARACTERS} characters of text.`);
    }
  const text = read.pages.join('\n\n');
  if (text.trim() === '')
    throw unreadable('The PDF holds no text; a scanned document has to be recognised (OCR) first.');
  const pageStarts: number[] = [];
  let start = 0;
  for (const page of read.pages) {
    pageStarts.push(start);
    start += page.length + 2;
  }
  return { title: read.title, text, syntax: 'plain', pageStarts };
}
