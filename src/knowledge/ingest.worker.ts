import { serveWorker } from '../lib/serve-worker.ts';
import type { IngestDocument } from './model.ts';
import { documentDigest, parseDocument } from './parse-document.ts';

/** What is parsed, and the digest of the version that is already indexed. */
export interface ParseRequest extends IngestDocument {
  knownDigest?: string | undefined;
}

// Answers a `ParsedDocument` as JSON text (one string passes between processes without being rebuilt on the event loop),
// or undefined when the indexed version is the same.
const operations = serveWorker({
  parse: async ({ knownDigest, ...document }: ParseRequest): Promise<string | undefined> => {
    if (knownDigest !== undefined && documentDigest(document.bytes) === knownDigest) return undefined;
    return JSON.stringify(await parseDocument(document));
  },
});

export type IngestOperations = typeof operations;
