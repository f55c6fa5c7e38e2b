/** How a paced stream goes and ends. */
export interface PaceOptions {
  /** Chunks each second; absent sends all at once. */
  tokensPerSecond?: number;
  /** The client's connection. */
  signal: AbortSignal;
  end: 'close' | 'drop' | 'hang';
  onEnd: () => void;
}

const encoder = new TextEncoder();

/** A byte stream that sends one chunk per tick, then closes, drops the connection, or is silent. */
export function pace(chunks: string[], options: PaceOptions): ReadableStream<Uint8Array> {
  let timer: Timer | undefined;
  const stop = () => clearInterval(timer);
  options.signal.addEventListener('abort', stop);
  return new ReadableStream({
    start(controller) {
      const finish = () => {
        stop();
        if (options.end === 'hang') return;
        options.onEnd();
        // A tick later, so that what was sent leaves before the connection breaks.
        if (options.end === 'drop') setTimeout(() => controller.error(), 5);
        else controller.close();
      };
      if (!options.tokensPerSecond) {
        if (chunks.length) controller.enqueue(encoder.encode(chunks.join('')));
        return finish();
      }
      let sent = 0;
      const started = performance.now();
      const tick = () => {
        if (options.signal.aborted) return stop();
        // What is due by now, so that a late timer does not slow the stream down.
        const due = Math.floor(((performance.now() - started) / 1000) * options.tokensPerSecond!) + 1;
        while (sent < chunks.length && sent < due) controller.enqueue(encoder.encode(chunks[sent++]!));
        if (sent >= chunks.length) finish();
      };
      tick();
      if (sent < chunks.length) timer = setInterval(tick, 1000 / options.tokensPerSecond);
    },
    cancel: stop,
  });
}
