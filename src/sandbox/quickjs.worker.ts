import { serveWorker } from '../lib/serve-worker.ts';
import type { Evaluation, SandboxLimits } from './model.ts';
import { loadQuickJs, QuickJsSandbox } from './quickjs.ts';

let sandbox: QuickJsSandbox | undefined;

// First `open`; then every `evaluate` runs in the same world.
const operations = serveWorker({
  open: async (limits: SandboxLimits): Promise<void> => {
    sandbox = new QuickJsSandbox(await loadQuickJs(), limits);
  },
  evaluate: (code: string): Evaluation => sandbox!.evaluate(code),
});

export type QuickJsOperations = typeof operations;
