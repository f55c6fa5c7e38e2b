import { toAppError } from '../errors.ts';
import type { WebhookStore } from './event-record.ts';
import type { Route } from './route.ts';
import type { AcceptedScheme } from './signatures.ts';
import type { ThrottledLog } from './throttled-log.ts';

/** On what `agent webhook test` sends: how it is signed says nothing about the sender that the route is for. */
export const TEST_HEADER = 'x-agent-webhook-test';

/**
 * Notes which schemes brought events to the routes that accept every one, so that people can choose; once for each version of a
 * route. What was ignored or a duplicate is left out: it may be a request of another scheme in disguise.
 */
export class SchemesSeen {
  readonly #noted = new WeakMap<Route, Set<AcceptedScheme>>();

  constructor(private readonly options: { store: WebhookStore; log: ThrottledLog }) {}

  add(route: Route, scheme: AcceptedScheme, headers: Headers): void {
    if (route.scheme || scheme === 'none') return;
    const noted = this.#noted.get(route);
    if (noted?.has(scheme) || headers.has(TEST_HEADER)) return;
    if (noted) noted.add(scheme);
    else this.#noted.set(route, new Set([scheme]));
    const { store, log } = this.options;
    store.noteScheme(route.name, scheme).catch((error) => {
      this.#noted.get(route)?.delete(scheme);
      log.warn('schemes-seen', 'the scheme of a webhook was not noted', { code: toAppError(error).code });
    });
  }
}
