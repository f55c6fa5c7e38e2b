import { type AppError, fail } from '../errors.ts';
import { READABLE_EXTENSIONS } from './media-kind.ts';

/** The file is damaged, protected, or not what its name says. */
export function unreadable(message: string, cause?: unknown): AppError {
  return fail('unreadable_content', message, { cause });
}

/** The file holds nothing to read. */
export function emptyFile(): AppError {
  return fail('empty_file', 'The file is empty.');
}

/** The format is not one of those that can be read. */
export function unsupportedType(): AppError {
  const formats = READABLE_EXTENSIONS.map((extension) => `.${extension}`).join(', ');
  return fail('unsupported_type', `This type of file cannot be read; use one of ${formats}.`);
}
