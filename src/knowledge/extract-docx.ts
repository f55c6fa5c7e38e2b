import { decodeEntities } from '../text/html-entities.ts';
import type { ExtractedDocument } from './document.ts';
import { extractHtmlText } from './extract-html.ts';
import { tooComplex, tooLarge, unreadable } from './ingest-errors.ts';
import { measureXml } from './measure-xml.ts';

/** XML of a document after decompression; a book of a thousand pages has about 15 MB. */
const MAX_XML_BYTES = 64 * 1024 * 1024;
/** Elements of the XML: about 3 KB of memory and 20 µs each; a book of seven hundred pages has so many. */
const MAX_ELEMENTS = 500_000;
const MAX_DEPTH = 500;
const NEEDED = /^(\[Content_Types\]\.xml|_rels\/\.rels|docProps\/core\.xml|word\/(_rels\/)?[^/]+\.(xml|rels))$/;

/** Reads a Word document: headings, paragraphs, lists and tables; images are left out. */
export async function extractDocx(bytes: Uint8Array): Promise<ExtractedDocument> {
  if (bytes[0] === 0xd0 && bytes[1] === 0xcf)
    throw unreadable('The Word document is encrypted or in the old .doc format; save it as a plain .docx file.');
  const { strFromU8, zipSync } = await import('fflate');
  const parts = await unzipParts(bytes);
  if (!parts['word/document.xml']) throw unreadable('The file is not a Word document.');
  checkComplexity(Object.values(parts));
  const mammoth = await import('mammoth');
  const slim = zipSync(parts, { level: 0 });
  const { value } = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(slim.buffer, slim.byteOffset, slim.byteLength) },
      { convertImage: mammoth.images.imgElement(async () => ({ src: '' })), externalFileAccess: false },
    )
    .catch((error: unknown) => {
      throw unreadable('The Word document is damaged.', error);
    });
  const core = parts['docProps/core.xml'];
  const title = core && /<dc:title>([^<]+)<\/dc:title>/.exec(strFromU8(core))?.[1]?.trim();
  const { text } = await extractHtmlText(value);
  return { title: title ? decodeEntities(title) : undefined, text, syntax: 'markdown' };
}

/**
 * Unpacks the text parts only. The declared sizes are added up before anything is unpacked, and fflate never writes past
 * a declared size, so a zip bomb costs neither memory nor, with the limit on time, the server.
 */
async function unzipParts(bytes: Uint8Array): Promise<Record<string, Uint8Array>> {
  const { unzipSync } = await import('fflate');
  let total = 0;
  try {
    return unzipSync(bytes, {
      filter: (file) => {
        if (!NEEDED.test(file.name)) return false;
        total += file.originalSize;
        if (total > MAX_XML_BYTES)
          throw tooLarge(`The Word document is larger than ${MAX_XML_BYTES} bytes once it is unpacked.`);
        return true;
      },
    });
  } catch (error) {
    if (error instanceof Error && error.name === 'AppError') throw error;
    throw unreadable('The Word document is damaged.', error);
  }
}

function checkComplexity(parts: Uint8Array[]): void {
  let elements = 0;
  for (const part of parts) {
    const size = measureXml(part);
    elements += size.elements;
    if (elements > MAX_ELEMENTS) throw tooComplex(`The Word document has more than ${MAX_ELEMENTS} elements.`);
    if (size.depth > MAX_DEPTH) throw tooComplex(`The Word document is nested more than ${MAX_DEPTH} elements deep.`);
  }
}
