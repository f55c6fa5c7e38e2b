export interface GuardedRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Whole exchange, redirects included. */
  timeoutMs: number;
  /** Decompressed bytes. */
  maxBytes: number;
  /** Accepted media types (`text/`, `application/pdf`); a prefix ending in `/` accepts the family. Absent: any. */
  accept?: string[];
  signal: AbortSignal;
}

export interface GuardedResponse {
  /** Final address after redirects. */
  url: string;
  status: number;
  headers: Headers;
  /** Decompressed. */
  bytes: Uint8Array;
}

/**
 * Fetches addresses that come from users, models or pages: every address is resolved, checked and connected to by its
 * checked IP, on each redirect again. Throws an AppError (`url_refused`, `too_large`, `unsupported_type`, `upstream_*`).
 */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<GuardedResponse>;
