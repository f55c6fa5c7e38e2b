import { toAppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { NewEvent, WebhookStore } from './event-record.ts';
import type { ThrottledLog } from './throttled-log.ts';

/** Ignored events written to the delivery log in one second; the answer never waits for it. */
const PER_SECOND = 50;

/** Puts ignored events into the delivery log, a bounded number, so that a noisy sender costs no disk. */
export class IgnoredLog {
  #second = 0;
  #written = 0;

  constructor(private readonly options: { clock: Clock; log: ThrottledLog; store: WebhookStore }) {}

  add(toEvent: () => NewEvent, reason: string): void {
    const { clock, log, store } = this.options;
    const second = Math.floor(clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#written = 0;
    }
    if (++this.#written > PER_SECOND) return;
    const { dedupe: _free, ...rest } = toEvent();
    store.accept({ ...rest, status: 'ignored', reason }).catch((error) => {
      log.warn('ignored-log', 'an ignored webhook is missing in the delivery log', { code: toAppError(error).code });
    });
  }
}
