import { readHeading } from '../lib/heading.ts';
import { withoutLinks } from '../lib/markdown-links.ts';
import { CHARACTERS_PER_TOKEN, estimateTokens } from '../text/tokens.ts';
import type { ExtractedDocument } from './document.ts';

/** A paragraph, heading, list, table or code block: the smallest thing that is cut only when it is too long. */
export interface Block {
  start: number;
  end: number;
  tokens: number;
  /** Tokens of the white space before it. */
  gap: number;
  kind: 'heading' | 'text' | 'lines';
  /** Headings above, outermost first; a heading's own path holds itself. */
  path: string[];
  page?: number | undefined;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const UNDERLINE = /^ {0,3}(=+|-{2,})[ \t]*$/;
const TABLE_ROW = /^[ \t]*\|/;

/** Splits a document into blocks in reading order; offsets are those of `document.text`. */
export function splitBlocks(document: ExtractedDocument): Block[] {
  const pages = document.pageStarts;
  if (!pages) return blocksOf(document.text, 0, document.text.length, document.syntax, undefined);
  return pages.flatMap((start, index) =>
    blocksOf(document.text, start, pages[index + 1] ?? document.text.length, document.syntax, index + 1),
  );
}

function blocksOf(text: string, from: number, to: number, syntax: 'markdown' | 'plain', page?: number): Block[] {
  const blocks: Block[] = [];
  const headings: { level: number; title: string }[] = [];
  let open: { start: number; end: number; kind: Block['kind']; isLong?: boolean } | undefined;
  let fence: string | undefined;

  const close = () => {
    if (!open) return;
    const content = text.slice(open.start, open.end);
    const gap = Math.max(0, open.start - (blocks.at(-1)?.end ?? open.start)) / CHARACTERS_PER_TOKEN;
    const path = headings.map(({ title }) => title);
    const { start, end, kind } = open;
    blocks.push({ start, end, kind, tokens: estimateTokens(content), gap, path, page });
    open = undefined;
  };
  const heading = (level: number, title: string, start: number, end: number) => {
    open = undefined;
    while (headings.length > 0 && headings[headings.length - 1]!.level >= level) headings.pop();
    headings.push({ level, title });
    open = { start, end, kind: 'heading' };
    close();
  };

  for (let start = from; start < to; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 || newline > to ? to : newline;
    const line = text.slice(start, end);
    const marker = syntax === 'markdown' ? FENCE.exec(line)?.[1] : undefined;
    if (fence !== undefined) {
      open!.end = end;
      if (marker?.startsWith(fence) && line.trim() === marker) {
        fence = undefined;
        close();
      }
    } else if (line.trim() === '') close();
    else if (marker) {
      close();
      fence = marker;
      open = { start, end, kind: 'lines' };
    } else if (syntax === 'plain') open = open ? { ...open, end } : { start, end, kind: 'text' };
    else {
      const atx = readHeading(line);
      const underline = UNDERLINE.exec(line);
      if (atx) {
        close();
        heading(atx.level, plainHeading(atx.text), start, end);
      } else if (underline && open?.kind === 'text' && !open.isLong) {
        heading(underline[1]![0] === '=' ? 1 : 2, plainHeading(text.slice(open.start, open.end)), open.start, end);
      } else if (open) {
        open.end = end;
        open.isLong = true;
        if (TABLE_ROW.test(line)) open.kind = 'lines';
      } else open = { start, end, kind: TABLE_ROW.test(line) ? 'lines' : 'text' };
    }
    start = end + 1;
  }
  close();
  return blocks;
}

function isWordPart(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}

/** The words of a heading without emphasis, code marks, links and anchors. */
function plainHeading(text: string): string {
  const words = withoutLinks(text).trimEnd();
  const anchor = words.endsWith('}') ? words.lastIndexOf('{#') : -1;
  const isAnchor = anchor >= 0 && words.indexOf('}', anchor) === words.length - 1;
  return (isAnchor ? words.slice(0, anchor) : words)
    .replace(/[*`]|_+/g, (mark, at: number, whole: string) =>
      // An underscore inside a word is part of it.
      mark.startsWith('_') && isWordPart(whole[at - 1]) && isWordPart(whole[at + mark.length]) ? mark : '',
    )
    .trim();
}
