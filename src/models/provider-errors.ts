import { AppError, fail } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { readRetryAfter } from '../lib/retry-after.ts';

/** What a provider answered instead of a completion; texts are for matching only and never shown. */
export interface Refusal {
  /** HTTP status; 0 for a connection that failed. */
  status: number;
  message: string;
  /** The provider's `error` object, if it sent one. */
  error: Record<string, unknown>;
  headers: Headers;
}

/** Who was asked, for messages. */
export interface Asked {
  host: string;
  model: string;
}

/** Reads the error thrown by the SDK, whose classes are not imported here; undefined when it is something else. */
export function readRefusal(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return undefined;
  const error = 'error' in thrown && isRecord(thrown.error) ? thrown.error : {};
  const headers = 'headers' in thrown && thrown.headers instanceof Headers ? thrown.headers : new Headers();
  return { status: thrown.status, message: textOf(error, thrown.message), error, headers };
}

/** Reads an error object that came inside a stream or with status 200. */
export function readStreamedError(value: unknown): Refusal {
  const error = isRecord(value) ? value : { message: value };
  const code = Number(error['code'] ?? error['status']);
  const status = code >= 400 && code < 600 ? code : statusByName(`${error['type']} ${error['code']}`);
  return { status, message: textOf(error, ''), error, headers: new Headers() };
}

/**
 * The error the rest of the program sees; it names host and model, never the body or the key. It has no `cause`: the
 * SDK's error quotes the body.
 */
export function refusalError(refusal: Refusal, asked: Asked, now: number): AppError {
  const { status } = refusal;
  const { host, model } = asked;
  const why = reasonOf(refusal);
  if (status === 401 || status === 403)
    return fail('upstream_rejected', `${host} refused the credentials for model ${model} (${status})`);
  if (status === 404) return fail('upstream_rejected', `${host} does not know model ${model} at this address (404)`);
  if (status === 429) {
    const spent = /quota|billing|insufficient|credit/i.test(`${refusal.error['code']} ${refusal.error['type']}`);
    return fail('upstream_rate_limited', `${host} limits the rate of calls to model ${model} (429${why})`, {
      retryable: !spent,
      retryAfterMs: readRetryAfter(refusal.headers, now),
    });
  }
  if (status === 408) return fail('upstream_timeout', `${host} timed out on model ${model} (408)`);
  if (status === 409 || status >= 500)
    return fail('upstream_unavailable', `${host} failed on model ${model} (${status}${why})`, {
      retryAfterMs: readRetryAfter(refusal.headers, now),
    });
  return fail('upstream_rejected', `${host} refused the request for model ${model} (${status}${why})`);
}

/** A connection that could not be made or broke. */
export function connectionError(asked: Asked, cause: unknown): AppError {
  return fail('upstream_unavailable', `${asked.host} cannot be reached for model ${asked.model}`, { cause });
}

/** The prompt does not fit; the model's `contextWindow` has shrunk by then. */
export function overflowError(asked: Asked, window: number): AppError {
  return fail(
    'context_overflow',
    `The request is too long for model ${asked.model} at ${asked.host}, whose context window is ${window} tokens`,
  );
}

/** A provider that asks for a longer wait is given up. */
export const MAX_WAIT_MS = 60_000;

/** Whether to call again after an error, and the wait the provider asked for; for `retry`. */
export function retryVerdict(error: unknown): boolean | number {
  if (!(error instanceof AppError) || !error.retryable) return false;
  if (error.retryAfterMs === undefined) return true;
  return error.retryAfterMs <= MAX_WAIT_MS && error.retryAfterMs;
}

function textOf(error: Record<string, unknown>, fallback: string): string {
  // FastAPI servers say `detail`, some proxies nest the text once more.
  const text = error['message'] ?? error['detail'] ?? error['msg'];
  if (typeof text === 'string') return text;
  return text === undefined ? fallback : JSON.stringify(text);
}

/** The provider's error code if it looks like one; free text may hold prompts or keys. */
function reasonOf(refusal: Refusal): string {
  const code = [refusal.error['code'], refusal.error['type']].find(
    (value) => typeof value === 'string' && /^[a-z]+(?:_[a-z]+)*$/i.test(value) && value.length <= 40,
  );
  return code ? `, ${code}` : '';
}

function statusByName(name: string): number {
  if (/rate_?limit|too_many/i.test(name)) return 429;
  if (/auth|permission|api_?key/i.test(name)) return 401;
  if (/invalid_request|bad_request|context/i.test(name)) return 400;
  return 500;
}
