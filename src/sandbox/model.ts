/** Limits of one evaluation. */
export interface SandboxLimits {
  timeMs: number;
  memoryBytes: number;
  outputBytes: number;
}

/** Which limit stopped an evaluation; `crash` is a sandbox that broke. After any of them its state is gone. */
export type ExceededLimit = 'time' | 'memory' | 'output' | 'crash';

/** What an evaluation came to. */
export interface Evaluation {
  /** What the code printed, cut to the limit. */
  output: string;
  /** The last expression, written for people; absent when it is undefined or the code failed. */
  value?: string;
  /** What the code threw, with a hint where the sandbox is the reason. */
  error?: string;
  exceeded?: ExceededLimit;
}

/** Asks the worker to evaluate. */
export interface EvaluateMessage {
  id: number;
  code: string;
}

/** What the worker says: that it is ready, or how an evaluation ended. */
export type WorkerMessage = { ready: true } | { id: number; evaluation: Evaluation };
