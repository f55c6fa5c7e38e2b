import type { Environment } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { readCapped } from '../../lib/read-capped.ts';

/** What a check found. Only `fail` makes `agent doctor` exit with 1. */
export interface Finding {
  area: string;
  status: 'ok' | 'warn' | 'fail';
  /** One sentence. */
  message: string;
  /** What to do, line by line; lines that can be pasted stand alone. */
  advice?: string[];
}

export interface DoctorContext {
  config: Config;
  home: string;
  environment: Environment;
  fetch: typeof fetch;
  signal: AbortSignal;
  /** Mend what can be mended, and say so. */
  fix?: boolean;
  /** Longest wait for one answer. */
  timeoutMs: number;
  /** Where local model servers are looked for. */
  localServers: { ollama: string; lmStudio: string };
}

/** Looks at one area; it reports, it never throws for what it looks for. */
export type Check = (context: DoctorContext) => Promise<Finding[]>;

/** GET with the doctor's patience: the answer, or why there is none. */
export async function probe(
  context: DoctorContext,
  url: string,
  headers: Record<string, string> = {},
): Promise<{ response: Response } | { failure: string }> {
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(context.timeoutMs)]);
  try {
    return { response: await context.fetch(url, { headers, signal }) };
  } catch (error) {
    context.signal.throwIfAborted();
    if ((error as Error).name === 'TimeoutError') return { failure: `no answer within ${context.timeoutMs / 1000} s` };
    return { failure: `no connection (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` };
  }
}

/** Body of a probe as JSON; undefined when it is not JSON, too long in coming, or not there. */
export async function probeJson(context: DoctorContext, url: string): Promise<unknown> {
  const result = await probe(context, url);
  if (!('response' in result) || !result.response.ok) return undefined;
  return jsonOf(result.response);
}

const MAX_PROBE_BYTES = 4 * 1024 * 1024;

/** Reads a probe's body as JSON, up to 4 MiB. */
export async function jsonOf(response: Response): Promise<unknown> {
  try {
    const { bytes, isCut } = await readCapped(response.body, MAX_PROBE_BYTES);
    return isCut ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // A probe asks "is this the server we know": anything else is "no".
    return undefined;
  }
}
