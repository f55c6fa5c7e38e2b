import type { AppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { type Static, Type } from '../schema.ts';

/** Body of every error answer (RFC 9457). */
export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String({ description: 'Name of the status.' }),
    status: Type.Integer(),
    detail: Type.String({ description: 'One sentence for people.' }),
    code: Type.String({ description: 'Stable code for programs.' }),
    request_id: Type.String({ description: 'Also in the header x-request-id and in the log.' }),
    errors: Type.Optional(
      Type.Array(Type.Object({ path: Type.String({ description: 'JSON pointer.' }), message: Type.String() }), {
        description: 'The fields that break the schema (422).',
      }),
    ),
  },
  { description: 'An error (RFC 9457).' },
);
export type Problem = Static<typeof Problem>;

/** The problem body of an error; a defect of ours never shows its own text. */
export function toProblem(error: AppError, requestId: string): Problem {
  return {
    type: 'about:blank',
    title: TITLES[error.status] ?? 'Error',
    status: error.status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.errors && { errors: error.errors }),
  };
}

/** The answer of an error: `application/problem+json`, with the error's own headers and `Retry-After`. */
function problemResponse(error: AppError, requestId: string): Response {
  const headers = new Headers(error.headers);
  headers.set('content-type', 'application/problem+json');
  if (error.retryAfterMs !== undefined && !headers.has('retry-after'))
    headers.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  return new Response(JSON.stringify(toProblem(error, requestId)), { status: error.status, headers });
}

/** Below this path clients speak OpenAI's API and read its error shape. */
const OPENAI_PREFIX = '/v1/';

/** The answer of an error in the shape the path's clients read: OpenAI's below `/v1/`, else problem+json. */
export function errorResponse(error: AppError, requestId: string, path: string): Response {
  return path.startsWith(OPENAI_PREFIX) ? openAiErrorResponse(error) : problemResponse(error, requestId);
}

/** The body of an error in OpenAI's API: `{error: {message, type, param, code}}`. */
export function toOpenAiError(error: AppError) {
  const param = error.errors?.[0]?.path.slice(1).replaceAll('/', '.') || null;
  return { error: { message: error.message, type: openAiType(error.status), param, code: error.code } };
}

function openAiErrorResponse(error: AppError): Response {
  const headers = new Headers(error.headers);
  headers.set('content-type', 'application/json; charset=utf-8');
  if (error.retryAfterMs !== undefined && !headers.has('retry-after'))
    headers.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)));
  // OpenAI's clients send again whatever failed with 5xx, unless told not to: at once, which helps no defect of ours.
  const helps = error.retryable && !(error.category === 'internal' && error.status === 500);
  if (error.status >= 500 && !helps) headers.set('x-should-retry', 'false');
  // OpenAI has no 422: what does not match is a bad request.
  return Response.json(toOpenAiError(error), { status: error.status === 422 ? 400 : error.status, headers });
}

function openAiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

/** Writes a failure to the log: a defect with its stack, a provider's failure with its code, a refusal not at all. */
export function logFailure(log: Logger, error: AppError, requestId: string): void {
  const fields = { request_id: requestId, code: error.code };
  if (error.category === 'internal') {
    const source = error.cause instanceof Error ? error.cause : error;
    log.error('request failed', { ...fields, error: `${source.name}: ${source.message}`, stack: source.stack });
  } else if (error.category === 'upstream') log.warn('provider failed', { ...fields, detail: error.message });
}

/** Names of the statuses (RFC 9110). */
const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  421: 'Misdirected Request',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  499: 'Client Closed Request',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
