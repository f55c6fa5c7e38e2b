import { fail } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import type { Logger } from '../lib/log.ts';
import type { LoopAlarm } from '../lib/loop-alarm.ts';
import type { JournalEntry, OnDisconnect } from '../store/model.ts';
import type { NewRun, RunRow, Store, ThreadPatch } from '../store/store.ts';
import { CANCELLED, type Ending, endingEvent, endingWrite, released } from './ending.ts';
import { executeRun, RunStopped } from './execute.ts';
import { LiveRun } from './live-run.ts';
import { logEvent, toStored } from './logged-event.ts';
import type { Workflow } from './model.ts';
import { createOwner, isDeadOwner } from './owner.ts';

/** A run is given up after it was taken over this often: it probably kills its process. */
const MAX_ATTEMPTS = 5;

export interface RunServiceOptions {
  store: Store;
  /** Workflow by run kind. */
  workflows: Record<string, Workflow>;
  /** Is told which kinds of runs are under way. */
  alarm?: Pick<LoopAlarm, 'begin'>;
  clock: Clock;
  log: Logger;
  maxActive: number;
  leaseMs: number;
  workerConcurrency: number;
}

export interface StartRun {
  /** Given by callers that must be able to ask again after a crash. */
  id?: string;
  kind: string;
  threadId: string;
  input: unknown;
  onDisconnect: OnDisconnect;
  /** The interrupted run this one resumes, and the answer it waited for. */
  inheritJournalFrom?: string;
  journal?: JournalEntry[];
  thread?: ThreadPatch;
}

/** How a run begins in this process. */
interface Begun {
  hasJournal: boolean;
  lastSeq?: number;
  /** True for a run of the worker. */
  taken?: boolean;
}

interface Active {
  live: LiveRun;
  stop: AbortController;
  finish: AbortController;
  done: Promise<void>;
}

/** Starts, continues, follows and stops runs of this process. */
export class RunService {
  readonly #options: RunServiceOptions;
  readonly #owner = createOwner();
  readonly #active = new Map<string, Active>();
  #taken = 0;
  #timer: Timer | undefined;
  #ticking: Promise<void> | undefined;
  #stopping = false;

  constructor(options: RunServiceOptions) {
    this.#options = options;
  }

  /** Takes over runs that were parked or whose process died, and keeps leases alive from now on. */
  async start(): Promise<void> {
    this.#stopping = false;
    await this.#tick();
    this.#timer = setInterval(() => void this.#tick(), Math.max(250, this.#options.leaseMs / 3));
  }

  /** Parks every run; streams end with an error event `shutting_down`. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#ticking;
    for (const active of this.#active.values()) active.stop.abort(new RunStopped('parked'));
    await Promise.all([...this.#active.values()].map((active) => active.done));
  }

  /** Runs working in this process. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** Creates a run and begins it at once. Throws `overloaded` (503) when too many are active. */
  async begin(request: StartRun): Promise<RunRow> {
    if (this.#stopping) throw fail('shutting_down', 'The server is shutting down.');
    if (this.#active.size >= this.#options.maxActive) {
      throw fail('overloaded', 'Too many runs are active; try again later.');
    }
    const run = await this.#create(request, 'running');
    this.#execute(run, { hasJournal: request.inheritJournalFrom !== undefined || request.journal !== undefined });
    return run;
  }

  /** Creates a run for the worker of this or another process. */
  async submit(request: StartRun): Promise<RunRow> {
    const run = await this.#create(request, 'queued');
    if (!this.#stopping) void this.#tick();
    return run;
  }

  /** Runs a failed or cancelled run again; what is in its journal is not repeated. */
  async retry(run: RunRow): Promise<void> {
    if (this.#stopping) throw fail('shutting_down', 'The server is shutting down.');
    const { runs } = this.#options.store;
    const waiting = { ...released('queued'), cancelRequested: false, errorCode: null, errorMessage: null };
    await runs.update(run.id, waiting);
    const again: RunRow = { ...run, ...waiting };
    if (await runs.claim(again, this.#owner, this.#options.clock.now() + this.#options.leaseMs))
      await this.#take(again);
  }

  /** The part of a run that works in this process, if it does. */
  live(runId: string): LiveRun | undefined {
    return this.#active.get(runId)?.live;
  }

  /** Resolves when the run no longer works in this process. */
  async settled(runId: string): Promise<void> {
    await this.#active.get(runId)?.done;
  }

  /** Asks a run to stop; false when it has ended or does not exist. A run that waits for an answer waits no longer. */
  async cancel(runId: string): Promise<boolean> {
    const active = this.#active.get(runId);
    if (active) {
      active.stop.abort(new RunStopped('cancelled'));
      return true;
    }
    return (await this.#request(runId, 'cancelRequested')) || this.#abandon(runId);
  }

  /** Asks a run to write its result from what is known; false when it has ended or does not exist. */
  async finish(runId: string): Promise<boolean> {
    const requested = await this.#request(runId, 'finishRequested');
    if (requested) this.#active.get(runId)?.finish.abort(new Error('finish requested'));
    return requested;
  }

  async #request(runId: string, flag: 'cancelRequested' | 'finishRequested'): Promise<boolean> {
    const { runs } = this.#options.store;
    const run = await runs.get(runId);
    if (run?.status !== 'queued' && run?.status !== 'running') return false;
    await runs.update(runId, { [flag]: true });
    return true;
  }

  async #abandon(runId: string): Promise<boolean> {
    const { runs, threads } = this.#options.store;
    const run = await runs.get(runId);
    if (run?.status !== 'interrupted') return false;
    if ((await threads.get(run.threadId))?.pending?.runId !== runId) return false;
    // An answer that comes at the same time gets it, or this does.
    if (!(await threads.takePending(run.threadId))) return false;
    const { status, code, message } = CANCELLED;
    await runs.update(runId, { ...released(status), errorCode: code, errorMessage: message });
    return true;
  }

  async #create(request: StartRun, status: 'running' | 'queued'): Promise<RunRow> {
    const { store, clock, leaseMs } = this.#options;
    const run: NewRun = {
      id: request.id ?? createId('run'),
      threadId: request.threadId,
      kind: request.kind,
      status,
      input: JSON.stringify(request.input),
      onDisconnect: request.onDisconnect,
      owner: status === 'running' ? this.#owner : null,
      leaseUntil: status === 'running' ? clock.now() + leaseMs : null,
    };
    return store.runs.create(run, {
      ...(request.inheritJournalFrom ? { inheritJournalFrom: request.inheritJournalFrom } : {}),
      ...(request.journal ? { journal: request.journal } : {}),
      ...(request.thread ? { thread: request.thread } : {}),
    });
  }

  #execute(run: RunRow, { hasJournal, lastSeq = 0, taken = false }: Begun): void {
    const { store, workflows, log } = this.#options;
    const workflow = workflows[run.kind];
    const live = new LiveRun(run.id, run.threadId, lastSeq);
    const stop = new AbortController();
    const finish = new AbortController();
    if (run.finishRequested) finish.abort(new Error('finish requested'));
    if (taken) this.#taken++;
    const work = async () => {
      if (!workflow) throw new Error(`no workflow of kind ${run.kind}`);
      await executeRun({
        run,
        live,
        workflow,
        store: store.runs,
        hasJournal,
        signal: stop.signal,
        finishSignal: finish.signal,
        log,
      });
    };
    const end = this.#options.alarm?.begin(`run ${run.kind}`);
    const done = work()
      .catch((error: unknown) => {
        log.error('run could not start', { run_id: run.id, error });
        live.end({ code: 'internal_error', message: 'Internal server error' });
      })
      .finally(() => {
        end?.();
        this.#active.delete(run.id);
        if (taken) {
          this.#taken--;
          if (!this.#stopping) void this.#tick();
        }
      });
    this.#active.set(run.id, { live, stop, finish, done });
  }

  /** One round of the worker: keep own leases, then take over what waits. */
  #tick(): Promise<void> {
    this.#ticking ??= this.#round()
      .catch((error: unknown) => this.#options.log.error('run worker failed', { error }))
      .finally(() => {
        this.#ticking = undefined;
      });
    return this.#ticking;
  }

  async #round(): Promise<void> {
    const { store, clock, leaseMs, workerConcurrency } = this.#options;
    await Promise.all([...this.#active].map(([id, active]) => this.#keepLease(id, active)));
    const room = workerConcurrency - this.#taken;
    if (room <= 0 || this.#stopping) return;
    const deadOwners = (await store.runs.owners()).filter((owner) => isDeadOwner(owner, this.#owner));
    const waiting = await store.runs.claimable({ now: clock.now(), deadOwners, limit: 100 });
    for (const run of waiting) {
      if (this.#stopping || this.#taken >= workerConcurrency) return;
      if (this.#active.has(run.id)) continue;
      if (await store.runs.claim(run, this.#owner, clock.now() + leaseMs)) await this.#take(run);
    }
  }

  async #take(run: RunRow): Promise<void> {
    const { store, log } = this.#options;
    const lastSeq = await store.runs.lastSeq(run.id);
    const givenUp = giveUpReason(run);
    if (givenUp) {
      const event = logEvent(lastSeq + 1, endingEvent(run, givenUp));
      await store.runs.append(run.id, { events: [toStored(event)], ...endingWrite(run, givenUp) });
      log.warn('run not continued', { run_id: run.id, code: givenUp.code });
      return;
    }
    log.info('run continues', { run_id: run.id, attempt: run.attempts + 1 });
    this.#execute(run, { hasJournal: true, lastSeq, taken: true });
  }

  async #keepLease(id: string, active: Active): Promise<void> {
    const { store, clock, leaseMs } = this.#options;
    const flags = await store.runs.heartbeat(id, this.#owner, clock.now() + leaseMs);
    if (!this.#active.has(id)) return;
    if (!flags) active.stop.abort(new RunStopped('lost'));
    else if (flags.cancelRequested) active.stop.abort(new RunStopped('cancelled'));
    else if (flags.finishRequested) active.finish.abort(new Error('finish requested'));
  }
}

function giveUpReason(run: RunRow): Ending | undefined {
  if (run.cancelRequested) return CANCELLED;
  if (run.status === 'running' && run.onDisconnect !== 'continue') {
    return { status: 'failed', code: 'server_restarted', message: 'The server restarted while the run was working.' };
  }
  if (run.attempts >= MAX_ATTEMPTS) {
    const message = 'The run was restarted too often and was given up.';
    return { status: 'failed', code: 'too_many_restarts', message };
  }
  return undefined;
}
