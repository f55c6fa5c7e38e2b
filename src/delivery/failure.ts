import { type DeliveryCode, ERRORS } from '../errors.ts';
import type { DeliveryResult } from './model.ts';

/** Why a message was not accepted. */
export type DeliveryFailure = Extract<DeliveryResult, { ok: false }>;

/** The failure of a code, which says whether another try may help; `retryAfterMs` is the wait that the target asked for. */
export function refusal(code: DeliveryCode, message: string, retryAfterMs?: number): DeliveryFailure {
  const { retryable } = ERRORS[code];
  return { ok: false, code, message, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

/** The failure of a target that lacks settings. */
export function notConfigured(name: string, missing: string[]): DeliveryFailure {
  return refusal('target_not_configured', `Delivery target '${name}' is not configured: set ${missing.join(', ')}.`);
}

/** True for a failure. */
export function isFailure(value: unknown): value is DeliveryFailure {
  return typeof value === 'object' && value !== null && 'ok' in value && value.ok === false;
}
