import type { Token, Tokens } from 'marked';
import { withoutElements } from '../lib/html-source.ts';
import { parseInline } from './inline.ts';
import { splitSentences, visibleLength } from './sentences.ts';

/** A paragraph up to this length is one bullet whatever its sentences. */
const SHORT_PARAGRAPH = 140;

/** Settings of site generators at the top; their title becomes the heading. */
export function withoutFrontMatter(text: string): string {
  const match = /^---\r?\n([\s\S]{0,4000}?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!match || !/^\w[\w-]*\s*:/m.test(match[1]!)) return text;
  const title = /^title[ \t]*:[ \t]*(\S.*)$/m
    .exec(match[1]!)?.[1]
    ?.trim()
    .replace(/^["']|["']$/g, '');
  const rest = text.slice(match[0].length);
  return title && !/^# /m.test(rest.slice(0, 2000)) ? `# ${title}\n\n${rest}` : rest;
}

/** A paragraph that is one short bold phrase heads what follows. */
export function isPseudoHeading(text: string, tokens: Token[]): boolean {
  const inner = tokens.filter((part) => part.raw.trim() !== '' && part.raw.trim() !== ':');
  return inner.length === 1 && inner[0]!.type === 'strong' && text.length <= 90;
}

/** The images among inline tokens. */
export function imagesOf(tokens: Token[]): Tokens.Image[] {
  return tokens.filter((token): token is Tokens.Image => token.type === 'image');
}

/** A paragraph as bullets: one when it is short, else its sentences. */
export function sentencesOf(text: string): string[] {
  if (visibleLength(text) <= SHORT_PARAGRAPH || parseInline(text).length === 0) return [text];
  const merged: string[] = [];
  for (const sentence of splitSentences(text)) {
    const last = merged.at(-1);
    // A fragment or a very short sentence reads better with its neighbour.
    if (last !== undefined && visibleLength(last) + visibleLength(sentence) < SHORT_PARAGRAPH * 0.7)
      merged[merged.length - 1] = /[。！？」』”]$/.test(last) ? last + sentence : `${last} ${sentence}`;
    else merged.push(sentence);
  }
  return merged;
}

/** The text of a piece of HTML. */
export function withoutTags(html: string): string {
  return withoutElements(html, ['script', 'style']).replace(/<\/?[a-z][^<>]{0,2000}>/gi, ' ');
}
