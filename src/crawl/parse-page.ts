import { fail } from '../errors.ts';
import { firstHeading } from '../lib/heading.ts';
import { decodeText } from '../text/decode.ts';
import { type ReadablePage, readHtml } from './html.ts';
import { readPdfPage } from './pdf.ts';

export interface ParseInput {
  /** Final address, to resolve relative links. */
  url: string;
  contentType: string;
  bytes: Uint8Array;
}

/** Turns a fetched document into Markdown by its media type. Throws an AppError `unreadable_page`. CPU-heavy: runs in the parse worker. */
export async function parsePage(input: ParseInput): Promise<ReadablePage> {
  const page = await readDocument(input);
  const markdown = page.markdown.trim();
  if (!markdown) throw fail('unreadable_page', 'The page has no readable text.');
  return { title: page.title || titleFromUrl(input.url), markdown };
}

async function readDocument({ url, contentType, bytes }: ParseInput): Promise<ReadablePage> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/pdf') return readPdfPage(bytes);
  const text = decodeText(bytes, contentType);
  if (text.includes('\u0000')) throw fail('unreadable_page', 'The page is not text.');
  // Some servers send every page as text/plain.
  if (/html/.test(type) || (type === 'text/plain' && /^\s*(<!doctype html|<html[\s>])/i.test(text)))
    return readHtml(text, url);
  return { title: type.endsWith('json') ? '' : (firstHeading(text) ?? ''), markdown: text };
}

function titleFromUrl(url: string): string {
  const parsed = new URL(url);
  const name = parsed.pathname.split('/').findLast(Boolean) ?? '';
  try {
    return decodeURIComponent(name) || parsed.hostname;
  } catch {
    return name;
  }
}
