import { type MarkdownBlock, readMarkdownBlocks } from '../lib/markdown-blocks.ts';
import { findLinks, targetOf, withoutImages, withoutLinks } from '../lib/markdown-links.ts';
import type { EvaluationMetrics } from './model.ts';
import { findSections } from './sections.ts';

const BARE_ADDRESS = /https?:\/\/[^\s<>()[\]"'`，。；、）」]{1,2000}/gi;

/** Counts what can be counted in a report. Code is no prose: links and words in it do not count. */
export function measureReport(content: string, style: string): EvaluationMetrics {
  const blocks = readMarkdownBlocks(content);
  const text = blocks.map(textOf).join('\n\n');
  const prose = withoutImages(text);
  const links = findLinks(text);
  const addresses = prose.match(BARE_ADDRESS) ?? [];
  const hosts = new Set(addresses.map(hostOf).filter((host) => host !== undefined));
  const { found, missing } = findSections(blocks, style);
  return {
    word_count: countWords(withoutLinks(prose).replaceAll(BARE_ADDRESS, ' ')),
    citation_count: links.filter((link) => !link.isImage && /^https?:\/\//i.test(targetOf(text, link))).length,
    unique_sources: hosts.size,
    image_count: links.filter((link) => link.isImage && targetOf(text, link) !== '').length,
    section_count: found.length,
    section_coverage_score: Math.round((found.length / (found.length + missing.length)) * 100) / 100,
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

function textOf(block: MarkdownBlock): string {
  if (block.type === 'code') return '';
  return block.type === 'row' ? block.cells.join(' ') : block.text;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : undefined;
}
