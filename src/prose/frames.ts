import { toAppError } from '../errors.ts';
import { formatFrame } from '../http/sse.ts';

/**
 * The SSE frames of a piece of prose: the text between newlines as `data: <text>`, and every newline as a frame of its
 * own with two empty data lines, which strict clients read as one newline and the existing editor as well.
 */
export function proseFrames(text: string): string {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.map((line) => (line === '' ? '' : formatFrame({ data: line }))).join(formatFrame({ data: '\n' }));
}

/** Yields frames; a `\r` at the end of a piece waits, because the `\n` of the pair may come with the next. */
export async function* frameProse(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let held = '';
  for await (const piece of pieces) {
    const text = held + piece;
    held = text.endsWith('\r') ? '\r' : '';
    const ready = held ? text.slice(0, -1) : text;
    if (ready !== '') yield proseFrames(ready);
  }
  if (held) yield proseFrames(held);
}

/** The last frame of a stream that failed after its first text. */
export function proseErrorFrame(error: unknown): string {
  const { code, message } = toAppError(error);
  return formatFrame({ event: 'error', data: JSON.stringify({ error: message, code }) });
}
