import { Elysia, ValidationError } from 'elysia';
import { AppError, fail, toAppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import { errorResponse, logFailure } from './errors.ts';
import { requestIdOf } from './request-id.ts';
import type { RouteTable } from './route-table.ts';
import { validationError } from './validation.ts';

/** What the error handler needs. */
export interface ErrorHandlerNeeds {
  log: Logger;
  routes(): RouteTable;
}

/** The one place where anything thrown under a route becomes an answer. */
export function createErrorHandler({ log, routes }: ErrorHandlerNeeds) {
  return new Elysia({ name: 'error-handler' }).onError({ as: 'global' }, ({ code, error, request, path }) => {
    const requestId = requestIdOf(request);
    const failure = code === 'NOT_FOUND' ? nothingThere(routes(), request.method, path) : classify(error);
    // Whoever left cannot be told; a provider's or our own failure while leaving is the abort we asked for.
    if (!request.signal.aborted) logFailure(log, failure, requestId);
    return errorResponse(failure, requestId, path);
  });
}

/** 404, or 405 with `Allow` when the path exists with other methods. */
function nothingThere(routes: RouteTable, method: string, path: string): AppError {
  if (!routes.find(path)) return fail('not_found', 'There is nothing at this address.');
  const allow = routes.allow(path);
  return new AppError(`This address does not answer ${method}; it answers ${allow}.`, {
    code: 'method_not_allowed',
    category: 'user',
    status: 405,
    headers: { allow },
  });
}

function classify(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ValidationError) {
    // An answer that breaks its own schema is our defect, not the caller's.
    if (error.type === 'response')
      return fail('internal_error', 'Internal server error', { cause: new Error('answer does not match its schema') });
    return validationError(error.type, error.all);
  }
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  // Elysia wraps whatever reading the body threw.
  if (code === 'PARSE')
    return cause instanceof AppError ? cause : fail('malformed_body', 'The request body cannot be read.');
  if (code === 'INVALID_FILE_TYPE')
    return fail('invalid_request', 'The uploaded file has a type that is not accepted.');
  return toAppError(error);
}
