import { fail } from '../../src/errors.ts';
import { serveWorker } from '../../src/lib/serve-worker.ts';

// Operations that behave badly, for worker-pool.test.ts.
const operations = serveWorker({
  echo: (value: unknown) => value,
  pid: () => process.pid,
  environment: () => Object.keys(process.env),
  /** Years in the engine of regular expressions, where no thread can be stopped. */
  backtrack: () => /^(a|a)*?$/.test('<svg'.repeat(300_000).replace(/<(svg|b)\b[\s\S]*?<\/\1\s*>/g, '')),
  work: (ms: number) => {
    const end = performance.now() + ms;
    while (performance.now() < end);
    return 'worked';
  },
  grow: () => {
    const held: Uint8Array[] = [];
    for (;;) held.push(new Uint8Array(10_000_000).fill(1));
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  refuse: () => {
    throw fail('run_ended', 'Not here.');
  },
  fail: () => {
    throw new TypeError('secret detail');
  },
  bytes: (size: number) => ({ bytes: new Uint8Array(size) }),
});

export type TestOperations = typeof operations;
