import type { Passage, Resource } from '../model.ts';
import { numberOf, recordOf, textOf } from './read-json.ts';

/** What a vector store keeps with a piece of text, as far as it is known here. */
export interface VectorRecord {
  /** Address of the document. */
  uri: string;
  title: string;
  description: string | null;
  content: string | undefined;
  headingPath: string[];
  page: number | undefined;
  /** When the document was added, epoch milliseconds; 0 when unknown. */
  createdAt: number;
}

/**
 * Reads the fields of a stored piece: ours, DeerFlow's (`doc_id`, `url`, `title`, `content`), or LangChain's
 * (`page_content`, `metadata`). `scheme` makes an address of a bare id.
 */
export function readRecord(fields: Record<string, unknown>, id: unknown, scheme: string): VectorRecord {
  const metadata = recordOf(fields['metadata']);
  const own = textOf(fields['url']) ?? textOf(metadata['url']) ?? textOf(metadata['source']);
  const name = textOf(fields['doc_id']) ?? textOf(metadata['id']) ?? textOf(id) ?? 'document';
  const uri = own === undefined ? scheme + encodeURIComponent(name) : toUri(own, scheme);
  const headings = fields['heading_path'];
  const page = numberOf(fields['page']);
  return {
    uri,
    title: textOf(fields['title']) ?? textOf(metadata['title']) ?? lastPart(uri),
    description: textOf(fields['description']) ?? null,
    content: textOf(fields['content']) ?? textOf(fields['page_content']) ?? textOf(fields['text']),
    headingPath: Array.isArray(headings) ? headings.filter((heading) => typeof heading === 'string') : [],
    page: page > 0 ? page : undefined,
    createdAt: numberOf(fields['created_at']),
  };
}

/** The values of the address and id fields that belong to an address: as stored, decoded, and its last part. */
export function storedNames(uri: string): string[] {
  const plain = uri.replace(/#.*$/s, '');
  const decoded = decode(plain);
  return [...new Set([plain, decoded, lastPart(plain)])];
}

/** The documents of many pieces: newest first, each once. */
export function toResources(records: VectorRecord[]): Resource[] {
  const byUri = new Map<string, VectorRecord>();
  for (const record of records) if (!byUri.has(record.uri)) byUri.set(record.uri, record);
  return [...byUri.values()]
    .sort((a, b) => b.createdAt - a.createdAt)
    .map(({ uri, title, description }) => ({ uri, title, description }));
}

/** A found piece as a passage; undefined when it holds no text. */
export function toPassage(record: VectorRecord, score: number): Passage[] {
  const { uri, title, content, headingPath, page } = record;
  if (content === undefined) return [];
  const fragment = page === undefined ? '' : `#page=${page}`;
  return [
    {
      uri: uri + fragment,
      resourceUri: uri,
      title,
      content,
      score,
      headingPath,
      ...(page === undefined ? {} : { page }),
    },
  ];
}

/** What was stored as an address may be a bare name or hold spaces. */
function toUri(stored: string, scheme: string): string {
  if (!/^[a-z][a-z0-9+._-]*:\/\//i.test(stored)) return scheme + encodeURIComponent(stored);
  return stored.replace(/\s/g, (space) => encodeURIComponent(space));
}

function lastPart(uri: string): string {
  return decode(uri.split('/').at(-1) ?? uri);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
