import { toQueryTerms } from '../../knowledge/index-text.ts';
import type { Passage } from '../../knowledge/model.ts';

const SNIPPET = 320;

/** A passage for people: number, title and headings, address, and the part of the text around the words looked for. */
export function formatPassage(number: number, passage: Passage, query: string, width?: number): string[] {
  const headings = passage.headingPath.filter((heading) => heading !== passage.title);
  const page = passage.page === undefined ? [] : [`page ${passage.page}`];
  const title = [passage.title, ...headings, ...page].join(' › ');
  return [
    `${number}. ${title}`,
    `   ${passage.uri}`,
    ...wrap(snippet(passage.content, query), width).map((line) => `   ${line}`),
    '',
  ];
}

function snippet(content: string, query: string): string {
  const text = content.replace(/\s+/g, ' ');
  if (text.length <= SNIPPET) return text;
  const lower = text.toLowerCase();
  const places = toQueryTerms(query)
    .map((term) => lower.indexOf(term.replace(/["*]/g, '')))
    .filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const start = first < SNIPPET / 2 ? 0 : text.indexOf(' ', first - SNIPPET / 3) + 1;
  const end = start + SNIPPET >= text.length ? text.length : text.lastIndexOf(' ', start + SNIPPET);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end > start ? end : start + SNIPPET)}${end < text.length ? ' …' : ''}`;
}

function wrap(text: string, width: number | undefined): string[] {
  if (width === undefined) return [text];
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line && line.length + word.length + 4 > width) {
      lines.push(line);
      line = word;
    } else line = line ? `${line} ${word}` : word;
  }
  return [...lines, line];
}
