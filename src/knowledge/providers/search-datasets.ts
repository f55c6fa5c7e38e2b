import { Semaphore } from '../../lib/semaphore.ts';
import type { Passage } from '../model.ts';

const AT_ONCE = 4;

/** Searches several knowledge bases side by side and merges what they found, best first. */
export async function searchDatasets<T>(
  targets: readonly T[],
  options: { limit: number; signal: AbortSignal },
  search: (target: T) => Promise<Passage[]>,
): Promise<Passage[]> {
  const places = new Semaphore(AT_ONCE);
  const found = await Promise.all(targets.map((target) => places.run(() => search(target), options.signal)));
  return bestOf(found.flat(), options.limit);
}

/** The best passages, best first. */
export function bestOf(passages: Passage[], limit: number): Passage[] {
  return passages.toSorted((a, b) => b.score - a.score).slice(0, limit);
}
