import { WORKER_ARGUMENT } from '../lib/worker-channel.ts';

/** Workers that are processes; a binary starts itself again to be one of them. */
export const WORKERS: Record<string, () => Promise<unknown>> = {
  'crawl/parse': () => import('../crawl/parse.worker.ts'),
  'knowledge/ingest': () => import('../knowledge/ingest.worker.ts'),
};

/** Serves as a worker until the parent closes the channel when the arguments say so; false when they do not. */
export async function serveAsWorker([word, path = '']: readonly string[]): Promise<boolean> {
  // Without a channel it is a person who tries it.
  if (word !== WORKER_ARGUMENT || !process.send || !Object.hasOwn(WORKERS, path)) return false;
  await WORKERS[path]!();
  await new Promise<void>((resolve) => process.once('disconnect', resolve));
  return true;
}
