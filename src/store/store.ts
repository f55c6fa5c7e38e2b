import type {
  JournalEntry,
  KnownSource,
  OnDisconnect,
  PendingInterrupt,
  RunStatus,
  RunUsage,
  StoredEvent,
} from './model.ts';

/** A row of `runs`. Times are milliseconds since the epoch. */
export interface RunRow {
  id: string;
  threadId: string;
  kind: string;
  status: RunStatus;
  /** JSON of the workflow's input. */
  input: string;
  onDisconnect: OnDisconnect;
  createdAt: number;
  updatedAt: number;
  usage: RunUsage;
  errorCode: string | null;
  errorMessage: string | null;
  cancelRequested: boolean;
  finishRequested: boolean;
  /** Process that runs it, and until when it may be believed alive. */
  owner: string | null;
  leaseUntil: number | null;
  attempts: number;
  /** Format of `input`. */
  version: number;
}

export type NewRun = Pick<
  RunRow,
  'id' | 'threadId' | 'kind' | 'status' | 'input' | 'onDisconnect' | 'owner' | 'leaseUntil'
>;

export type RunPatch = Partial<
  Pick<
    RunRow,
    'status' | 'usage' | 'errorCode' | 'errorMessage' | 'cancelRequested' | 'finishRequested' | 'owner' | 'leaseUntil'
  >
>;

export interface AppendInput {
  events: StoredEvent[];
  journal?: JournalEntry[];
  patch?: RunPatch;
  /** Change to the run's thread, in the same transaction. */
  thread?: ThreadPatch;
}

/** Durable runs and their event logs. Every method is one transaction; writes of one turn may be committed together. */
export interface RunStore {
  /** Creates the run; `inheritJournalFrom` copies the journal of the run it resumes. */
  create(
    run: NewRun,
    options?: { inheritJournalFrom?: string; journal?: JournalEntry[]; thread?: ThreadPatch },
  ): Promise<RunRow>;
  get(id: string): Promise<RunRow | undefined>;
  /** Newest first. */
  list(options: { limit: number; threadId?: string }): Promise<RunRow[]>;
  append(runId: string, input: AppendInput): Promise<void>;
  update(runId: string, patch: RunPatch): Promise<void>;
  /** Events with seq > `after`, in order, at most `limit`; throws `stored_newer` for those of a newer release. */
  events(runId: string, after: number, limit: number): Promise<StoredEvent[]>;
  lastSeq(runId: string): Promise<number>;
  /** Finished work by key, undefined where it is no JSON; throws `stored_newer` for entries of a newer release. */
  journal(runId: string): Promise<Map<string, unknown>>;
  /** Extends the lease and reads the requests other processes left; undefined when the run is no longer `owner`'s. */
  heartbeat(
    runId: string,
    owner: string,
    leaseUntil: number,
  ): Promise<{ cancelRequested: boolean; finishRequested: boolean } | undefined>;
  /**
   * Runs that are queued, or running with a lease that ended before `now` or an owner in `deadOwners`; those of a newer
   * release are left to it.
   */
  claimable(options: { now: number; deadOwners: string[]; limit: number }): Promise<RunRow[]>;
  /** Owners of running runs. */
  owners(): Promise<string[]>;
  /** Takes a queued or orphaned run as it was read; false when another process was faster. */
  claim(run: RunRow, owner: string, leaseUntil: number): Promise<boolean>;
}

export interface ThreadMessage {
  role: 'user' | 'assistant';
  /** Text, or JSON content parts of a user message. */
  content: unknown;
  /** Agent that wrote an assistant message; `webhook` on what an event said in the user's place. */
  agent?: string;
  createdAt: number;
}

export interface ThreadRow {
  id: string;
  createdAt: number;
  updatedAt: number;
  messages: ThreadMessage[];
  /** Latest plan, report and citations. */
  plan: unknown;
  report: string | null;
  citations: unknown[];
  pending: PendingInterrupt | null;
  /** Addresses retrieved in this thread: the only ones a report may cite. */
  sources: KnownSource[];
}

export type ThreadPatch = Partial<Pick<ThreadRow, 'plan' | 'report' | 'citations' | 'sources'>> & {
  pending?: PendingInterrupt | null;
  /** Waits for this again, unless the thread waits for something newer. */
  pendingAgain?: PendingInterrupt;
  appendMessages?: ThreadMessage[];
  /** Replaces the whole conversation (a client that sends its full history). */
  replaceMessages?: ThreadMessage[];
};

/** Conversations. */
export interface ThreadStore {
  get(id: string): Promise<ThreadRow | undefined>;
  /** Creates the thread when it does not exist. */
  update(id: string, patch: ThreadPatch): Promise<void>;
  /** Takes the pending interrupt: of two callers one gets it, the other undefined. */
  takePending(id: string): Promise<PendingInterrupt | undefined>;
  /** Removes the thread with its runs and events; false when there is none. */
  delete(id: string): Promise<boolean>;
}

/** The database behind the product. */
export interface Store extends AsyncDisposable {
  readonly engine: 'sqlite' | 'postgres';
  readonly runs: RunStore;
  readonly threads: ThreadStore;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Throws when the database does not answer. */
  check(): Promise<void>;
}
