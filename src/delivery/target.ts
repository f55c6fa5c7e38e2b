import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/log.ts';
import { type DeliveryFailure, refusal } from './failure.ts';
import type { HttpSender } from './http.ts';
import type { DeliveryRequest, DeliveryResult } from './model.ts';

/** What every target is built with. */
export interface TargetTools {
  http: HttpSender;
  /** For addresses that a route or an event names: never the cloud's metadata, and connected to as they were checked. */
  guardedHttp: HttpSender;
  clock: Clock;
  log: Logger;
}

/** One part of a message on its way out. */
export interface Part {
  text: string;
  /** 0-based. */
  index: number;
  /** The delivery id for the first part, `<delivery id>-<n>` for the n-th; printable ASCII without spaces. */
  id: string;
  signal: AbortSignal;
}

/** A message cut to the platform's limits, and the way to send one part of it. */
export interface Prepared {
  parts: string[];
  send(part: Part): Promise<DeliveryResult>;
}

/** Where messages can go. */
export interface Target {
  /** Settings without which nothing can be sent. */
  missing: string[];
  /** Values that must never show in an error; they are cut out of every message. */
  secrets: (string | undefined)[];
  /** Checks the destination and splits the text; does no I/O. */
  prepare(request: DeliveryRequest): Promise<Prepared | DeliveryFailure>;
}

/** The names of settings that have no value. */
export function missingOf(settings: Record<string, string | undefined>): string[] {
  return Object.keys(settings).filter((name) => !settings[name]?.trim());
}

/** What a destination of a target looks like. */
export interface DestinationRule {
  target: string;
  /** Keys of `deliver_extra`, the first one set wins. */
  keys: string[];
  fallback: string | undefined;
  /** The variable that sets the fallback. */
  fallbackName: string;
  pattern: RegExp;
  /** Says what is expected, for the error. */
  expected: string;
}

/** The chat, number or address the message goes to; a template that found no value is refused, not sent to. */
export function destinationOf(extra: Record<string, string>, rule: DestinationRule): string | DeliveryFailure {
  const key = rule.keys.find((name) => extra[name]?.trim());
  const value = (key ? extra[key] : rule.fallback)?.trim();
  if (!value)
    return refusal(
      'target_not_configured',
      `Delivery target '${rule.target}' has no destination: give ${rule.keys[0]} on the route or set ${rule.fallbackName}.`,
    );
  if (rule.pattern.test(value)) return value;
  return refusal(
    'target_bad_destination',
    `The ${key ?? rule.fallbackName} of delivery target '${rule.target}' must be ${rule.expected}.`,
  );
}
