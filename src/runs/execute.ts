import { AppError, isAbort, toAppError } from '../errors.ts';
import type { Logger } from '../lib/log.ts';
import type { RunUsage } from '../store/model.ts';
import type { AppendInput, RunPatch, RunRow, RunStore } from '../store/store.ts';
import { CANCELLED, type Ending, endingWrite, released, waitsAgain } from './ending.ts';
import type { LiveRun } from './live-run.ts';
import type { RunContext, RunOutcome, RunOutput, Workflow } from './model.ts';

/** Largest payload of one event, bytes; what is left of 512 KiB holds the frame around it. */
const MAX_EVENT_BYTES = 511 * 1024;
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
    if (!recorder.ended)
      await (outcome.status === 'failed' ? recorder.fail(outcome) : recorder.record({ ends: outcome.status }));
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
    if (recorder.ended) return log.info('run ended while it was being stopped', { run_id: run.id });
    if (stopped === 'lost') return log.warn('run was taken over by another process', { run_id: run.id });
    if (stopped === 'parked') return await park(options);
    if (stopped === 'cancelled' || isAbort(error)) return await recorder.fail(CANCELLED);
    const failure = toAppError(error);
    log.error('run failed', { run_id: run.id, code: failure.code, error: describe(failure) });
    await recorder.fail({ status: 'failed', code: failure.code, message: publicMessage(failure) });
  } catch (storeFailure) {
    const failure = toAppError(storeFailure);
    log.error('run could not be recorded', { run_id: run.id, code: failure.code, error: describe(failure) });
    live.end({ code: failure.code, message: publicMessage(failure) });
  }
}

async function park({ run, live, store, log }: ExecuteOptions): Promise<void> {
  const goesOn = run.onDisconnect === 'continue';
  await store.append(run.id, {
    events: [],
    ...(goesOn
      ? { patch: released('queued') }
      : {
          patch: { ...released('cancelled'), errorCode: 'shutting_down', errorMessage: SHUTTING_DOWN },
          ...waitsAgain(run),
        }),
  });
  live.end({ code: 'shutting_down', message: SHUTTING_DOWN });
  log.info('run parked', { run_id: run.id, goes_on: goesOn });
}

const SHUTTING_DOWN = 'The server is shutting down.';

/** Writes what a workflow yields, numbering the events. */
class Recorder {
  readonly #options: ExecuteOptions;
  readonly #usage: RunUsage;
  /** True once the run has its final status: nothing may follow it. */
  ended = false;

  constructor(options: ExecuteOptions) {
    this.#options = options;
    this.#usage = structuredClone(options.run.usage);
  }

  async record(output: RunOutput): Promise<void> {
    const { event, journal, thread, usage, ends } = output;
    if (usage) addUsage(this.#usage, usage);
    const patch: RunPatch = { ...(usage && { usage: this.#usage }), ...(ends && released(ends)) };
    await this.#append({
      events: event ? [{ seq: this.#nextSeq, type: event.type, data: encodeData(event.data) }] : [],
      ...(journal && { journal }),
      ...(thread && { thread }),
      ...(Object.keys(patch).length > 0 && { patch }),
    });
    this.ended = ends !== undefined;
  }

  async fail(ending: Ending): Promise<void> {
    await this.#append(endingWrite(this.#options.run, this.#nextSeq, ending));
    this.ended = true;
  }

  get #nextSeq(): number {
    return this.#options.live.lastSeq + 1;
  }

  async #append(input: AppendInput): Promise<void> {
    const { run, store, live } = this.#options;
    await store.append(run.id, input);
    if (input.events.length > 0) live.publish(input.events);
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
