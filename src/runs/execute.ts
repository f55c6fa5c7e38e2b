import { AppError, isAbort, toAppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import type { RunPatch, RunRow, RunStore } from '../store/store.ts';
import type { LiveRun } from './live-run.ts';
import type { RunContext, RunOutcome, RunOutput, RunUsage, StoredEvent, Workflow } from './model.ts';

/** Largest payload of one event, bytes. */
const MAX_EVENT_BYTES = 512 * 1024;
/** How long a cancelled workflow may take to notice. */
const CANCEL_GRACE_MS = 1000;

/** Why a run's signal was aborted. */
export class RunStopped extends Error {
  override readonly name = 'AbortError';
  readonly why: 'cancelled' | 'parked' | 'lost';

  constructor(why: 'cancelled' | 'parked' | 'lost') {
    super(`run ${why}`);
    this.why = why;
  }
}

export interface ExecuteOptions {
  run: RunRow;
  live: LiveRun;
  workflow: Workflow;
  store: RunStore;
  journal: Map<string, unknown>;
  signal: AbortSignal;
  finishSignal: AbortSignal;
  log: Logger;
}

/** Drives a workflow to its end: persists each event, then publishes it; never throws. */
export async function executeRun(options: ExecuteOptions): Promise<void> {
  const { run, live, log } = options;
  const recorder = new Recorder(options);
  try {
    const outcome = await drive(options, recorder);
    await recorder.close(outcome);
    log.info('run ended', {
      run_id: run.id,
      status: outcome.status,
      ...('code' in outcome ? { code: outcome.code } : {}),
    });
  } catch (error) {
    await settle(error, options, recorder);
  } finally {
    live.end();
  }
}

async function drive(options: ExecuteOptions, recorder: Recorder): Promise<RunOutcome> {
  const { run, signal, finishSignal, journal } = options;
  const context: RunContext = { runId: run.id, threadId: run.threadId, journal, signal, finishSignal };
  const generator = options.workflow(JSON.parse(run.input), context);
  const aborted = abortWithGrace(signal);
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await Promise.race([generator.next(), aborted.promise]);
      if (next.done) return next.value;
      await recorder.record(next.value);
    }
  } finally {
    aborted.dispose();
    // Not awaited: a workflow stuck in an await would hold the end of the run.
    if (signal.aborted) void generator.return({ status: 'completed' }).catch(() => undefined);
  }
}

async function settle(error: unknown, options: ExecuteOptions, recorder: Recorder): Promise<void> {
  const { run, live, log, signal } = options;
  const stopped = signal.aborted && signal.reason instanceof RunStopped ? signal.reason.why : undefined;
  try {
    if (stopped === 'lost') return log.warn('run was taken over by another process', { run_id: run.id });
    if (stopped === 'parked') return await park(options, recorder);
    if (stopped === 'cancelled' || isAbort(error)) return await recorder.cancel();
    const failure = toAppError(error);
    log.error('run failed', { run_id: run.id, code: failure.code, error: describe(failure) });
    await recorder.close({ status: 'failed', code: failure.code, message: publicMessage(failure) });
  } catch (storeFailure) {
    const failure = toAppError(storeFailure);
    log.error('run could not be recorded', { run_id: run.id, code: failure.code, error: describe(failure) });
    live.end({ code: failure.code, message: publicMessage(failure) });
  }
}

async function park({ run, live, log }: ExecuteOptions, recorder: Recorder): Promise<void> {
  const goesOn = run.onDisconnect === 'continue';
  await recorder.patch(
    goesOn
      ? { status: 'queued', owner: null, leaseUntil: null }
      : { status: 'cancelled', owner: null, leaseUntil: null, errorCode: 'shutting_down', errorMessage: SHUTTING_DOWN },
  );
  live.end({ code: 'shutting_down', message: SHUTTING_DOWN });
  log.info('run parked', { run_id: run.id, goes_on: goesOn });
}

const SHUTTING_DOWN = 'The server is shutting down.';

/** Writes what a workflow yields, numbering the events. */
class Recorder {
  readonly #options: ExecuteOptions;
  readonly #usage: RunUsage;
  #seq: number;

  constructor(options: ExecuteOptions) {
    this.#options = options;
    this.#seq = options.live.lastSeq;
    this.#usage = structuredClone(options.run.usage);
  }

  async record(output: RunOutput, patch?: RunPatch): Promise<void> {
    const { run, store, live } = this.#options;
    const events: StoredEvent[] = output.event
      ? [{ seq: this.#seq + 1, type: output.event.type, data: encodeData(output.event.data) }]
      : [];
    if (output.usage) addUsage(this.#usage, output.usage);
    const changes: RunPatch = { ...(output.usage ? { usage: this.#usage } : {}), ...patch };
    await store.append(run.id, {
      events,
      ...(output.journal ? { journal: output.journal } : {}),
      ...(output.thread ? { thread: output.thread } : {}),
      ...(Object.keys(changes).length > 0 ? { patch: changes } : {}),
    });
    this.#seq += events.length;
    if (events.length > 0) live.publish(events);
  }

  patch(patch: RunPatch): Promise<void> {
    return this.record({}, patch);
  }

  async close(outcome: RunOutcome): Promise<void> {
    const released = { status: outcome.status, owner: null, leaseUntil: null };
    if (outcome.status !== 'failed') return this.patch(released);
    const { code, message } = outcome;
    const data = { thread_id: this.#options.run.threadId, error: message, code };
    await this.record({ event: { type: 'error', data } }, { ...released, errorCode: code, errorMessage: message });
  }

  async cancel(): Promise<void> {
    const message = 'The run was cancelled.';
    const data = { thread_id: this.#options.run.threadId, error: message, code: 'cancelled', reason: 'cancelled' };
    const patch = {
      status: 'cancelled' as const,
      owner: null,
      leaseUntil: null,
      errorCode: 'cancelled',
      errorMessage: message,
    };
    await this.record({ event: { type: 'error', data } }, patch);
  }
}

/** One-line JSON under the size cap; over it, the longest text of the payload is cut with a mark. */
function encodeData(data: Record<string, unknown>): string {
  let text = JSON.stringify(data);
  if (text.length * 3 < MAX_EVENT_BYTES || Buffer.byteLength(text) <= MAX_EVENT_BYTES) return text;
  const copy = structuredClone(data);
  for (let limit = 160_000; Buffer.byteLength(text) > MAX_EVENT_BYTES && limit > 1000; limit = Math.floor(limit / 2)) {
    cutStrings(copy, limit);
    text = JSON.stringify(copy);
  }
  return text;
}

function cutStrings(value: unknown, limit: number): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry === 'string' && entry.length > limit) {
      (value as Record<string, unknown>)[key] = `${entry.slice(0, limit).toWellFormed()}… [cut]`;
    } else cutStrings(entry, limit);
  }
}

function addUsage(total: RunUsage, usage: NonNullable<RunOutput['usage']>): void {
  const add = (entry: { input_tokens: number; output_tokens: number }) => {
    entry.input_tokens += usage.inputTokens;
    entry.output_tokens += usage.outputTokens;
  };
  add(total);
  add(entryOf(total.by_model, usage.model));
  add(entryOf(total.by_agent, usage.agent));
}

function entryOf(entries: RunUsage['by_model'], key: string) {
  entries[key] ??= { input_tokens: 0, output_tokens: 0 };
  return entries[key];
}

function abortWithGrace(signal: AbortSignal): { promise: Promise<never>; dispose(): void } {
  let timer: Timer | undefined;
  let onAbort: (() => void) | undefined;
  const promise = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(signal.reason), CANCEL_GRACE_MS);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  promise.catch(() => undefined);
  return {
    promise,
    dispose: () => {
      clearTimeout(timer);
      if (onAbort) signal.removeEventListener('abort', onAbort);
    },
  };
}

function publicMessage(error: AppError): string {
  return error.code === 'internal_error' ? 'Internal server error' : error.message;
}

function describe(error: AppError): string {
  const cause =
    error.cause instanceof Error && !(error.cause instanceof AppError)
      ? `: ${error.cause.stack ?? error.cause.message}`
      : '';
  return error.category === 'internal' ? `${error.message}${cause}` : error.message;
}
