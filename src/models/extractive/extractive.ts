import { fail } from '../../errors.ts';
import type { FinishReason, Model, ModelEvent, ModelRequest, ToolCall } from '../model.ts';
import { createBreathe } from './breathe.ts';
import { coordinate } from './coordinate.ts';
import { planResearch } from './plan.ts';
import { writeReport } from './report.ts';
import { workStep } from './step.ts';

const NAME = 'extractive';
/** Characters of one text event. */
const PIECE = 1200;

/**
 * The embedded engine that answers without a language model: it plans searches from the words of a question, quotes the
 * best sentences of the sources verbatim, and joins them to a cited report. No network, no key, deterministic.
 */
export function createExtractiveModel(): Model {
  return { name: NAME, contextWindow: 10_000_000, stream: streamAnswer };
}

async function* streamAnswer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const { task } = request;
  const breathe = createBreathe(signal);
  let reason: FinishReason = 'stop';
  switch (task?.kind) {
    case 'coordinate': {
      const decision = coordinate(task.text, task.locale);
      if (decision.kind === 'answer') {
        yield* inPieces(decision.text, signal);
        break;
      }
      const args = { research_topic: decision.topic, locale: decision.locale };
      yield { type: 'tool_call', call: toCall('handoff_to_planner', args, request, 0) };
      reason = 'tool_calls';
      break;
    }
    case 'plan':
      yield* inPieces(JSON.stringify(await planResearch(task, request, breathe), null, 2), signal, 400);
      break;
    case 'step': {
      const move = await workStep(task, request, breathe);
      if (move.kind === 'finding') yield* inPieces(move.text, signal);
      else {
        for (const [index, call] of move.calls.entries())
          yield { type: 'tool_call', call: toCall(call.name, call.args, request, index) };
        reason = 'tool_calls';
      }
      break;
    }
    case 'report':
      for await (const part of writeReport(task, breathe)) yield* inPieces(part, signal);
      break;
    default:
      throw modelRequired(task?.kind === 'write' ? task.what : 'free writing');
  }
  signal.throwIfAborted();
  yield { type: 'finish', reason, usage: { inputTokens: 0, outputTokens: 0 }, model: NAME };
}

/** The refusal of work that needs a language model. */
function modelRequired(what: string) {
  return fail(
    'model_required',
    `The embedded extractive engine can only quote sources, so it cannot do this: ${what}. Configure a language model with OPENAI_API_KEY (and OPENAI_MODEL), or with BASIC_MODEL__model, BASIC_MODEL__base_url and BASIC_MODEL__api_key.`,
  );
}

function toCall(name: string, args: Record<string, unknown>, request: ModelRequest, index: number): ToolCall {
  const argumentsText = JSON.stringify(args);
  // Steps of one run may make the same call; the run and the step keep their ids apart, and equal requests equal.
  const step = request.task?.kind === 'step' ? request.task.step.title : '';
  const seed = [request.runId ?? '', step, name, argumentsText, request.messages.length, index].join('\u0000');
  return { id: `call_${Bun.hash(seed).toString(16).padStart(16, '0')}`, name, argumentsText };
}

function* inPieces(text: string, signal: AbortSignal, size = PIECE): Generator<ModelEvent> {
  for (let at = 0; at < text.length; ) {
    signal.throwIfAborted();
    let end = Math.min(text.length, at + size);
    // Never between the halves of a surrogate pair.
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1] as string)) end++;
    yield { type: 'text', text: text.slice(at, end) };
    at = end;
  }
}
