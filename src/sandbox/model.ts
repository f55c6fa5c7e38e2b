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
