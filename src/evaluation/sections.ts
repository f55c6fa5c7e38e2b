import type { MarkdownBlock } from '../lib/markdown-blocks.ts';

/** The sections a report of each style is expected to have. */
const EXPECTED: Record<string, readonly Section[]> = {
  default: ['title', 'key_points', 'overview', 'detailed_analysis', 'key_citations'],
  academic: [
    'title',
    'key_points',
    'overview',
    'detailed_analysis',
    'literature_review',
    'methodology',
    'key_citations',
  ],
  popular_science: ['title', 'key_points', 'overview', 'detailed_analysis', 'key_citations'],
  news: ['title', 'key_points', 'overview', 'detailed_analysis', 'key_citations'],
  social_media: ['title', 'key_points', 'overview', 'key_citations'],
  strategic_investment: [
    'title',
    'key_points',
    'overview',
    'detailed_analysis',
    'executive_summary',
    'market_analysis',
    'technology_analysis',
    'investment_recommendations',
    'key_citations',
  ],
};

/** How the headings of each section are worded, in the languages reports are written in. */
const HEADINGS = {
  key_points:
    /key\s*(?:points|findings|takeaways)|highlights|kernpunkte|kernaussagen|wichtigste|points? clés?|puntos? clave|要点|关键发现|核心观点|ポイント/i,
  overview:
    /overview|introduction|background|überblick|einleitung|aperçu|vue d’ensemble|resumen|introducción|概述|简介|背景|概要/i,
  detailed_analysis:
    /analysis|findings|discussion|results|details|analyse|ergebnisse|análisis|résultats|分析|研究结果|詳細/i,
  key_citations:
    /citations|references|sources|bibliography|quellen|literatur|références|fuentes|参考文献|引用|来源|参考资料|出典/i,
  literature_review:
    /literature\s*review|related\s*work|prior\s*(?:work|research)|literaturübersicht|revue de (?:la )?littérature|文献综述|研究回顾|先行研究/i,
  methodology: /method|approach|vorgehen|méthod|método|metodolog|方法/i,
  executive_summary: /executive\s*summary|zusammenfassung|résumé|resumen ejecutivo|执行摘要|摘要/i,
  market_analysis: /market|markt|marché|mercado|市场|产业/i,
  technology_analysis: /technolog|tecnolog|technik|技术|技術/i,
  investment_recommendations:
    /invest.{0,60}(?:thesis|advice)|recommend|empfehlung|recommandation|recomendaci|投资建议|投资评级|推奨/i,
} as const;

export type Section = 'title' | keyof typeof HEADINGS;

/** The styles that have sections of their own. */
export const STYLES = Object.keys(EXPECTED);

/** Which of the sections expected of `style` the headings of a report show. */
export function findSections(
  blocks: readonly MarkdownBlock[],
  style: string,
): { found: Section[]; missing: Section[] } {
  const headings = blocks.filter((block) => block.type === 'heading');
  const isThere = (section: Section) =>
    section === 'title'
      ? headings.some(({ depth }) => depth === 1)
      : headings.some(({ text }) => HEADINGS[section].test(text));
  const expected = EXPECTED[style] ?? EXPECTED['default']!;
  return { found: expected.filter(isThere), missing: expected.filter((section) => !isThere(section)) };
}
