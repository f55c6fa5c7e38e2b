import { type AppError, type ErrorCode, fail } from '../errors.ts';

/** The 422 of a field whose fault a schema cannot say: `path` is its JSON pointer, `message` one sentence. */
export function invalidField(path: string, message: string, code: ErrorCode = 'invalid_request'): AppError {
  return fail(code, message, { errors: [{ path, message }] });
}
