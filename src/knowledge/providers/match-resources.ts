import type { Resource } from '../model.ts';

/** The resources whose title or description has words of the query, best first; without a query the first ones. */
export function matchResources(resources: Resource[], query: string | undefined, limit: number): Resource[] {
  if (!query?.trim()) return resources.slice(0, limit);
  const words = wordsOf(query);
  const scored = resources.map((resource) => ({ resource, score: scoreOf(resource, words) }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ resource }) => resource);
}

/** A word in the title counts twice; parts of words count, because people type names to their middle. */
function scoreOf({ title, description }: Resource, words: string[]): number {
  const inTitle = title.toLowerCase();
  const inDescription = (description ?? '').toLowerCase();
  let score = 0;
  for (const word of words) score += (inTitle.includes(word) ? 2 : 0) + (inDescription.includes(word) ? 1 : 0);
  return score;
}

function wordsOf(query: string): string[] {
  return [
    ...new Set(
      query
        .slice(0, 1000)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu) ?? [],
    ),
  ].slice(0, 32);
}
