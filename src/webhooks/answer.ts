import type { NewEvent } from './event-record.ts';

/** What a sender gets: a status, a JSON object and perhaps a wait. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
  retryAfterSeconds?: number;
}

/** An error answer: one sentence. */
export function refuse(status: number, error: string, retryAfterSeconds?: number): Answer {
  return { status, body: { error }, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** 200 for an event that is not wanted. */
export function ignore(facts: Record<string, string>): Answer {
  return { status: 200, body: { status: 'ignored', ...facts } };
}

/** 200 of an event that is durable and will be run. */
export function acceptedAnswer(event: NewEvent, runId: string): Answer {
  return {
    status: 200,
    body: {
      status: 'accepted',
      route: event.route,
      event: event.event,
      delivery_id: event.deliveryId,
      run_id: runId,
    },
  };
}
