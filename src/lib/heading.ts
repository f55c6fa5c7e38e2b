import { trimEnd } from './trim.ts';

/** An ATX heading of Markdown. */
export interface Heading {
  level: number;
  /** Without the closing marks; may be empty. */
  text: string;
}

/** The heading a line is; undefined for any other line. */
export function readHeading(line: string): Heading | undefined {
  const opening = /^ {0,3}(#{1,6})(?:[ \t]+|$)/.exec(line);
  if (!opening) return undefined;
  const rest = line.slice(opening[0].length).trimEnd();
  const bare = trimEnd(rest, /#/);
  // `# C#` ends in a letter and its sign, `# Title #` in a closing mark.
  const text = bare === '' || /[ \t]$/.test(bare) ? bare : rest;
  return { level: opening[1]!.length, text: text.trim() };
}

/** The first heading of the first level at the beginning of a text; undefined without one. */
export function firstHeading(text: string): string | undefined {
  for (const line of text.slice(0, 10_000).split('\n')) {
    const heading = readHeading(line.trimEnd());
    if (heading?.level === 1 && heading.text !== '') return heading.text;
  }
  return undefined;
}
