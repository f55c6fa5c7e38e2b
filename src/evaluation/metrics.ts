import type { Token } from 'marked';
import type { EvaluationMetrics } from './model.ts';
import { findSections } from './sections.ts';

interface Counted {
  links: number;
  images: number;
  hosts: Set<string>;
}

/** Counts what can be counted in a report. Code is no prose: links and words in it do not count. */
export async function measureReport(content: string, style: string): Promise<EvaluationMetrics> {
  const { lexer } = await import('marked');
  const tokens = lexer(content);
  const counted: Counted = { links: 0, images: 0, hosts: new Set() };
  const words = countWords(walk(tokens, counted));
  const { found, missing } = findSections(tokens, style);
  return {
    word_count: words,
    citation_count: counted.links,
    unique_sources: counted.hosts.size,
    image_count: counted.images,
    section_count: found.length,
    section_coverage_score: round(found.length / (found.length + missing.length)),
    sections_found: found,
    sections_missing: missing,
    has_title: found.includes('title'),
    has_key_points: found.includes('key_points'),
    has_overview: found.includes('overview'),
    has_citations_section: found.includes('key_citations'),
  };
}

/** Words between spaces; of scripts without spaces, characters. */
export function countWords(text: string): number {
  const dense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
  const characters = text.match(dense)?.length ?? 0;
  const words = text.replaceAll(dense, ' ').match(/[\p{L}\p{N}]+(?:['’.,:-][\p{L}\p{N}]+)*/gu)?.length ?? 0;
  return characters + words;
}

/** Collects links and images and returns the prose. */
function walk(tokens: readonly Token[], counted: Counted): string {
  return tokens.map((token) => read(token, counted)).join('');
}

function read(token: Token, counted: Counted): string {
  switch (token.type) {
    case 'code':
    case 'codespan':
    case 'html':
    case 'def':
      return ' ';
    case 'image':
      counted.images++;
      return ' ';
    case 'link': {
      const host = hostOf(token.href);
      if (host) {
        counted.links++;
        counted.hosts.add(host);
      }
      // A bare address is a citation, not a word.
      return token.text === token.href ? ' ' : walk(token.tokens ?? [], counted);
    }
    case 'list':
      return `${(token.items as Token[]).map((item) => read(item, counted)).join('\n')}\n`;
    case 'table': {
      const rows = [token.header, ...token.rows] as { tokens: Token[] }[][];
      return rows.map((row) => `${row.map((cell) => walk(cell.tokens, counted)).join(' ')}\n`).join('');
    }
    case 'space':
    case 'br':
      return '\n';
    default: {
      const isBlock = ['paragraph', 'heading', 'blockquote', 'list_item'].includes(token.type);
      const inner = 'tokens' in token && token.tokens ? walk(token.tokens, counted) : 'text' in token ? token.text : '';
      return isBlock ? `${inner}\n` : inner;
    }
  }
}

function hostOf(address: string): string | undefined {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return undefined;
  return new URL(address).hostname.replace(/^www\./, '');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
