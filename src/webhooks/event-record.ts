import type { OriginInfo } from '../delivery/model.ts';

/**
 * `queued` waits for the worker, `running` is being worked on, `claimed` is being answered by a request right now; the rest is
 * the end: `delivered`, `silent` (an answer that is not sent), `ignored`, `failed` (may be sent again), `dead` (gave up).
 */
export type EventStatus = 'queued' | 'running' | 'claimed' | 'delivered' | 'silent' | 'ignored' | 'failed' | 'dead';

/** What comes next for an event. */
export type EventStage = 'script' | 'run' | 'deliver';

/** The parts of a route an event keeps, so that a later change of the route does not change it. */
export interface RouteSnapshot {
  prompt?: string;
  skills: string[];
  deliver: string;
  deliverExtra: Record<string, unknown>;
  deliverOnly: boolean;
  script?: string;
  /** Longest `{__raw__}`, characters. */
  rawLimit: number;
  scriptTimeoutMs: number;
  mode: 'quick' | 'research';
  toolsets?: string[];
  /** Whether runs read private documents; absent: only when the owner says who reads their answers. */
  knowledge?: boolean;
  /** Tools its owner lets run although the run has read private data. */
  approvedTools?: string[];
  maxConcurrency?: number;
}

/** An event that is to be stored. */
export interface NewEvent {
  id: string;
  route: string;
  event: string;
  deliveryId: string;
  /** Absent: never a duplicate. */
  dedupe?: {
    key: string;
    ttlMs: number;
    /** A second key, for as long as the signed time (seconds) is believed. */
    signed?: { time: number; digest: string };
  };
  status: 'queued' | 'claimed' | 'ignored';
  reason?: string;
  stage: EventStage;
  /** The payload as JSON. */
  body: Uint8Array;
  origin?: OriginInfo;
  snapshot?: RouteSnapshot;
  runId: string;
  replayOf?: string;
}

/** A line of the delivery log. */
export interface EventLine {
  id: string;
  route: string;
  event: string;
  deliveryId: string;
  status: EventStatus;
  reason: string | null;
  attempts: number;
  runId: string | null;
  answer: string | null;
  createdAt: number;
  updatedAt: number;
  replayOf: string | null;
}

/** An event with everything needed to work on it. */
export interface StoredWebhookEvent extends EventLine {
  stage: EventStage;
  body: Uint8Array;
  /** JSON of the payload after the script. */
  payload: string | null;
  origin: OriginInfo | undefined;
  snapshot: RouteSnapshot | undefined;
  progress: number;
}

/** What changes on an event; `nextAt` also makes it due. */
export interface EventPatch {
  status?: EventStatus;
  reason?: string | null;
  stage?: EventStage;
  payload?: string;
  answer?: string;
  progress?: number;
  attempts?: number;
  nextAt?: number;
  runId?: string;
}

export type AcceptResult =
  | { outcome: 'accepted'; id: string; runId: string }
  /** An earlier attempt failed, so the sender's retry takes its place under the same id. */
  | { outcome: 'retried'; id: string; runId: string; progress: number; attempts: number }
  | { outcome: 'duplicate'; id: string };

/** Durable storage of events; a resolved promise means that it is on disk. */
export interface WebhookStore {
  start(): void;
  stop(): Promise<void>;
  /** Stores an event unless its key was seen; of two at once one is accepted. */
  accept(event: NewEvent): Promise<AcceptResult>;
  /** Remembers which scheme brought an event to a route. */
  noteScheme(route: string, scheme: string): Promise<void>;
  /** The schemes noted for each route, the one noted first before the others. */
  schemesByRoute(): Map<string, string[]>;
  /** Forgets the schemes of a route. */
  forgetSchemes(route: string): Promise<void>;
  /** True when an event with this key counts: the cheap answer to a delivery that was probably seen. */
  isSeen(dedupeKey: string): boolean;
  update(id: string, patch: EventPatch): Promise<void>;
  /** Takes the event that is due longest; undefined when none is. */
  claim(options: { skipRoutes: string[] }): Promise<StoredWebhookEvent | undefined>;
  /** Extends the leases of this process. */
  heartbeat(): Promise<void>;
  /** Frees the events of processes that are gone; returns how many. */
  recover(): Promise<number>;
  /** When the next queued event is due; undefined when none waits. */
  nextDue(): number | undefined;
  get(id: string): StoredWebhookEvent | undefined;
  /** Newest first. */
  list(options: { route?: string; limit: number }): EventLine[];
  /** The newest event of each route that has one. */
  lastByRoute(routes: string[]): Map<string, EventLine>;
  /** Deletes at most `limit` finished events that are older; returns how many. */
  prune(before: number, limit: number): Promise<number>;
}
