import type { Crawler } from '../../crawl/crawl.ts';
import { AppError, fail } from '../../errors.ts';
import type { KnowledgeProvider, Resource } from '../../knowledge/model.ts';
import type { CommandContext } from '../context.ts';
import { collectSources, type Source } from './collect.ts';
import { createProgressBar } from './progress-bar.ts';

/** What adding needs. */
export interface AddNeeds {
  knowledge: KnowledgeProvider;
  crawler: Crawler;
  config: { knowledge: { max_file_bytes: number } };
}

interface Failure {
  source: string;
  code: string;
  message: string;
}

/** Documents under way at once: one is read while others wait for the disk. */
const CONCURRENCY = 6;

/** Adds everything the words name; what fails is told and the rest goes on. Returns 1 when anything failed. */
export async function addSources(needs: AddNeeds, context: CommandContext, words: readonly string[]): Promise<number> {
  if (!needs.knowledge.ingest)
    throw fail('ingest_unsupported', `The knowledge provider ${needs.knowledge.name} cannot take documents.`);
  const { sources, skipped, missing } = await collectSources(words, process.cwd());
  const added: { source: string; resource: Resource }[] = [];
  const failed: Failure[] = missing.map((source) => ({ source, code: 'not_found', message: 'There is no such file.' }));
  const bar = createProgressBar(context.stderr, sources.length, !context.json);
  const waiting = sources.values();

  const work = async () => {
    for (const source of waiting) {
      context.signal.throwIfAborted();
      try {
        added.push({ source: source.label, resource: await addOne(needs, source, context.signal) });
      } catch (error) {
        context.signal.throwIfAborted();
        if (!(error instanceof AppError) || error.category === 'internal') throw error;
        failed.push({ source: source.label, code: error.code, message: error.message });
      }
      await bar.step(source.label);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(CONCURRENCY, sources.length) }, work));
  } finally {
    await bar.end();
  }

  const order = new Map(sources.map((source, index) => [source.label, index]));
  added.sort((a, b) => (order.get(a.source) ?? 0) - (order.get(b.source) ?? 0));
  if (context.json) {
    const documents = added.map(({ source, resource }) => ({ source, ...resource }));
    await context.print({ added: documents, skipped, failed });
  } else {
    for (const { resource } of added) await context.print(`${resource.uri}  ${resource.title}`);
    for (const { source, message } of failed) await context.warn(`${source}: ${message}`);
    if (added.length + skipped.length + failed.length > 1) await context.note(summary(added.length, skipped, failed));
    else if (added.length + failed.length === 0) await context.note('There is nothing to add.');
  }
  return failed.length > 0 ? 1 : 0;
}

async function addOne(
  { knowledge, crawler, config }: AddNeeds,
  source: Source,
  signal: AbortSignal,
): Promise<Resource> {
  if (source.kind === 'url') {
    const page = await crawler.crawl(source.url, signal);
    const title = page.title.replace(/\s+/g, ' ').trim();
    const text =
      title && !page.crawled_content.startsWith(`# ${title}`)
        ? `# ${title}\n\n${page.crawled_content}`
        : page.crawled_content;
    return knowledge.ingest!(
      { name: page.url, bytes: new TextEncoder().encode(text), mediaType: 'text/markdown' },
      signal,
    );
  }
  const limit = config.knowledge.max_file_bytes;
  if (source.bytes > limit) throw fail('file_too_large', `The file is larger than the limit of ${limit} bytes.`);
  const bytes = await Bun.file(source.path)
    .bytes()
    .catch((error: unknown) => {
      throw fail('unreadable_file', 'The file cannot be opened.', { cause: error });
    });
  return knowledge.ingest!({ name: source.path, bytes }, signal);
}

function summary(added: number, skipped: string[], failed: Failure[]): string {
  const parts = [`${added} added`];
  if (skipped.length > 0) {
    const shown = skipped.slice(0, 3).join(', ');
    parts.push(`${skipped.length} skipped (${shown}${skipped.length > 3 ? ', …' : ''})`);
  }
  if (failed.length > 0) parts.push(`${failed.length} failed`);
  return `${parts.join(', ')}.`;
}
