import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import { readCapped } from '../lib/read-capped.ts';
import { readRetryAfter } from '../lib/retry-after.ts';
import { trimEnd, withoutTrailingSlashes } from '../lib/trim.ts';
import { type DeliveryFailure, refusal } from './failure.ts';

/** One call of a platform. */
interface HttpCall {
  /** Platform, as errors name it. */
  service: string;
  url: string;
  method?: 'POST' | 'PUT';
  headers?: Record<string, string>;
  /** Sent as JSON unless it is form data or ready text. */
  body: Record<string, unknown> | URLSearchParams | string;
  signal: AbortSignal;
}

/** What a platform answered; the body is cut at the cap. */
export interface HttpAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as a JSON object, or undefined. */
  json: Record<string, unknown> | undefined;
  /** `Retry-After`, in milliseconds. */
  retryAfterMs: number | undefined;
}

/** Makes one call: the answer whatever its status, or why there is none. Rejects only when the caller aborts. */
export type HttpSender = (call: HttpCall) => Promise<HttpAnswer | DeliveryFailure>;

export interface HttpSenderOptions {
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  clock: Clock;
  timeoutMs: number;
  /** Most bytes read of an answer. */
  maxBytes: number;
}

/** A sender with a deadline over connect and body, an answer cap and no redirects (they would carry the credentials on). */
export function createHttpSender(options: HttpSenderOptions): HttpSender {
  return async (call) => {
    const { service, signal } = call;
    if (!isHttpUrl(call.url))
      return refusal('target_not_configured', `The address configured for ${service} is no URL.`);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), options.timeoutMs);
    try {
      const response = await options.fetch(call.url, {
        method: call.method ?? 'POST',
        headers: { 'user-agent': 'agent', ...contentType(call.body), ...call.headers },
        body: isJsonBody(call.body) ? JSON.stringify(call.body) : call.body,
        redirect: 'manual',
        signal: AbortSignal.any([signal, deadline.signal]),
      });
      const { bytes } = await readCapped(response.body, options.maxBytes);
      const text = new TextDecoder().decode(bytes);
      const json = parseJson(text);
      return {
        status: response.status,
        headers: response.headers,
        text,
        json: isRecord(json) ? json : undefined,
        retryAfterMs: readRetryAfter(response.headers, options.clock.now()),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.signal.aborted)
        return refusal('target_timeout', `${service} did not answer within ${options.timeoutMs / 1000} s.`);
      if (error instanceof AppError && error.code === 'url_refused')
        return refusal('target_refused', `${service} is not called: ${oneLine(error.message)}.`);
      // The text of a fetch error may hold the address, and with it a token: only its code is told.
      const code = errorCode(error instanceof AppError ? error.cause : error);
      return refusal('target_unreachable', `${service} could not be reached${code}.`);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The failure a non-2xx status means, or undefined for 2xx; `detail` is the platform's own short reason. */
export function statusFailure(
  service: string,
  answer: HttpAnswer,
  hints: { detail?: string; retryAfterMs?: number; rateLimited?: boolean } = {},
): DeliveryFailure | undefined {
  const { status } = answer;
  if (status >= 200 && status < 300 && !hints.rateLimited) return undefined;
  const reason = hints.detail ? `: ${oneLine(hints.detail)}` : '';
  if (status === 429 || hints.rateLimited) {
    const message = `${service} asked to slow down (HTTP ${status})${reason}.`;
    return refusal('target_rate_limited', message, hints.retryAfterMs ?? answer.retryAfterMs);
  }
  if (status >= 300 && status < 400)
    return refusal('target_redirected', `${service} answered with a redirect (HTTP ${status}), which is not followed.`);
  const message = `${service} answered HTTP ${status}${reason}.`;
  if (status >= 500 || status === 408 || status === 425) return refusal('target_failed', message, answer.retryAfterMs);
  return refusal('target_rejected', message);
}

/** A failure told in the body of an answer; platforms of this kind answer HTTP 200 to everything. */
export function bodyFailure(
  service: string,
  detail: string,
  hints: { retryable: boolean; rateLimited?: boolean; retryAfterMs?: number },
): DeliveryFailure {
  const code = hints.rateLimited ? 'target_rate_limited' : hints.retryable ? 'target_failed' : 'target_rejected';
  return refusal(code, `${service} refused the message: ${oneLine(detail)}.`, hints.retryAfterMs);
}

/** The failure of an answer that is not what the platform documents, say the page of a proxy. */
export function badAnswer(service: string, answer: HttpAnswer): DeliveryFailure {
  return refusal('target_bad_answer', `${service} answered HTTP ${answer.status} with a body that is not its format.`);
}

/** Joins a base URL and a path. */
export function joinUrl(base: string | undefined, path: string): string {
  return `${withoutTrailingSlashes(base ?? '')}${path}`;
}

/** True for an absolute http or https address. */
export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isJsonBody(body: HttpCall['body']): body is Record<string, unknown> {
  return typeof body !== 'string' && !(body instanceof URLSearchParams);
}

function contentType(body: HttpCall['body']): Record<string, string> {
  return body instanceof URLSearchParams
    ? { 'content-type': 'application/x-www-form-urlencoded' }
    : { 'content-type': 'application/json; charset=utf-8' };
}

/** One line without a full stop; it is shortened only after secrets have been cut out of it. */
function oneLine(detail: string): string {
  return trimEnd(detail.replace(/[\p{Cc}\s]+/gu, ' ').trim(), /\./);
}

function errorCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^\w{1,60}$/.test(code) ? ` (${code})` : '';
}
