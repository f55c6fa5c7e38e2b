import { fail } from '../../errors.ts';
import type { Embedder } from '../../models/model.ts';
import type { ParsedDocument } from '../document.ts';
import { DocumentReader, type ReadLimits } from '../document-reader.ts';
import { emptyFile, unsupportedType } from '../ingest-errors.ts';
import { documentKind } from '../media-kind.ts';
import type { IngestDocument } from '../model.ts';

/** A document cut and embedded, ready for a vector store. */
export interface VectorDocument {
  title: string;
  description: string | null;
  /** Of the bytes; tells the version from older ones. */
  digest: string;
  chunks: { content: string; headingPath: string[]; page: number | undefined; vector: Float32Array }[];
}

const MAX_QUERY = 8000;

/** Reads, cuts and embeds what a vector store is given; reading happens in a process of its own. */
export class VectorDocuments {
  readonly #embedder: Embedder | undefined;
  readonly #label: string;
  readonly #reader: DocumentReader;

  constructor(label: string, embedder: Embedder | undefined, limits: ReadLimits) {
    this.#label = label;
    this.#embedder = embedder;
    this.#reader = new DocumentReader(limits);
  }

  /** The vector of a question. */
  async embedQuery(query: string, signal: AbortSignal): Promise<number[]> {
    const [vector] = await this.#needEmbedder().embed([query.slice(0, MAX_QUERY)], signal);
    return [...vector!];
  }

  /** Reads a document. Errors: as `KnowledgeProvider.ingest`. */
  async read(document: IngestDocument, signal: AbortSignal): Promise<VectorDocument> {
    signal.throwIfAborted();
    const embedder = this.#needEmbedder();
    if (!documentKind(document.name, document.mediaType)) throw unsupportedType();
    if (document.bytes.length === 0) throw emptyFile();
    const text = await this.#reader.read(document, undefined, signal);
    const { title, description, digest, chunks } = JSON.parse(text!) as ParsedDocument;
    const vectors = await embedder.embed(
      chunks.map(({ content }) => content),
      signal,
    );
    return {
      title,
      description,
      digest,
      chunks: chunks.map(({ content, headingPath, page }, index) => ({
        content,
        headingPath,
        page,
        vector: vectors[index]!,
      })),
    };
  }

  /** Ends the reader; idempotent. */
  stop(): void {
    this.#reader.stop();
  }

  #needEmbedder(): Embedder {
    if (this.#embedder) return this.#embedder;
    throw fail(
      'embedding_not_configured',
      `${this.#label} needs an embedding model; set models.embedding to the one its collection was made with.`,
    );
  }
}

/** A stable UUID for a piece of a document. */
export function chunkId(url: string, index: number): string {
  const hex = new Bun.CryptoHasher('sha256').update(`${url}\n${index}`).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
