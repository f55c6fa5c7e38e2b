import { AppError } from '../errors.ts';

/** The 422 of a field whose fault a schema cannot say: `path` is its JSON pointer, `message` one sentence. */
export function invalidField(path: string, message: string, code = 'invalid_request'): AppError {
  return new AppError(message, { code, category: 'user', status: 422, errors: [{ path, message }] });
}
