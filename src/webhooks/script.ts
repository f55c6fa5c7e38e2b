import { dirname, extname } from 'node:path';
import { escapeLine } from '../lib/escape-controls.ts';
import { parseJsonObject } from './parse-object.ts';
import { resolveScript } from './script-path.ts';

const OUTPUT_LIMIT = 1024 * 1024;
/** Time for output that is still in the pipe when the script has ended. */
const DRAIN_MS = 250;

export interface ScriptInput {
  home: string;
  /** As written in the route: a path inside `<home>/scripts`. */
  script: string;
  payload: Record<string, unknown>;
  route: string;
  eventType: string;
  deliveryId: string;
  timeoutMs: number;
  /** Only PATH, HOME and LANG are handed on. */
  environment: Record<string, string | undefined>;
  signal?: AbortSignal;
}

/** Why a script let an event go; also shown in `agent webhook events`. */
type ScriptFailure = 'outside' | 'missing' | 'timeout' | 'exit' | 'output_too_large' | 'not_started';

export type ScriptResult =
  | { outcome: 'continue'; payload: Record<string, unknown> }
  | { outcome: 'ignored'; reason: 'empty' | 'silent' }
  | { outcome: 'failed'; reason: ScriptFailure; exitCode?: number };

/**
 * Runs a route's script with the payload as JSON on stdin, in its own process group, which is killed with everything in it when
 * the script ends, is too slow or writes too much. A JSON object on stdout replaces the payload, other text is added to it.
 */
export async function runScript(input: ScriptInput): Promise<ScriptResult> {
  const found = await resolveScript(input.home, input.script);
  if (!found.ok) return { outcome: 'failed', reason: found.code };
  const interpreter = ['.sh', '.bash'].includes(extname(found.path).toLowerCase()) ? 'bash' : 'python3';
  let child: Bun.Subprocess<Blob, 'pipe', 'ignore'>;
  try {
    child = Bun.spawn([interpreter, found.path], {
      cwd: dirname(found.path),
      env: scriptEnvironment(input),
      stdin: new Blob([JSON.stringify(input.payload)]),
      stdout: 'pipe',
      stderr: 'ignore',
      // A new session is a new process group, so that children can be killed with it.
      detached: true,
    } as never);
  } catch {
    return { outcome: 'failed', reason: 'not_started' };
  }
  const ended = await superviseScript(child, input);
  input.signal?.throwIfAborted();
  if ('reason' in ended) return { outcome: 'failed', ...ended };
  return readOutput(ended.stdout, input.payload);
}

function scriptEnvironment(input: ScriptInput): Record<string, string> {
  const { PATH, HOME, LANG } = input.environment;
  return {
    PATH: PATH ?? '/usr/local/bin:/usr/bin:/bin',
    ...(HOME ? { HOME } : {}),
    LANG: LANG ?? 'C.UTF-8',
    AGENT_HOME: input.home,
    WEBHOOK_ROUTE: input.route,
    // The sender's words: a zero character would end the variable, and the start of the script.
    WEBHOOK_EVENT_TYPE: escapeLine(input.eventType),
    WEBHOOK_DELIVERY_ID: escapeLine(input.deliveryId),
  };
}

async function superviseScript(
  child: Bun.Subprocess<Blob, 'pipe', 'ignore'>,
  input: ScriptInput,
): Promise<{ stdout: string } | { reason: ScriptFailure; exitCode?: number }> {
  let reason: ScriptFailure | undefined;
  const stop = (why: ScriptFailure) => {
    reason ??= why;
    killGroup(child.pid);
  };
  const timer = setTimeout(() => stop('timeout'), input.timeoutMs);
  const onAbort = () => killGroup(child.pid);
  input.signal?.addEventListener('abort', onAbort, { once: true });
  const reader = child.stdout.getReader();
  const chunks: Uint8Array[] = [];
  const reading = (async () => {
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      size += value.length;
      if (size > OUTPUT_LIMIT) return stop('output_too_large');
      chunks.push(value);
    }
  })();
  try {
    if (input.signal?.aborted) onAbort();
    const exitCode = await child.exited;
    // Children left behind would keep the pipe open; one that made its own session is not waited for.
    killGroup(child.pid);
    await Promise.race([reading, Bun.sleep(DRAIN_MS)]);
    if (reason) return { reason };
    if (exitCode !== 0) return { reason: 'exit', exitCode };
    return { stdout: Buffer.concat(chunks).toString('utf8') };
  } finally {
    clearTimeout(timer);
    input.signal?.removeEventListener('abort', onAbort);
    await reader.cancel().catch(() => undefined);
  }
}

function readOutput(stdout: string, payload: Record<string, unknown>): ScriptResult {
  const text = stdout.trim();
  if (text === '') return { outcome: 'ignored', reason: 'empty' };
  if (text === '[SILENT]') return { outcome: 'ignored', reason: 'silent' };
  return { outcome: 'continue', payload: parseJsonObject(text) ?? { ...payload, script_output: text } };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
}
