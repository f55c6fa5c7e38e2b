/** One hit, also the element of the `web_search` tool's JSON result. */
export interface SearchResult {
  type: 'page';
  title: string;
  url: string;
  /** Snippet or extract. */
  content: string;
  /** Relevance 0–1 when the engine gives one. */
  score?: number;
}

/** A web search engine, or a chain of them. */
export interface SearchEngine {
  readonly name: string;
  /** Best first, at most `maxResults`. Throws an AppError `upstream_*` naming the engine; `search_unavailable` for a chain with none left. */
  search(query: string, options: { maxResults: number; signal: AbortSignal }): Promise<SearchResult[]>;
}
