import type { Clock } from '../lib/clock.ts';
import { type Answer, refuse } from './answer.ts';
import { RateLimiter } from './rate-limit.ts';
import type { Route } from './route.ts';
import { type AcceptedScheme, INSECURE_NO_AUTH, verifySignature } from './signatures.ts';
import type { ThrottledLog } from './throttled-log.ts';

/** Who sends, as far as the connection tells. */
export interface Sender {
  address: string;
  /** Many senders may stand behind it (a proxy that names nobody), so it is never locked out. */
  isShared: boolean;
}

/** Checks signatures and slows down those who guess. */
export class Authenticator {
  readonly #failures = new RateLimiter();
  readonly #warnedV1 = new Set<string>();

  constructor(private readonly options: { clock: Clock; log: ThrottledLog; failureLimit: number }) {}

  /** The scheme that proved the request, or the answer that refuses it. */
  check(
    route: Route,
    request: { headers: Headers; body: Uint8Array; sender: () => Sender },
  ): { ok: true; scheme: AcceptedScheme } | { ok: false; answer: Answer } {
    const { clock, log, failureLimit } = this.options;
    const now = clock.now();
    const secrets = route.secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
    // A route that is being rotated away from it is open no longer than the overlap.
    if (secrets.some(({ value }) => value === INSECURE_NO_AUTH)) return { ok: true, scheme: 'none' };
    // Nobody has failed lately: the address need not be known.
    const sender = this.#failures.size > 0 ? request.sender() : undefined;
    const verdict = sender ? this.#failures.check(sender.address, failureLimit, now) : ({ ok: true } as const);
    if (!verdict.ok && !sender?.isShared) return { ok: false, answer: tooMany(verdict.retryAfterSeconds) };
    const signature = verifySignature(
      { headers: request.headers, body: request.body, nowMs: now },
      secrets.map(({ value }) => value),
      route.scheme,
    );
    if (signature.ok) {
      if (signature.scheme === 'generic_v1' && !this.#warnedV1.has(route.name)) {
        this.#warnedV1.add(route.name);
        log.warn(
          `v1:${route.name}`,
          'webhook signed without a timestamp (X-Webhook-Signature); prefer X-Webhook-Signature-V2',
          {
            route: route.name,
          },
        );
      }
      return signature;
    }
    if (!verdict.ok) return { ok: false, answer: tooMany(verdict.retryAfterSeconds) };
    if (failureLimit > 0) this.#failures.count((sender ?? request.sender()).address, now);
    log.warn(`signature:${route.name}`, 'webhook refused: invalid signature', {
      route: route.name,
      problem: signature.code,
    });
    return { ok: false, answer: refuse(401, 'Invalid signature') };
  }
}

function tooMany(retryAfterSeconds: number): Answer {
  return refuse(429, 'Too many failed signatures from this address', retryAfterSeconds);
}
