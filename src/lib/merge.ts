/**
 * Runs generators side by side, at most `limit` at once and started in order, yielding what they yield as it comes.
 * Returns their results in the order given. When one throws, the others are closed and the error goes on.
 */
export async function* mergeGenerators<T, R>(
  generators: AsyncGenerator<T, R>[],
  limit: number,
): AsyncGenerator<T, R[]> {
  const results = new Array<R>(generators.length);
  const active = new Map<number, Promise<{ index: number; next: IteratorResult<T, R> }>>();
  let started = 0;
  const step = (index: number) => {
    active.set(
      index,
      (generators[index] as AsyncGenerator<T, R>).next().then((next) => ({ index, next })),
    );
  };
  try {
    for (;;) {
      while (active.size < limit && started < generators.length) step(started++);
      if (active.size === 0) return results;
      const { index, next } = await Promise.race(active.values());
      if (next.done) {
        active.delete(index);
        results[index] = next.value;
      } else {
        yield next.value;
        step(index);
      }
    }
  } finally {
    // Not awaited: a generator waiting for an aborted call would hold the others.
    for (const [index, pending] of active) {
      pending.catch(() => undefined);
      void generators[index]?.return(undefined as never).catch(() => undefined);
    }
  }
}
