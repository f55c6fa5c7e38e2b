import { readMarkdownBlocks } from '../lib/markdown-blocks.ts';
import { withoutLinks } from '../lib/markdown-links.ts';
import { trimEnd } from '../lib/trim.ts';
import { readableText } from '../text/decode.ts';
import { chunkDocument } from './chunk.ts';
import type { ExtractedDocument, ParsedDocument } from './document.ts';
import { emptyFile, MAX_CHARACTERS, tooLarge, unreadable, unsupportedType } from './ingest-errors.ts';
import { documentKind } from './media-kind.ts';
import type { IngestDocument } from './model.ts';

/** Part of every digest: documents are cut again after a change of the rules. */
const RULES_VERSION = 2;
const MAX_TITLE = 200;

/** SHA-256 of the bytes under the present rules, hex. */
export function documentDigest(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(`${RULES_VERSION}\n`).update(bytes).digest('hex');
}

/**
 * Reads a document and cuts it into chunks. CPU-heavy: runs in the ingest worker.
 * Errors: `unsupported_type`, `empty_file`, `unreadable_content` (400), `document_too_large` (413),
 * `document_too_complex` (422).
 */
export async function parseDocument(document: IngestDocument): Promise<ParsedDocument> {
  const kind = documentKind(document.name, document.mediaType);
  if (!kind) throw unsupportedType();
  if (document.bytes.length === 0) throw emptyFile();
  const digest = documentDigest(document.bytes);
  const extracted = await extract(kind, document);
  if (extracted.text.length > Math.max(MAX_CHARACTERS, document.bytes.length))
    throw tooLarge(`The document holds more than ${MAX_CHARACTERS} characters of text.`);
  const chunks = chunkDocument(extracted);
  if (chunks.length === 0) throw emptyFile();
  const title = shorten(extracted.title ?? titleOf(extracted) ?? stemOf(document.name), MAX_TITLE);
  return {
    title,
    description: shorten(extracted.description ?? firstSentence(extracted, title), MAX_TITLE) || null,
    digest,
    chunks,
  };
}

async function extract(
  kind: NonNullable<ReturnType<typeof documentKind>>,
  document: IngestDocument,
): Promise<ExtractedDocument> {
  switch (kind) {
    case 'pdf':
      return (await import('./extract-pdf.ts')).extractPdf(document.bytes);
    case 'docx':
      return (await import('./extract-docx.ts')).extractDocx(document.bytes);
    case 'html':
      return (await import('./extract-html.ts')).extractHtml(document.bytes, document.mediaType);
    default: {
      const text = readableText(document.bytes, document.mediaType);
      if (text === undefined) throw unreadable('The file is not text.');
      if (kind === 'text') return { text, syntax: 'plain' };
      return (await import('./extract-markdown.ts')).extractMarkdown(text);
    }
  }
}

/** The first heading; in plain text a short first paragraph that something follows. */
function titleOf(document: ExtractedDocument): string | undefined {
  if (document.syntax === 'markdown') {
    const heading = readMarkdownBlocks(document.text).find(({ type }) => type === 'heading');
    return plain(heading && 'text' in heading ? heading.text : '') || undefined;
  }
  if (document.pageStarts) return undefined;
  const text = document.text.trimStart();
  const border = /\n[ \t]*\n/.exec(text.slice(0, 2 * MAX_TITLE));
  const first = text.slice(0, border?.index ?? 0).trimEnd();
  const isTitle = first.length <= MAX_TITLE && first.split('\n').length <= 3;
  return border && isTitle && text.trimEnd().length > border.index ? plain(first) : undefined;
}

function firstSentence(document: ExtractedDocument, title: string): string {
  for (const paragraph of document.text.slice(0, 20_000).split(/\n[ \t]*\n/)) {
    if (document.syntax === 'markdown' && /^\s*(#|```|~~~|\||<!--|!\[)/.test(paragraph)) continue;
    const text = plain(paragraph);
    if (text !== '' && text !== title && !/^[=-]+$/.test(text)) return text;
  }
  return '';
}

function plain(text: string): string {
  return withoutLinks(text).replace(/[*`]/g, '').replace(/\s+/g, ' ').trim();
}

/** Cut at a sentence or word. */
function shorten(text: string, length: number): string {
  const flat = text.replace(/\s+/g, ' ').trim();
  if (flat.length <= length) return flat;
  const cut = flat.slice(0, length - 1);
  const sentence = cut.lastIndexOf('. ');
  if (sentence > length / 3) return cut.slice(0, sentence + 1);
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > length / 2 ? space : undefined).replace(/[\ud800-\udbff]$/, '')}…`;
}

function stemOf(name: string): string {
  const [path = ''] = name.split(/[?#]/, 1);
  const base = trimEnd(path, /[/\\]/).split(/[/\\]/).at(-1)!;
  return base.replace(/(?!^)\.[^.]+$/, '') || name;
}
