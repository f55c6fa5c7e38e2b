import type {
  AgentRole,
  FinishReason,
  Model,
  ModelEvent,
  ModelRequest,
  ModelRole,
  Models,
  Usage,
} from '../../src/models/model.ts';

/** A tool call of a script; `args` that are not text are written as JSON. */
interface ScriptedCall {
  name: string;
  args: unknown;
  id?: string;
}

/** One answer of the scripted model, used once (or `times` times) by the first request it matches. */
export interface ScriptedStep {
  /** The agent that must call; `*` matches every agent. */
  agent: AgentRole | '*';
  /** Further condition on the request. */
  when?: (request: ModelRequest) => boolean;
  /** Sent as one delta per element. */
  text?: string | string[] | ((request: ModelRequest) => string | string[]);
  reasoning?: string | string[];
  toolCalls?: ScriptedCall[];
  /** Thrown after what the step has sent. */
  error?: unknown;
  /** Awaited before the first piece; rejects on abort if it follows the signal (a gate, an injected delay). */
  before?: (signal: AbortSignal, request: ModelRequest) => Promise<void> | void;
  /** Awaited after the text and before calls, error and finish. */
  after?: (signal: AbortSignal, request: ModelRequest) => Promise<void> | void;
  finishReason?: FinishReason;
  usage?: Usage;
  /** How often the step answers; `any` means zero or more and is never reported as unused. */
  times?: number | 'any';
}

/** A model that plays a script and remembers what it was asked. */
export interface ScriptedModel extends Model {
  readonly requests: ModelRequest[];
  /** Calls that were aborted while they ran. */
  readonly aborted: number;
  /** Throws when a step was not used or a request was not expected. */
  assertDone(): void;
}

/**
 * An in-process model: each request takes the first unused step of its agent. A request without a step throws, and
 * `assertDone` throws again, so a swallowed failure is still seen.
 */
export function scriptedModel(
  steps: ScriptedStep[],
  options: { name?: string; contextWindow?: number } = {},
): ScriptedModel {
  const name = options.name ?? 'scripted';
  const open = steps.map((step) => ({ step, left: step.times === 'any' ? Infinity : (step.times ?? 1) }));
  const requests: ModelRequest[] = [];
  const unexpected: string[] = [];
  let aborted = 0;
  let calls = 0;

  const take = (request: ModelRequest): ScriptedStep => {
    const entry = open.find(
      ({ step, left }) =>
        left > 0 && (step.agent === '*' || step.agent === request.agent) && (step.when?.(request) ?? true),
    );
    if (!entry) {
      const problem = `no step for a request of ${request.agent}: ${excerpt(request)}`;
      unexpected.push(problem);
      throw new Error(`Scripted model: ${problem}`);
    }
    entry.left--;
    return entry.step;
  };

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    // A copy: agents append to one message list between calls.
    requests.push({ ...request, messages: [...request.messages] });
    const step = take(request);
    let settled = false;
    try {
      signal.throwIfAborted();
      await untilAbort(step.before?.(signal, request), signal);
      for (const text of pieces(step.reasoning)) {
        signal.throwIfAborted();
        yield { type: 'reasoning', text };
      }
      const text = typeof step.text === 'function' ? step.text(request) : step.text;
      for (const piece of pieces(text)) {
        signal.throwIfAborted();
        yield { type: 'text', text: piece };
      }
      await untilAbort(step.after?.(signal, request), signal);
      for (const call of step.toolCalls ?? []) {
        const argumentsText = typeof call.args === 'string' ? call.args : JSON.stringify(call.args);
        yield { type: 'tool_call', call: { id: call.id ?? `call_${++calls}`, name: call.name, argumentsText } };
      }
      signal.throwIfAborted();
      if (step.error !== undefined) throw step.error;
      const reason = step.finishReason ?? (step.toolCalls?.length ? 'tool_calls' : 'stop');
      settled = true;
      yield { type: 'finish', reason, usage: step.usage ?? { inputTokens: 10, outputTokens: 5 }, model: name };
    } finally {
      if (!settled && signal.aborted) aborted++;
    }
  }

  return {
    name,
    contextWindow: options.contextWindow ?? 128_000,
    stream,
    requests,
    get aborted() {
      return aborted;
    },
    assertDone() {
      const unused = open
        .filter(({ step, left }) => step.times !== 'any' && left > 0)
        .map(({ step, left }) => `${step.agent} ×${left}`);
      if (unexpected.length || unused.length)
        throw new Error(
          `Scripted model: ${[...unexpected, unused.length ? `unused steps: ${unused.join(', ')}` : ''].filter(Boolean).join('; ')}`,
        );
    },
  };
}

/** Models whose roles are given, the others falling back to `basic` as in the product. */
export function scriptedModels(roles: { basic: Model } & Partial<Record<Exclude<ModelRole, 'basic'>, Model>>): Models {
  const get = (role: ModelRole) => roles[role] ?? (role === 'vision' ? undefined : roles.basic);
  return {
    get: get as Models['get'],
    has: (role) => roles[role] !== undefined,
    names: () => Object.fromEntries(Object.entries(roles).map(([role, model]) => [role, [model.name]])),
  };
}

/** A promise that a test opens by hand; waits inside a step follow the abort signal by themselves. */
export function gate(): { open: () => void; wait: () => Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, wait: () => promise };
}

function pieces(text: string | string[] | undefined): string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

function excerpt(request: ModelRequest): string {
  const last = request.messages.at(-1);
  return JSON.stringify(last?.content ?? '').slice(0, 200);
}

/** Waits for `work`, or rejects with the signal's reason as soon as it is aborted. */
async function untilAbort(work: Promise<void> | void, signal: AbortSignal): Promise<void> {
  if (!work) return;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
