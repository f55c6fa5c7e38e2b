import { readdir, readFile } from 'node:fs/promises';

/**
 * Every process below one, whatever group, session and environment it has given itself. To be asked while the parents
 * live: an orphan belongs to nobody. Linux only, empty elsewhere.
 */
export async function findDescendants(leader: number): Promise<Set<number>> {
  const found = new Set<number>();
  const visit = async (pid: number): Promise<void> => {
    const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
    const lists = await Promise.all(
      threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'latin1').catch(() => '')),
    );
    const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
    const fresh = children.filter((child) => !found.has(child));
    for (const child of fresh) found.add(child);
    await Promise.all(fresh.map(visit));
  };
  await visit(leader);
  return found;
}
