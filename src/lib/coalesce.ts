/**
 * Passes items on, joining those that follow within `intervalMs` of the last one sent; the first leaves at once and
 * nothing waits longer than the interval. `join` returns the joined item, or undefined when the two must stay apart.
 */
export async function* coalesce<T>(
  source: AsyncIterable<T>,
  intervalMs: number,
  join: (first: T, second: T) => T | undefined,
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let held: { item: T } | undefined;
  let timer: { done: Promise<'timer'>; cancel(): void } | undefined;
  try {
    let next = iterator.next();
    for (;;) {
      let arrived: IteratorResult<T> | 'timer';
      try {
        arrived = timer ? await Promise.race([next, timer.done]) : await next;
      } catch (error) {
        // What was sent before the failure is not lost with it.
        if (held) yield held.item;
        throw error;
      }
      if (arrived === 'timer') {
        timer = undefined;
        if (held) {
          const { item } = held;
          held = undefined;
          timer = startTimer(intervalMs);
          yield item;
        }
        continue;
      }
      if (arrived.done) {
        if (held) yield held.item;
        return;
      }
      next = iterator.next();
      // A source that fails while an item is being sent is heard of at the next wait.
      next.catch(() => undefined);
      if (held) {
        const joined = join(held.item, arrived.value);
        if (joined !== undefined) {
          held = { item: joined };
          continue;
        }
        yield held.item;
        held = { item: arrived.value };
      } else if (timer) held = { item: arrived.value };
      else {
        if (intervalMs > 0) timer = startTimer(intervalMs);
        yield arrived.value;
      }
    }
  } finally {
    timer?.cancel();
    void iterator.return?.()?.catch(() => undefined);
  }
}

function startTimer(ms: number): { done: Promise<'timer'>; cancel(): void } {
  let handle: Timer | undefined;
  const done = new Promise<'timer'>((resolve) => {
    handle = setTimeout(() => resolve('timer'), ms);
  });
  return { done, cancel: () => clearTimeout(handle) };
}
