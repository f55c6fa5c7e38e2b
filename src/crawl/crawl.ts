/** A fetched page as Markdown, also the JSON result of `crawl_tool`. */
export interface CrawledPage {
  /** Final address after redirects. */
  url: string;
  title: string;
  crawled_content: string;
}

/** Reads one page. */
export interface Crawler {
  /** Throws an AppError: `url_refused` (guard), `too_large`, `unsupported_type`, `unreadable_page`, or `upstream_*`. */
  crawl(url: string, signal: AbortSignal): Promise<CrawledPage>;
}
