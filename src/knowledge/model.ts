import { type Static, Type } from '../schema.ts';

/** A document (or remote collection) the user can select for research. */
export const Resource = Type.Object(
  {
    uri: Type.String({
      description: 'Address of the resource, for example `local://report-1a2b3c` or `handbook://runs`.',
    }),
    title: Type.String({ description: 'Human title.' }),
    description: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'One sentence about it.' })),
  },
  { description: 'A document used for retrieval.' },
);
export type Resource = Static<typeof Resource>;

/** A retrieved piece of a resource. */
export interface Passage {
  /** Resource address, with `#page=N` or `#<heading-slug>` when known. */
  uri: string;
  /** The resource it belongs to. */
  resourceUri: string;
  title: string;
  /** The text, verbatim from the document. */
  content: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** Headings above the passage, outermost first. */
  headingPath: string[];
  page?: number;
  /** Character offsets in the extracted text of the resource. */
  start?: number;
  end?: number;
}

export interface IngestDocument {
  /** File name or address; used for title and type. */
  name: string;
  bytes: Uint8Array;
  mediaType?: string;
}

/** A knowledge base: the local store or an external provider. */
export interface KnowledgeProvider {
  readonly name: string;
  /** All (newest first) or, with a query, the matching ones best first. */
  listResources(options: { query?: string; limit: number; signal: AbortSignal }): Promise<Resource[]>;
  /** The passages that answer `query`, best first; `resources` narrows to those URIs. */
  retrieve(query: string, options: { resources?: string[]; limit: number; signal: AbortSignal }): Promise<Passage[]>;
  /** True when `retrieve` without a selection can find anything. */
  hasContent(): Promise<boolean>;
  /** Adds a document; absent when the provider cannot. Errors: `unsupported_type`, `empty_file`, `unreadable_content` (400). */
  ingest?(document: IngestDocument, signal: AbortSignal): Promise<Resource>;
  /** Removes a resource; false when there is none. */
  remove?(uri: string): Promise<boolean>;
}
