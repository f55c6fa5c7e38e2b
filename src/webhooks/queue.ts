import { toAppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { backoffMs } from '../lib/retry.ts';
import type { EventPatch, StoredWebhookEvent, WebhookStore } from './event-record.ts';
import { persist } from './persist.ts';
import { type StepResult, type WorkTools, workOn } from './work.ts';

const MAX_ATTEMPTS = 5;
const BACKOFF = { baseMs: 5000, maxMs: 300_000 };
/** How soon events of other processes (`agent webhook replay`) are seen. */
const POLL_MS = 1000;
const HEARTBEAT_MS = 20_000;
const PRUNE_ROWS = 500;

export interface WebhookQueueOptions {
  store: WebhookStore;
  tools: WorkTools;
  clock: Clock;
  log: Logger;
  maxConcurrency: number;
  retentionMs: number;
  /** First wait after a failure and the longest one; doubles in between. */
  backoff?: { baseMs: number; maxMs: number };
}

/** Works on stored events: a few at a time, again after a failure, and from where a crash left them. */
export class WebhookQueue {
  readonly #options: WebhookQueueOptions;
  readonly #running = new Map<string, { event: StoredWebhookEvent; done: Promise<void> }>();
  readonly #timers: NodeJS.Timeout[] = [];
  #stopping: AbortController | undefined;
  #pumping: Promise<void> | undefined;
  #isWoken = false;

  constructor(options: WebhookQueueOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = new AbortController();
    const freed = await this.#options.store.recover();
    if (freed > 0) this.#options.log.info('webhook events resumed after a crash', { count: freed });
    this.#every(POLL_MS, async () => {
      const due = this.#options.store.nextDue();
      if (due !== undefined && due <= this.#options.clock.now()) this.wake();
    });
    this.#every(HEARTBEAT_MS, async () => {
      await this.#options.store.heartbeat();
      if ((await this.#options.store.recover()) > 0) this.wake();
      const before = this.#options.clock.now() - this.#options.retentionMs;
      // Deleting goes on while there is something to delete, in pieces.
      while ((await this.#options.store.prune(before, PRUNE_ROWS)) === PRUNE_ROWS && !this.#signal.aborted);
    });
    this.wake();
  }

  /** Stops taking events and puts those in work back. */
  async stop(): Promise<void> {
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    this.#stopping?.abort(new DOMException('The webhook queue stops.', 'AbortError'));
    await this.#pumping;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    this.#stopping = undefined;
  }

  /** Looks for work; cheap when there is no room. */
  wake(): void {
    this.#isWoken = true;
    if (this.#pumping || !this.#stopping || this.#signal.aborted) return;
    this.#pumping = this.#pump().finally(() => {
      this.#pumping = undefined;
    });
  }

  /** Number of events in work. */
  get active(): number {
    return this.#running.size;
  }

  get #signal(): AbortSignal {
    return (this.#stopping ?? new AbortController()).signal;
  }

  async #pump(): Promise<void> {
    const { store, maxConcurrency, log } = this.#options;
    try {
      while (this.#running.size < maxConcurrency && !this.#signal.aborted) {
        this.#isWoken = false;
        const event = await store.claim({ skipRoutes: this.#fullRoutes() });
        if (event) this.#begin(event);
        else if (!this.#isWoken) return;
      }
    } catch (error) {
      log.error('webhook queue cannot read its events', { code: toAppError(error).code });
    }
  }

  #begin(event: StoredWebhookEvent): void {
    const done = this.#work(event)
      .catch((error) =>
        this.#options.log.error('webhook event left to recovery', { id: event.id, code: toAppError(error).code }),
      )
      .finally(() => {
        this.#running.delete(event.id);
        this.wake();
      });
    this.#running.set(event.id, { event, done });
  }

  #fullRoutes(): string[] {
    const counts = new Map<string, number>();
    for (const { event } of this.#running.values()) counts.set(event.route, (counts.get(event.route) ?? 0) + 1);
    return [...this.#running.values()]
      .filter(({ event }) => (counts.get(event.route) ?? 0) >= (event.snapshot?.maxConcurrency ?? Infinity))
      .map(({ event }) => event.route);
  }

  async #work(claimed: StoredWebhookEvent): Promise<void> {
    const { store, tools, clock } = this.#options;
    const signal = this.#signal;
    let event = claimed;
    const save = async (patch: EventPatch) => {
      await persist(clock, new AbortController().signal, () => store.update(event.id, patch));
      event = { ...event, ...patch } as StoredWebhookEvent;
    };
    for (;;) {
      let result: StepResult;
      try {
        result = await workOn(event, tools, save, signal);
      } catch (error) {
        if (signal.aborted)
          return save({ status: 'queued', attempts: Math.max(0, event.attempts - 1), nextAt: clock.now() });
        const { code, retryable } = toAppError(error);
        result = { kind: 'failure', reason: code, retryable };
      }
      if (result.kind === 'failure') return this.#fail(event, result, save);
      await save(result.patch);
      if (result.kind === 'end') return;
    }
  }

  async #fail(
    event: StoredWebhookEvent,
    failure: Extract<StepResult, { kind: 'failure' }>,
    save: (patch: EventPatch) => Promise<void>,
  ): Promise<void> {
    const { clock, log, backoff = BACKOFF } = this.#options;
    const fields = { id: event.id, route: event.route, attempts: event.attempts, reason: failure.reason };
    if (failure.retryable && event.attempts < MAX_ATTEMPTS) {
      const wait = Math.ceil(backoffMs(event.attempts, failure.retryAfterMs ?? true, backoff));
      log.warn('webhook event failed and will be tried again', { ...fields, wait_ms: wait });
      await save({ ...failure.patch, status: 'queued', reason: failure.reason, nextAt: clock.now() + wait });
      // Longer waits are found by the poll.
      if (wait < POLL_MS) setTimeout(() => this.wake(), wait + 1).unref();
      return;
    }
    log.error('webhook event given up', fields);
    return save({ ...failure.patch, status: 'dead', reason: failure.reason });
  }

  #every(ms: number, work: () => Promise<void>): void {
    const timer = setInterval(() => {
      work().catch((error) => this.#options.log.error('webhook queue upkeep failed', { code: toAppError(error).code }));
    }, ms);
    timer.unref();
    this.#timers.push(timer);
  }
}
