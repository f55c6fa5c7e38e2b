import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { Embedder } from '../models/model.ts';
import { HANDBOOK_PAGES, type HandbookPage } from './handbook.ts';
import { emptyFile, unreadable, unsupportedType } from './ingest-errors.ts';
import { LocalEmbeddings } from './local-embeddings.ts';
import type { LocalQuery } from './local-read.ts';
import type { ResourceRow } from './local-write.ts';
import { documentKind } from './media-kind.ts';
import type { IngestDocument, KnowledgeProvider, Passage, Resource } from './model.ts';
import { documentDigest } from './parse-document.ts';
import { slugify } from './slug.ts';
import { WorkerClient } from './worker-client.ts';

export interface LocalKnowledgeOptions {
  /** Agent home, absolute. */
  home: string;
  config: Pick<Config['knowledge'], 'provider' | 'handbook' | 'max_file_bytes' | 'path'>;
  /** Present when an embedding model is configured: search becomes hybrid. */
  embedder?: Embedder | undefined;
  log: Logger;
  clock: Clock;
  /** Built-in pages; those of the product when absent. */
  handbookPages?: readonly HandbookPage[];
  /** Longest time to read one document (default 120,000). */
  parseTimeoutMs?: number;
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

/** Documents read at once; each has a worker of its own. */
const READERS = 2;
const PARSE_TIMEOUT_MS = 120_000;
/** A document may make the process grow by this much while it is read. */
const PARSE_MEMORY_BYTES = 1024 * 1024 * 1024;
/** An unused worker that reads documents is ended after this; it may hold a lot of memory. */
const PARSER_IDLE_MS = 15_000;
const HANDBOOK_RETRY_MS = 60_000;

/**
 * Knowledge in one SQLite file below the home. Reading documents, writing and searching happen in workers, so the event
 * loop is never held; several processes may use the file at once. Nothing is opened before the first call.
 */
export function createLocalKnowledge(options: LocalKnowledgeOptions): LocalKnowledge {
  const { config, log, clock } = options;
  const file = resolve(options.home, config.path);
  const pages = config.handbook ? (options.handbookPages ?? HANDBOOK_PAGES) : [];
  const reader = new WorkerClient('local');
  const writer = new WorkerClient('local');
  const parsers = Array.from({ length: READERS }, () => new WorkerClient('ingest', PARSER_IDLE_MS));
  const parsing = new Semaphore(READERS);
  const embeddings =
    options.embedder && new LocalEmbeddings({ embedder: options.embedder, file, reader, writer, log, clock });
  let handbook: Promise<void> | undefined;
  let handbookRetryAt = 0;
  let stopping: Promise<void> | undefined;

  /** The document as JSON text, or undefined when `knownDigest` says that it is indexed already. */
  const parse = (document: IngestDocument, knownDigest: string | undefined, signal: AbortSignal) =>
    parsing.run(async () => {
      const parser = parsers.pop()!;
      const exceeded = (what: 'time' | 'memory') =>
        unreadable(
          what === 'time' ? 'The document takes too long to read.' : 'The document needs too much memory to read.',
        );
      const limits = {
        timeoutMs: options.parseTimeoutMs ?? PARSE_TIMEOUT_MS,
        memoryBytes: PARSE_MEMORY_BYTES,
        exceeded,
      };
      try {
        return await parser.call<string | undefined>('parse', { ...document, knownDigest }, { signal, limits });
      } finally {
        parsers.push(parser);
      }
    }, signal);

  const put = (row: ResourceRow, document: string) => writer.call<void>('put', { file, row, document });

  const indexHandbook = async () => {
    const known = await reader.call<Record<string, string>>('builtins', { file });
    for (const page of pages) {
      const uri = `handbook://${page.name}`;
      const bytes = new TextEncoder().encode(page.text);
      const isCurrent = known[uri] === documentDigest(bytes);
      delete known[uri];
      if (isCurrent) continue;
      const name = `${page.name}.md`;
      const document = await parse({ name, bytes }, undefined, AbortSignal.timeout(PARSE_TIMEOUT_MS));
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

  const search = async <T>(operation: 'passages' | 'resources', query: LocalQuery, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    await prepare();
    const embedding = await embeddings?.embedQuery(query.text, signal);
    return reader.call<T>(operation, { file, ...query, embedding }, { signal });
  };

  return {
    name: 'local',
    async start() {},
    stop() {
      stopping ??= (async () => {
        await embeddings?.stop();
        for (const client of [writer, reader])
          if (client.running) await client.call('close', undefined).catch(() => {});
        for (const client of [writer, reader, ...parsers]) client.terminate();
      })();
      return stopping;
    },
    async listResources({ query, limit, signal }) {
      const text = query?.trim();
      if (text) return search<Resource[]>('resources', { text, limit }, signal);
      await prepare();
      return reader.call<Resource[]>('all', { file, limit }, { signal });
    },
    retrieve(text, { resources, limit, signal }) {
      const selected = resources?.length ? resources : undefined;
      return search<Passage[]>('passages', { text, limit, resources: selected }, signal);
    },
    async hasContent() {
      if (pages.length > 0) return true;
      return (await reader.call<{ resources: number }>('count', { file })).resources > 0;
    },
    async ingest(document, signal) {
      signal.throwIfAborted();
      if (document.name.trim() === '') throw fail('empty_name', 'The document has no name.');
      if (!documentKind(document.name, document.mediaType)) throw unsupportedType();
      if (document.bytes.length === 0) throw emptyFile();
      const uri = localUri(document.name);
      const stored = await reader.call<(Resource & { digest: string }) | undefined>('find', { file, uri }, { signal });
      const parsed = await parse(document, stored?.digest, signal);
      if (parsed !== undefined) {
        await put({ uri, name: document.name, builtin: false, updatedAt: clock.now() }, parsed);
        await embeddings?.catchUp(signal);
      }
      const current = parsed === undefined ? stored : await reader.call<Resource | undefined>('find', { file, uri });
      if (!current) throw fail('removed', 'The document was removed while it was being added.');
      return { uri, title: current.title, description: current.description ?? null };
    },
    async remove(uri) {
      if (uri.startsWith('handbook://'))
        throw fail('builtin', 'The handbook is built in; switch it off with knowledge.handbook: false.');
      return writer.call<boolean>('remove', { file, uri: uri.replace(/#.*$/s, '') });
    },
    async check() {
      return { file, ...(await reader.call<{ resources: number; chunks: number }>('count', { file })) };
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
