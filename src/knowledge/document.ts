/** The text of a document with what is needed to cut and cite it. */
export interface ExtractedDocument {
  title?: string | undefined;
  description?: string | undefined;
  text: string;
  /** `markdown` reads headings, fences and tables; `plain` only paragraphs. */
  syntax: 'markdown' | 'plain';
  /** Offset at which each page starts; absent for formats without pages. */
  pageStarts?: number[];
}

/** A retrievable piece of a document. */
export interface Chunk {
  /** Verbatim `text.slice(start, end)` of the extracted text. */
  content: string;
  start: number;
  end: number;
  /** Headings above, outermost first. */
  headingPath: string[];
  /** 1-based. */
  page?: number | undefined;
}

/** A document ready to be indexed. */
export interface ParsedDocument {
  title: string;
  description: string | null;
  /** SHA-256 of the bytes, hex, with the version of the cutting rules. */
  digest: string;
  chunks: Chunk[];
}
