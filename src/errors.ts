/** Who is at fault: the caller, a provider we called, or ourselves. */
export type ErrorCategory = 'user' | 'upstream' | 'internal';

export interface AppErrorOptions {
  /** Stable machine-readable code, snake_case; clients may switch on it. */
  code: string;
  category: ErrorCategory;
  /** HTTP status the error maps to at the HTTP edge. */
  status: number;
  /** Whether the same call may succeed later; decided where the error is built. */
  retryable?: boolean;
  /** Wait asked for by the provider, milliseconds. */
  retryAfterMs?: number;
  cause?: unknown;
  /** Field problems of a schema violation. */
  errors?: { path: string; message: string }[];
  /** The message has several lines, and their breaks are ours: a terminal shows them as lines. */
  multiline?: boolean;
  /** Extra response headers (`Allow`, `Retry-After`). */
  headers?: Record<string, string>;
}

/** The only error the code throws on purpose; its message is one sentence that is safe to show to a client. */
export class AppError extends Error {
  readonly code: string;
  readonly category: ErrorCategory;
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly errors: { path: string; message: string }[] | undefined;
  readonly multiline: boolean;
  readonly headers: Record<string, string> | undefined;

  constructor(message: string, options: AppErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = options.code;
    this.category = options.category;
    this.status = options.status;
    this.retryable = options.retryable ?? false;
    this.retryAfterMs = options.retryAfterMs;
    this.errors = options.errors;
    this.multiline = options.multiline ?? false;
    this.headers = options.headers;
  }
}

/** A refusal caused by what the caller sent. */
export function userError(code: string, status: number, message: string, cause?: unknown): AppError {
  return new AppError(message, { code, category: 'user', status, cause });
}

/** How a provider failed; also the wire `code`. */
export type UpstreamCode = 'upstream_unavailable' | 'upstream_rejected' | 'upstream_timeout' | 'upstream_rate_limited';

/** A failure of a provider; `message` names the provider and never holds its answer body. */
export function upstreamError(
  code: UpstreamCode,
  message: string,
  options: { retryable: boolean; retryAfterMs?: number; cause?: unknown },
): AppError {
  return new AppError(message, { code, category: 'upstream', status: 500, ...options });
}

/** A defect or a broken resource of ours; clients see a generic sentence unless `message` is meant for them. */
export function internalError(code: string, message: string, cause?: unknown): AppError {
  return new AppError(message, { code, category: 'internal', status: 500, cause });
}

/** True for the rejection of an aborted signal; an abort is not an error. */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}

/** Wraps anything thrown into an AppError without leaking its text. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  return internalError('internal_error', 'Internal server error', error);
}
