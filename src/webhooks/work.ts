import type { Deliverer, DeliveryResult } from '../delivery/model.ts';
import { isRecord, parseJson } from '../lib/json.ts';
import type { Logger } from '../lib/log.ts';
import type { AgentRunner } from './agent-runner.ts';
import { isDestinationFromEvent } from './destination.ts';
import type { EventPatch, RouteSnapshot, StoredWebhookEvent } from './event-record.ts';
import { renderMessage, UNTRUSTED_NOTICE } from './message.ts';
import { runScript, type ScriptResult } from './script.ts';
import { isSilent } from './silence.ts';
import { loadSkills } from './skills.ts';

/** What working on an event needs. */
export interface WorkTools {
  home: string;
  /** The process environment with the home's `.env`; scripts see three variables of it. */
  environment: Record<string, string | undefined>;
  deliverer: Deliverer;
  agentRunner: AgentRunner;
  log: Logger;
}

/** How one step of an event went; `next` is stored and the following step done, the others end this attempt. */
export type StepResult =
  | { kind: 'next'; patch: EventPatch }
  | { kind: 'end'; patch: EventPatch }
  | { kind: 'failure'; reason: string; retryable: boolean; retryAfterMs?: number; patch?: EventPatch };

/** Does the next step of a stored event: its script, its agent run or its delivery. */
export function workOn(
  event: StoredWebhookEvent,
  tools: WorkTools,
  save: (patch: EventPatch) => Promise<void>,
  signal: AbortSignal,
): Promise<StepResult> {
  const work = event.snapshot;
  const payload = payloadOf(event);
  if (!work || !payload)
    return Promise.resolve({ kind: 'failure', reason: 'The stored event is not readable.', retryable: false });
  const step = { script: scriptStep, run: runStep, deliver: deliverStep }[event.stage];
  return step({ event, work, payload, tools, save, signal });
}

interface Step {
  event: StoredWebhookEvent;
  work: RouteSnapshot;
  payload: Record<string, unknown>;
  tools: WorkTools;
  save(patch: EventPatch): Promise<void>;
  signal: AbortSignal;
}

async function scriptStep(step: Step): Promise<StepResult> {
  if (!step.work.script) return { kind: 'next', patch: { stage: 'run' } };
  const result = await runEventScript(step.event, step.work, step.payload, step.tools, step.signal);
  if (result.outcome === 'continue')
    return { kind: 'next', patch: { stage: 'run', payload: JSON.stringify(result.payload) } };
  return { kind: 'end', patch: { status: 'ignored', reason: scriptReason(result) } };
}

async function runStep({ event, work, payload, tools, signal }: Step): Promise<StepResult> {
  if (work.deliverOnly) return { kind: 'next', patch: { stage: 'deliver' } };
  const { skills, unknown } = await loadSkills(tools.home, work.skills);
  if (unknown.length > 0) tools.log.warn('webhook skills not found', { route: event.route, skills: unknown.join(',') });
  const { text } = renderMessage(work, messageInput(event, payload));
  const result = await tools.agentRunner.start(
    {
      prompt: text,
      ...(work.prompt ? { template: work.prompt } : {}),
      notice: UNTRUSTED_NOTICE,
      skills,
      mode: work.mode,
      ...(work.toolsets ? { toolsets: work.toolsets } : {}),
      ...(work.approvedTools ? { approvedTools: work.approvedTools } : {}),
      ...((work.knowledge ?? !isDestinationFromEvent(work)) ? {} : { withoutKnowledge: true }),
      threadId: `webhook_${event.id}`,
      runId: event.runId ?? event.id,
      route: event.route,
    },
    signal,
  );
  if (result.status === 'failed')
    return { kind: 'failure', reason: `${result.code}: ${result.message}`, retryable: result.retryable };
  if (isSilent(result.text)) return { kind: 'end', patch: { status: 'silent', answer: result.text } };
  // Delivery has attempts of its own: the paid answer is stored and never asked for again.
  return { kind: 'next', patch: { stage: 'deliver', answer: result.text, attempts: 1, reason: null } };
}

async function deliverStep({ event, work, payload, tools, save, signal }: Step): Promise<StepResult> {
  const result = await deliverEvent(event, work, payload, tools, {
    signal,
    onProgress: (sent) => save({ progress: sent }),
  });
  if (result.ok) return { kind: 'end', patch: { status: 'delivered', reason: null } };
  return {
    kind: 'failure',
    reason: `${result.code}: ${result.message}`,
    retryable: result.retryable,
    ...(result.retryAfterMs === undefined ? {} : { retryAfterMs: result.retryAfterMs }),
    ...(result.progress === undefined ? {} : { patch: { progress: result.progress } }),
  };
}

type EventFacts = Pick<StoredWebhookEvent, 'id' | 'route' | 'event' | 'deliveryId' | 'origin' | 'progress' | 'answer'>;

/** Sends the agent's answer, or the rendered template on a direct route, to the route's target. */
export function deliverEvent(
  event: EventFacts,
  work: RouteSnapshot,
  payload: Record<string, unknown>,
  tools: WorkTools,
  options: { signal: AbortSignal; onProgress(sent: number): Promise<void> },
): Promise<DeliveryResult> {
  const { text, extra } = renderMessage(work, messageInput(event, payload));
  return tools.deliverer.deliver({
    target: work.deliver,
    content: work.deliverOnly ? text : (event.answer ?? ''),
    extra,
    extraTemplate: work.deliverExtra,
    deliveryId: event.id,
    ...(event.origin ? { origin: event.origin } : {}),
    progress: event.progress,
    ...options,
  });
}

/** Runs the route's script on a payload. */
export function runEventScript(
  event: Pick<StoredWebhookEvent, 'route' | 'event' | 'deliveryId'>,
  work: RouteSnapshot,
  payload: Record<string, unknown>,
  tools: Pick<WorkTools, 'home' | 'environment'>,
  signal: AbortSignal,
): Promise<ScriptResult> {
  return runScript({
    home: tools.home,
    environment: tools.environment,
    script: work.script ?? '',
    payload,
    route: event.route,
    eventType: event.event,
    deliveryId: event.deliveryId,
    timeoutMs: work.scriptTimeoutMs,
    signal,
  });
}

/** Why a script let an event go, for the log: `script: timeout`, `script: exit 3`. */
export function scriptReason(result: Exclude<ScriptResult, { outcome: 'continue' }>): string {
  const code = 'exitCode' in result && result.exitCode !== undefined ? ` ${result.exitCode}` : '';
  return `script: ${result.reason}${code}`;
}

function payloadOf(event: StoredWebhookEvent): Record<string, unknown> | undefined {
  const value = parseJson(event.payload ?? new TextDecoder().decode(event.body));
  return isRecord(value) ? value : undefined;
}

function messageInput(event: Pick<EventFacts, 'event' | 'route'>, payload: Record<string, unknown>) {
  return { payload, eventType: event.event, route: event.route };
}
