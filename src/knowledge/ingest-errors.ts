import { type AppError, fail } from '../errors.ts';
import { READABLE_EXTENSIONS } from './media-kind.ts';

/** Text of a packed format; a file that is text itself is bounded by its own size. */
export const MAX_CHARACTERS = 20_000_000;

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

/** The content is larger than a document may be once it is unpacked, whatever the size of the file. */
export function tooLarge(message: string): AppError {
  return fail('document_too_large', message);
}

/** The content is made of more parts than a reader takes on. */
export function tooComplex(message: string): AppError {
  return fail('document_too_complex', message);
}
