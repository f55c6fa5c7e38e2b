import { isRecord, parseModelJson } from '../lib/json.ts';
import type { Plan, PlanStep } from '../models/task.ts';

/** A plan, or the sentence that says what is wrong with it. */
export type PlanResult = { ok: true; plan: Plan } | { ok: false; problem: string };

/**
 * Reads a plan from a model's answer. Fences, prose, trailing commas, a bare array of steps, missing fields and wrong
 * enums are repaired; at most `maxSteps` steps remain.
 */
export function readPlan(text: string, defaults: { locale: string; title: string; maxSteps: number }): PlanResult {
  const value = parseModelJson(text);
  if (value === undefined) return { ok: false, problem: 'The answer holds no JSON object.' };
  const root = unwrap(value);
  if (!root) return { ok: false, problem: 'The answer is not a JSON object with the key "steps".' };
  const steps = (Array.isArray(root['steps']) ? root['steps'] : []).map(readStep).filter((step) => step !== undefined);
  const enough = readBoolean(root['has_enough_context']) ?? false;
  if (steps.length === 0 && !enough) {
    return { ok: false, problem: 'The plan has no usable step in "steps", and "has_enough_context" is not true.' };
  }
  return {
    ok: true,
    plan: {
      locale: readText(root['locale']) ?? defaults.locale,
      has_enough_context: enough,
      thought: readText(root['thought']) ?? '',
      title: readText(root['title']) ?? defaults.title,
      steps: steps.slice(0, defaults.maxSteps),
    },
  };
}

function unwrap(value: unknown): Record<string, unknown> | undefined {
  if (Array.isArray(value)) {
    const only = value.length === 1 ? value[0] : undefined;
    return isRecord(only) && Array.isArray(only['steps']) ? only : { steps: value };
  }
  if (!isRecord(value)) return undefined;
  if (Array.isArray(value['steps']) || 'has_enough_context' in value) return value;
  // Some models wrap the plan: {"plan": {…}} or {"plan": [steps]}.
  for (const inner of Object.values(value)) {
    if (isRecord(inner) && ('steps' in inner || 'has_enough_context' in inner)) return inner;
    if (Array.isArray(inner) && inner.some(isRecord)) return { ...value, steps: inner };
  }
  return 'title' in value && ('description' in value || 'step_type' in value) ? { steps: [value] } : undefined;
}

function readStep(value: unknown): PlanStep | undefined {
  if (typeof value === 'string')
    return value.trim() ? makeStep(value.trim(), value.trim(), undefined, undefined) : undefined;
  if (!isRecord(value)) return undefined;
  const description = readText(value['description']) ?? readText(value['task']) ?? readText(value['details']);
  const title =
    readText(value['title']) ?? readText(value['name']) ?? readText(value['step']) ?? description?.slice(0, 80);
  if (!title) return undefined;
  return makeStep(
    title,
    description ?? title,
    readText(value['step_type']) ?? readText(value['type']),
    readBoolean(value['need_search']),
  );
}

function makeStep(
  title: string,
  description: string,
  type: string | undefined,
  needSearch: boolean | undefined,
): PlanStep {
  const stepType = readType(type, needSearch);
  return { need_search: needSearch ?? stepType === 'research', title, description, step_type: stepType };
}

function readType(type: string | undefined, needSearch: boolean | undefined): PlanStep['step_type'] {
  const word = type?.toLowerCase() ?? '';
  if (/analy|reason|synth|compar|evaluat/.test(word)) return 'analysis';
  if (/process|cod(e|ing)|comput|calcul|program/.test(word)) return 'processing';
  if (/research|search|retriev|crawl|collect|gather/.test(word)) return 'research';
  return needSearch === false ? 'analysis' : 'research';
}

function readText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string')
    return /^(true|yes|1)$/i.test(value.trim()) ? true : /^(false|no|0)$/i.test(value.trim()) ? false : undefined;
  return undefined;
}
