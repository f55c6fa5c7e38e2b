import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import type { WorkerSource } from '../lib/worker-channel.ts';
import { WorkerHandle } from '../lib/worker-handle.ts';
import type { Embedder } from '../models/model.ts';
import { DocumentReader } from './document-reader.ts';
import { HANDBOOK_PAGES, type HandbookPage } from './handbook.ts';
import { emptyFile, unsupportedType } from './ingest-errors.ts';
import type { LocalOperations } from './local.worker.ts';
import { LocalEmbeddings } from './local-embeddings.ts';
import type { LocalQuery } from './local-read.ts';
import type { ResourceRow } from './local-write.ts';
import { documentKind } from './media-kind.ts';
import type { IngestDocument, KnowledgeProvider, Resource } from './model.ts';
import { documentDigest } from './parse-document.ts';
import { slugify } from './slug.ts';

export interface LocalKnowledgeOptions {
  /** Agent home, absolute. */
  home: string;
  config: Pick<Config['knowledge'], 'provider' | 'handbook' | 'path' | 'read_timeout_seconds' | 'read_memory_bytes'>;
  /** Present when an embedding model is configured: search becomes hybrid. */
  embedder?: Embedder | undefined;
  log: Logger;
  clock: Clock;
  /** Built-in pages; those of the product when absent. */
  handbookPages?: readonly HandbookPage[];
}

/** The local store with its life cycle. */
export interface LocalKnowledge extends KnowledgeProvider {
  start(): Promise<void>;
  /** Ends the workers; what is being written is finished first. Idempotent. */
  stop(): Promise<void>;
  ingest(document: IngestDocument, signal: AbortSignal): Promise<Resource>;
  remove(uri: string): Promise<boolean>;
  /** Opens the index and counts what it holds; throws what is wrong with it. */
  check(): Promise<{ file: string; resources: number; chunks: number }>;
}

const THREAD: WorkerSource = { kind: 'thread', moduleUrl: import.meta.url, path: 'knowledge/local' };
const HANDBOOK_TIMEOUT_MS = 120_000;
const HANDBOOK_RETRY_MS = 60_000;

/**
 * Knowledge in one SQLite file below the home. Reading documents, writing and searching happen in workers, so the event
 * loop is never held; several processes may use the file at once. Nothing is opened before the first call.
 */
export function createLocalKnowledge(options: LocalKnowledgeOptions): LocalKnowledge {
  const { config, log, clock } = options;
  const file = resolve(options.home, config.path);
  const pages = config.handbook ? (options.handbookPages ?? HANDBOOK_PAGES) : [];
  const reader = new WorkerHandle<LocalOperations>(THREAD);
  const writer = new WorkerHandle<LocalOperations>(THREAD);
  const documents = new DocumentReader(config);
  const embeddings =
    options.embedder && new LocalEmbeddings({ embedder: options.embedder, file, reader, writer, log, clock });
  let handbook: Promise<void> | undefined;
  let handbookRetryAt = 0;
  let stopping: Promise<void> | undefined;

  const put = (row: ResourceRow, document: string) => writer.call('put', { file, row, document });

  const indexHandbook = async () => {
    const known = await reader.call('builtins', { file });
    for (const page of pages) {
      const uri = `handbook://${page.name}`;
      const bytes = new TextEncoder().encode(page.text);
      const isCurrent = known[uri] === documentDigest(bytes);
      delete known[uri];
      if (isCurrent) continue;
      const name = `${page.name}.md`;
      const document = await documents.read({ name, bytes }, undefined, AbortSignal.timeout(HANDBOOK_TIMEOUT_MS));
      await put({ uri, name, builtin: true, updatedAt: clock.now() }, document!);
    }
    for (const uri of Object.keys(known)) await writer.call('remove', { file, uri });
    if (embeddings) void embeddings.catchUp();
  };

  /** Brings the built-in pages up to date at the first need; a failure leaves those that are there. */
  const prepare = async (): Promise<void> => {
    if (clock.now() >= handbookRetryAt)
      handbook ??= indexHandbook().catch((error: unknown) => {
        log.warn('handbook not indexed', { error });
        handbookRetryAt = clock.now() + HANDBOOK_RETRY_MS;
        handbook = undefined;
      });
    await handbook;
  };

  /** What the search operations of the thread are asked. */
  const queryOf = async (query: LocalQuery, signal: AbortSignal) => {
    signal.throwIfAborted();
    await prepare();
    return { file, ...query, embedding: await embeddings?.embedQuery(query.text, signal) };
  };

  return {
    name: 'local',
    async start() {},
    stop() {
      stopping ??= (async () => {
        await embeddings?.stop();
        for (const thread of [writer, reader])
          if (thread.running) await thread.call('close', undefined).catch(() => {});
        for (const thread of [writer, reader]) thread.terminate();
        documents.stop();
      })();
      return stopping;
    },
    async listResources({ query, limit, signal }) {
      const text = query?.trim();
      if (text) return reader.call('resources', await queryOf({ text, limit }, signal), { signal });
      await prepare();
      return reader.call('all', { file, limit }, { signal });
    },
    async retrieve(text, { resources, limit, signal }) {
      const selected = resources?.length ? resources : undefined;
      return reader.call('passages', await queryOf({ text, limit, resources: selected }, signal), { signal });
    },
    async hasContent() {
      if (pages.length > 0) return true;
      return (await reader.call('count', { file })).resources > 0;
    },
    async ingest(document, signal) {
      signal.throwIfAborted();
      if (document.name.trim() === '') throw fail('empty_name', 'The document has no name.');
      if (!documentKind(document.name, document.mediaType)) throw unsupportedType();
      if (document.bytes.length === 0) throw emptyFile();
      const uri = localUri(document.name);
      const stored = await reader.call('find', { file, uri }, { signal });
      const parsed = await documents.read(document, stored?.digest, signal);
      if (parsed !== undefined) {
        await put({ uri, name: document.name, builtin: false, updatedAt: clock.now() }, parsed);
        await embeddings?.catchUp(signal);
      }
      const current = parsed === undefined ? stored : await reader.call('find', { file, uri });
      if (!current) throw fail('removed', 'The document was removed while it was being added.');
      return { uri, title: current.title, description: current.description ?? null };
    },
    async remove(uri) {
      if (uri.startsWith('handbook://'))
        throw fail('builtin', 'The handbook is built in; switch it off with knowledge.handbook: false.');
      return writer.call('remove', { file, uri: uri.replace(/#.*$/s, '') });
    },
    async check() {
      return { file, ...(await reader.call('count', { file })) };
    },
  };
}

/** The address of a document: readable, and the same for the same name. */
function localUri(name: string): string {
  const base =
    name
      .replace(/[?#].*$/s, '')
      .split(/[/\\]/)
      .filter(Boolean)
      .at(-1) ?? '';
  const ascii = base
    .replace(/(?!^)\.[^.]+$/, '')
    .normalize('NFKD')
    .replace(/[^\x00-\x7f]/g, '');
  const digest = new Bun.CryptoHasher('sha256').update(name.normalize('NFC')).digest('hex').slice(0, 8);
  return `local://${slugify(ascii, 48) || 'document'}-${digest}`;
}
