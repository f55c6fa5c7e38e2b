import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { createId } from '../lib/id.ts';
import { type Answer, acceptedAnswer, ignore, refuse } from './answer.ts';
import { Authenticator, type Sender } from './authenticate.ts';
import { parsePayload } from './body.ts';
import { type DeliveryId, readDeliveryId } from './delivery-id.ts';
import type { AcceptResult, NewEvent, WebhookStore } from './event-record.ts';
import { type EventType, isWantedEvent, readEventType } from './event-type.ts';
import { IgnoredLog } from './ignored-log.ts';
import { answerInline } from './inline.ts';
import type { BodyResult } from './open-bodies.ts';
import { readOrigin } from './origin.ts';
import { RateLimiter } from './rate-limit.ts';
import { RecentKeys } from './recent-keys.ts';
import type { Route } from './route.ts';
import type { RouteTable } from './route-table.ts';
import { SchemesSeen } from './schemes-seen.ts';
import type { WebhookSettings } from './settings.ts';
import { maySignBody } from './signature-shape.ts';
import type { AcceptedScheme } from './signatures.ts';
import type { ThrottledLog } from './throttled-log.ts';
import type { WorkTools } from './work.ts';

/** A POST to `/webhooks/{name}`. */
export interface WebhookRequest {
  name: string;
  headers: Headers;
  /** True when a web page caused it. */
  isFromPage(): boolean;
  readBody(limit: number): Promise<BodyResult>;
  sender(): Sender;
  /** Told before work that may be slow, so that the connection is kept. */
  onSlow(): void;
}

export interface AdmissionOptions {
  settings: WebhookSettings;
  routes: RouteTable;
  store: WebhookStore;
  tools: WorkTools;
  clock: Clock;
  log: ThrottledLog;
  /** An event was queued. */
  onAccepted(): void;
  /** Aborted when the listener stops. */
  signal: AbortSignal;
}

/** What was proved, and by which scheme. */
interface DeliveryFacts {
  body: Uint8Array;
  payload: Record<string, unknown>;
  scheme: AcceptedScheme;
}

const BUSY_RETRY_SECONDS = 5;
const RECENT_KEYS = 5000;
const NO_BODY = new Uint8Array(0);

/** Decides what happens to a request; the order of the checks is the contract's. */
export class Admission {
  readonly #authenticator: Authenticator;
  readonly #rates = new RateLimiter();
  readonly #ignored: IgnoredLog;
  readonly #schemes: SchemesSeen;
  #areRoutesFresh = false;
  /** Keys of the latest deliveries: only for these a look into the store comes before the insert. */
  readonly #recent = new RecentKeys(RECENT_KEYS);

  constructor(private readonly options: AdmissionOptions) {
    const { clock, log, settings, store } = options;
    this.#authenticator = new Authenticator({ clock, log, failureLimit: settings.authFailureLimit });
    this.#ignored = new IgnoredLog({ clock, log, store });
    this.#schemes = new SchemesSeen({ log, store });
  }

  async admit(request: WebhookRequest): Promise<Answer> {
    const { settings, routes, clock } = this.options;
    this.#refreshRoutes();
    const route = routes.find(request.name);
    if (!route) return refuse(404, `Unknown route: ${request.name.slice(0, 100)}`);
    if (!route.enabled) return refuse(403, `Route disabled: ${route.name}`);

    const hopeless = this.#refuseUnread(route, request);
    if (hopeless) return hopeless;
    const read = await request.readBody(settings.maxBodyBytes);
    if (!read.ok) return read.answer;
    const { body } = read;

    const proof = this.#authenticator.check(route, { headers: request.headers, body, sender: () => request.sender() });
    if (!proof.ok) return proof.answer;
    // Without a signature, a browser on this machine could be made to send it.
    if (proof.scheme === 'none' && request.isFromPage())
      return refuse(403, 'This route takes no requests from web pages');

    const now = clock.now();
    if (route.rateLimit > 0) {
      const rate = this.#rates.check(route.name, route.rateLimit, now);
      if (!rate.ok) return refuse(429, 'Rate limit exceeded', rate.retryAfterSeconds);
      this.#rates.count(route.name, now);
    }

    const parsed = parsePayload(body, request.headers.get('content-type'), proof.scheme);
    if (!parsed.ok) return refuse(400, parsed.error);
    const { payload } = parsed;

    const type = readEventType(request.headers, payload, proof.scheme);
    if (type.name.includes('\0')) return refuse(400, 'The event type must not contain a NUL character');
    const toEvent = (delivery?: DeliveryId) =>
      this.#newEvent(route, request, { body, payload, type, scheme: proof.scheme, delivery });
    if (!isWantedEvent(route.events, type)) {
      this.#ignored.add(() => toEvent(), 'event not in events');
      return ignore({ event: type.name });
    }
    if (route.filter) {
      const preparing = route.filter.prepare();
      if (preparing) await preparing;
      if (!route.filter.matches({ payload, eventType: type.name, headers: request.headers })) {
        this.#ignored.add(() => toEvent(), 'filter');
        return ignore({ reason: 'filter', route: route.name });
      }
    }

    const delivery = this.#readDelivery(route, request, { body, payload, scheme: proof.scheme });
    const duplicate = (): Answer => {
      this.#rates.refund(route.name, now);
      return { status: 200, body: { status: 'duplicate', delivery_id: delivery.id } };
    };
    if (this.#recent.has(delivery.key) && this.options.store.isSeen(delivery.key)) return duplicate();
    const event = toEvent(delivery);
    let accepted: AcceptResult;
    try {
      accepted = await this.options.store.accept(event);
    } catch (error) {
      if (!(error instanceof AppError && error.retryable)) throw error;
      return refuse(503, error.message, BUSY_RETRY_SECONDS);
    }
    this.#recent.add(delivery.key);
    if (accepted.outcome === 'duplicate') return duplicate();
    this.#schemes.add(route, proof.scheme, request.headers);
    if (event.status === 'claimed') {
      request.onSlow();
      return answerInline({ ...this.options, route, event, accepted, payload });
    }
    this.options.onAccepted();
    return acceptedAnswer(event, accepted.runId);
  }

  #readDelivery(route: Route, { headers }: WebhookRequest, facts: DeliveryFacts): DeliveryId {
    const { scheme, payload, body } = facts;
    const ttlMs = this.options.settings.idempotencyTtlMs;
    return readDeliveryId({ scheme, headers, payload, body, route: route.name, ttlMs });
  }

  /** Looks for changed subscriptions once for all requests that arrive together: asking the system costs time. */
  #refreshRoutes(): void {
    if (this.#areRoutesFresh) return;
    this.#areRoutesFresh = true;
    setImmediate(() => {
      this.#areRoutesFresh = false;
    });
    this.options.routes.refresh();
  }

  /** The answer to a request that no body can make right, so that strangers do not fill the memory. */
  #refuseUnread(route: Route, request: WebhookRequest): Answer | undefined {
    const { headers } = request;
    const { maxBodyBytes } = this.options.settings;
    if (Number(headers.get('content-length')) > maxBodyBytes) return refuse(413, `Body over ${maxBodyBytes} bytes`);
    if (maySignBody(headers, route.scheme)) return undefined;
    const proof = this.#authenticator.check(route, { headers, body: NO_BODY, sender: () => request.sender() });
    return proof.ok ? undefined : proof.answer;
  }

  #newEvent(
    route: Route,
    request: WebhookRequest,
    facts: DeliveryFacts & { type: EventType; delivery: DeliveryId | undefined },
  ): NewEvent {
    const delivery = facts.delivery ?? this.#readDelivery(route, request, facts);
    // What is answered inline (a script's verdict, a target's) is claimed; the rest is queued at once.
    const isInline = route.work.script !== undefined || route.work.deliverOnly;
    const origin =
      route.work.deliver === 'origin' ? readOrigin(request.headers, facts.payload, facts.scheme) : undefined;
    const id = createId('evt');
    return {
      id,
      route: route.name,
      event: facts.type.name,
      deliveryId: delivery.id,
      dedupe: delivery,
      status: isInline ? 'claimed' : 'queued',
      stage: route.work.script ? 'script' : 'run',
      body: isJson(facts.body) ? facts.body : new TextEncoder().encode(JSON.stringify(facts.payload)),
      ...(origin ? { origin } : {}),
      snapshot: route.work,
      runId: id.replace('evt', 'run'),
    };
  }
}

/** A body that was parsed is JSON or a form; only JSON starts with a brace (after space and a byte order mark). */
function isJson(body: Uint8Array): boolean {
  for (const byte of body) {
    if (byte === 0x7b) return true;
    const isSkipped = byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
    if (!isSkipped && byte !== 0xef && byte !== 0xbb && byte !== 0xbf) return false;
  }
  return false;
}
