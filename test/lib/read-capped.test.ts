import { describe, expect, test } from 'bun:test';
import { readCapped } from '../../src/lib/read-capped.ts';

const bodyOf = (...chunks: string[]) => {
  const state = { cancelled: false, pulled: 0 };
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks[state.pulled++];
        if (chunk === undefined) controller.close();
        else controller.enqueue(new TextEncoder().encode(chunk));
      },
      cancel() {
        state.cancelled = true;
        // A source that never ends its clean-up.
        return new Promise(() => undefined);
      },
    },
    { highWaterMark: 0 },
  );
  return { body, state };
};
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe('a capped read', () => {
  test('gives the whole of a body up to the cap, and nothing of none', async () => {
    const { bytes, isCut } = await readCapped(bodyOf('abc', '', 'def').body, 6);
    expect([textOf(bytes), isCut]).toEqual(['abcdef', false]);
    expect(await readCapped(null, 6)).toEqual({ bytes: new Uint8Array(0), isCut: false });
  });

  test('stops at the first byte beyond, asks for no more and does not wait for the source to end', async () => {
    const { body, state } = bodyOf('abc', 'defg', 'never');
    const { bytes, isCut } = await readCapped(body, 6);
    expect([textOf(bytes), isCut]).toEqual(['abcdef', true]);
    expect(state).toEqual({ cancelled: true, pulled: 2 });
  });

  test('rejects when the body breaks', async () => {
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('cut')) });
    expect(readCapped(body, 6)).rejects.toThrow('cut');
  });
});
