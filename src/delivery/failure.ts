import type { DeliveryResult } from './model.ts';

/** Why a message was not accepted. */
export type DeliveryFailure = Extract<DeliveryResult, { ok: false }>;

/** A failure that would repeat itself. */
export function refusal(code: string, message: string): DeliveryFailure {
  return { ok: false, code, message, retryable: false };
}

/** The failure of a target that lacks settings. */
export function notConfigured(name: string, missing: string[]): DeliveryFailure {
  return refusal('target_not_configured', `Delivery target '${name}' is not configured: set ${missing.join(', ')}.`);
}

/** True for a failure. */
export function isFailure(value: unknown): value is DeliveryFailure {
  return typeof value === 'object' && value !== null && 'ok' in value && value.ok === false;
}
