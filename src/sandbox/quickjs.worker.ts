import type { EvaluateMessage, SandboxLimits, WorkerMessage } from './model.ts';
import { loadQuickJs, QuickJsSandbox } from './quickjs.ts';

declare const self: Worker;

let sandbox: QuickJsSandbox | undefined;

// The first message has the limits; then every message is code.
self.onmessage = async (event: MessageEvent<EvaluateMessage | { limits: SandboxLimits }>) => {
  const { data } = event;
  if ('limits' in data) {
    sandbox = new QuickJsSandbox(await loadQuickJs(), data.limits);
    self.postMessage({ ready: true } satisfies WorkerMessage);
  } else if (sandbox) {
    self.postMessage({ id: data.id, evaluation: sandbox.evaluate(data.code) } satisfies WorkerMessage);
  }
};
