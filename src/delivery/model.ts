import type { DeliveryCode } from '../errors.ts';

/** Where an event came from, as far as its payload says so; what the target `origin` answers to. */
export type OriginInfo =
  | {
      source: 'github';
      /** `owner/name`. */
      repo: string;
      /** Issue or pull-request number. */
      number: number;
    }
  | {
      source: 'gitlab';
      /** Numeric project id, as text, or `group/name`. */
      project: string;
      noteable: 'merge_request' | 'issue';
      iid: number;
    }
  | {
      source: 'slack';
      /** Address that Slack gave for the answer. */
      responseUrl: string;
    };

/** One message for one target. */
export interface DeliveryRequest {
  /** Name of the target: `log`, `origin`, `telegram`, … */
  target: string;
  /** The text, of any length; the target splits it. */
  content: string;
  /** Rendered `deliver_extra` of the route (`chat_id`, `repo`, `pr_number`, …). */
  extra: Record<string, string>;
  /** `deliver_extra` as the route's owner wrote it; absent: all of `extra` may come from an event. */
  extraTemplate?: Record<string, unknown>;
  /** Stable over all attempts; sent to targets that honour an idempotency key. */
  deliveryId: string;
  /** Absent when the payload does not say where it came from. */
  origin?: OriginInfo;
  /**
   * Parts of the text that earlier attempts sent, as their result said; they are not sent again. Only valid with the
   * same target, content and extra.
   */
  progress?: number;
  /** Called after each part that arrived but the last, so that a crash or an abort between two parts repeats none. */
  onProgress?: (sent: number) => void | Promise<void>;
  signal: AbortSignal;
}

/** How a delivery ended; `message` is one sentence without secrets and without the content. */
export type DeliveryResult =
  | { ok: true }
  | {
      ok: false;
      code: DeliveryCode;
      message: string;
      retryable: boolean;
      /** Wait the target asked for, milliseconds. */
      retryAfterMs?: number;
      /** Parts that did arrive: give it to the next attempt. Absent means none. */
      progress?: number;
    };

/** A target and whether its settings are there. */
interface TargetStatus {
  name: string;
  configured: boolean;
  /** Settings that are missing, as the user would write them (`TELEGRAM_BOT_TOKEN`). */
  missing: string[];
}

/** Sends messages to chats, code hosts and other services. */
export interface Deliverer {
  /** Never throws for a failure of the target; rejects with the signal's reason on abort. */
  deliver(request: DeliveryRequest): Promise<DeliveryResult>;
  /** Every known target, configured or not; does no I/O. */
  targets(): TargetStatus[];
}
