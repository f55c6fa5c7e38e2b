import { AppError, isAbort, toAppError } from '../errors.ts';
import { parseJson } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';
import type { RunEvent } from '../research/events.ts';
import { checkVersion, type RunUsage } from '../store/model.ts';
import type { AppendInput, RunPatch, RunRow, RunStore } from '../store/store.ts';
import { CANCELLED, type Ending, endingEvent, endingWrite, released, waitsAgain } from './ending.ts';
import type { LiveRun } from './live-run.ts';
import { logEvent, toStored } from './logged-event.ts';
import type { RunContext, RunOutcome, RunOutput, Workflow } from './model.ts';

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
  /** False for a new run, which has no journal to read. */
  hasJournal: boolean;
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
  const { run, signal, finishSignal } = options;
  checkVersion(run.version);
  const journal = options.hasJournal ? await options.store.journal(run.id) : new Map<string, unknown>();
  const context: RunContext = { runId: run.id, threadId: run.threadId, journal, signal, finishSignal };
  const generator = options.workflow(parseJson(run.input), context);
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
    await this.#append(event, {
      ...(journal && { journal }),
      ...(thread && { thread }),
      ...(Object.keys(patch).length > 0 && { patch }),
    });
    this.ended = ends !== undefined;
  }

  async fail(ending: Ending): Promise<void> {
    const { run } = this.#options;
    await this.#append(endingEvent(run, ending), endingWrite(run, ending));
    this.ended = true;
  }

  async #append(event: RunEvent | undefined, changes: Omit<AppendInput, 'events'>): Promise<void> {
    const { run, store, live } = this.#options;
    const logged = event && logEvent(live.lastSeq + 1, event);
    await store.append(run.id, { events: logged ? [toStored(logged)] : [], ...changes });
    // Persisted first: what a client has seen is never lost.
    if (logged) live.publish(logged);
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
