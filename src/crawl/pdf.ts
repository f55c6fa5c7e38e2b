import { fail } from '../errors.ts';
import type { ReadablePage } from './html.ts';

/** Extracts the text of a PDF, one paragraph per page. Throws an AppError `unreadable_page` for a corrupt or locked file. */
export async function readPdf(bytes: Uint8Array): Promise<ReadablePage> {
  const { extractText, getDocumentProxy, getMeta } = await import('unpdf');
  try {
    // The library refuses the Buffer that a view on one becomes between processes.
    const document = await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 });
    const { text } = await extractText(document, { mergePages: false });
    const { info } = await getMeta(document);
    const title = typeof info['Title'] === 'string' ? info['Title'].trim() : '';
    return {
      title,
      markdown: text
        .map((page) => page.trim())
        .filter(Boolean)
        .join('\n\n'),
    };
  } catch (cause) {
    throw fail('unreadable_page', 'The PDF is corrupt or locked.', { cause });
  }
}
