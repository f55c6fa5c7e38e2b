import { readHeading } from '../../lib/heading.ts';
/** A stretch of prose in a source: one paragraph, list item, quoted line or table cell; offsets into the source. */
export interface Block {
  start: number;
  end: number;
  /** Headings above it, joined. */
  heading: string;
}

const FENCE = /^\s*(?:```|~~~)/;
const LIST_ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/;
const QUOTE = /^\s*>+\s?/;
const RULE = /^\s*(?:[-=*_]\s*){3,}$/;
const TABLE_ROW = /^\s*\|.*\|\s*$/;
// Raw HTML, link definitions, images on their own line: nothing in them is prose.
const NOT_PROSE = /^\s*(?:<|\[[^\]]+\]:|!\[)/;
// Longer lines are never a heading, a fence or a table row; patterns are not run over them.
const MAX_STRUCTURE_LINE = 2000;
// Shorter table cells are labels and values that say nothing without their row.
const MIN_CELL = 60;

/** The prose of a Markdown or plain text, in order; code, rules and markup lines are left out. */
export function* splitBlocks(text: string): Generator<Block> {
  const headings: string[] = [];
  let heading = '';
  let fenced = false;
  let open: { start: number; end: number } | undefined;
  let previousLine = '';
  let at = skipFrontMatter(text);
  const close = function* (): Generator<Block> {
    if (open) yield { ...open, heading };
    open = undefined;
  };
  while (at <= text.length) {
    const newline = text.indexOf('\n', at);
    const lineEnd = newline < 0 ? text.length : newline;
    const start = at;
    const end = lineEnd > start && text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
    at = lineEnd + 1;
    const line = text.slice(start, Math.min(end, start + MAX_STRUCTURE_LINE));
    const isShort = end - start <= MAX_STRUCTURE_LINE;
    if (isShort && FENCE.test(line)) {
      yield* close();
      fenced = !fenced;
      continue;
    }
    if (fenced) continue;
    if (line.trim() === '' || (isShort && (RULE.test(line) || NOT_PROSE.test(line)))) {
      yield* close();
      continue;
    }
    const found = isShort ? readHeading(line) : undefined;
    if (found) {
      yield* close();
      headings.length = Math.min(headings.length, found.level - 1);
      headings[found.level - 1] = found.text;
      heading = headings.filter(Boolean).join(' › ');
      continue;
    }
    if (isShort && TABLE_ROW.test(line)) {
      yield* close();
      yield* cells(line, start, heading);
      continue;
    }
    const marker = LIST_ITEM.exec(line) ?? QUOTE.exec(line);
    if (marker) {
      yield* close();
      open = { start: start + marker[0].length, end };
    } else if (open && !startsAnew(previousLine, line)) open.end = end;
    else {
      // Four spaces after a blank line are an indented code block, unless a list is being continued.
      if (!open && /^(?: {4}|\t)/.test(line) && !LIST_ITEM.test(previousLine)) continue;
      yield* close();
      open = { start, end };
    }
    previousLine = line;
  }
  yield* close();
}

/** Plain texts put titles on lines of their own: a short line without an end mark does not flow into a capitalised one. */
function startsAnew(previous: string, line: string): boolean {
  return previous.length < 45 && !/[,;:\-–—(]\s*$/.test(previous) && /^\s*[\p{Lu}\p{N}]/u.test(line);
}

function* cells(line: string, offset: number, heading: string): Generator<Block> {
  let start = line.indexOf('|') + 1;
  for (let i = start; i < line.length; i++) {
    if (line[i] !== '|' || line[i - 1] === '\\') continue;
    if (i - start >= MIN_CELL) yield { start: offset + start, end: offset + i, heading };
    start = i + 1;
  }
}

function skipFrontMatter(text: string): number {
  if (!/^---\r?\n/.test(text)) return 0;
  const end = text.slice(0, 5000).search(/\n---[ \t]*\r?(?:\n|$)/);
  if (end < 0) return 0;
  const next = text.indexOf('\n', end + 1);
  return next < 0 ? text.length : next + 1;
}
