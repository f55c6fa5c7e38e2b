import type { DeliveryResult } from '../delivery/model.ts';
import type { Clock } from '../lib/clock.ts';
import { type Answer, acceptedAnswer, ignore, refuse } from './answer.ts';
import type { AcceptResult, EventPatch, NewEvent, WebhookStore } from './event-record.ts';
import { persist } from './persist.ts';
import type { Route } from './route.ts';
import type { ThrottledLog } from './throttled-log.ts';
import { deliverEvent, runEventScript, scriptReason, type WorkTools } from './work.ts';

/** A direct delivery is answered within this time. */
const DIRECT_TIMEOUT_MS = 10_000;
const SCRIPT_RETRY_SECONDS = 30;

export interface InlineInput {
  route: Route;
  event: NewEvent;
  accepted: Exclude<AcceptResult, { outcome: 'duplicate' }>;
  payload: Record<string, unknown>;
  store: WebhookStore;
  tools: WorkTools;
  clock: Clock;
  log: ThrottledLog;
  onAccepted(): void;
  signal: AbortSignal;
}

/** Runs the script and the direct delivery of a claimed event while its sender waits; a failure frees its id. */
export async function answerInline(input: InlineInput): Promise<Answer> {
  const { route, event, accepted, tools, signal } = input;
  const { work } = route;
  const save = (patch: EventPatch) => persist(input.clock, signal, () => input.store.update(accepted.id, patch));
  try {
    let { payload } = input;
    if (work.script) {
      const result = await runEventScript(event, work, payload, tools, signal);
      if (result.outcome !== 'continue') {
        const reason = scriptReason(result);
        note(input, result.outcome === 'failed' ? 'warn' : 'info', 'webhook let go by its script', reason);
        if (result.outcome === 'failed' && route.retryOnScriptFailure) {
          await save({ status: 'failed', reason });
          return refuse(503, 'Script failed', SCRIPT_RETRY_SECONDS);
        }
        await save({ status: 'ignored', reason });
        return ignore({ reason: 'script', route: route.name });
      }
      payload = result.payload;
      const patch: EventPatch = { payload: JSON.stringify(payload), stage: 'run' };
      await save(work.deliverOnly ? patch : { ...patch, status: 'queued' });
    }
    if (work.deliverOnly) return await deliverDirectly(input, payload, save);
    input.onAccepted();
    return acceptedAnswer(event, accepted.runId);
  } catch (error) {
    // The sender learns that it failed, so its retry must find the id free.
    await save({ status: 'failed', reason: signal.aborted ? 'interrupted' : 'internal_error' }).catch(() => undefined);
    if (signal.aborted) return refuse(503, 'The gateway is stopping', 5);
    throw error;
  }
}

async function deliverDirectly(
  input: InlineInput,
  payload: Record<string, unknown>,
  save: (patch: EventPatch) => Promise<void>,
): Promise<Answer> {
  const { route, event, accepted, tools, signal } = input;
  const attempts = accepted.outcome === 'retried' ? accepted.attempts + 1 : 1;
  const timeout = AbortSignal.timeout(DIRECT_TIMEOUT_MS);
  let result: DeliveryResult;
  try {
    const facts = {
      ...event,
      id: accepted.id,
      origin: event.origin,
      answer: null,
      progress: accepted.outcome === 'retried' ? accepted.progress : 0,
    };
    result = await deliverEvent(facts, route.work, payload, tools, {
      signal: AbortSignal.any([timeout, signal]),
      onProgress: (sent) => save({ progress: sent }),
    });
  } catch (error) {
    if (signal.aborted || !timeout.aborted) throw error;
    result = { ok: false, code: 'target_timeout', message: 'The target did not answer in time.', retryable: true };
  }
  if (result.ok) {
    await save({ status: 'delivered', attempts });
    const { route: name, deliveryId } = event;
    return {
      status: 200,
      body: { status: 'delivered', route: name, target: route.work.deliver, delivery_id: deliveryId },
    };
  }
  const reason = `${result.code}: ${result.message}`;
  note(input, 'warn', 'webhook delivery failed', reason);
  await save({
    status: 'failed',
    reason,
    attempts,
    ...(result.progress === undefined ? {} : { progress: result.progress }),
  });
  return { status: 502, body: { status: 'error', error: 'Delivery failed', delivery_id: event.deliveryId } };
}

function note(input: InlineInput, level: 'info' | 'warn', message: string, reason: string): void {
  const route = input.route.name;
  input.log[level](`inline:${route}:${reason}`, message, { route, id: input.accepted.id, reason });
}
