import { isRecord, parseJson } from '../../lib/json.ts';
import type { ModelRequest } from '../model.ts';
import type { AgentTask, Finding, Plan, PlanStep } from '../task.ts';
import type { Breathe } from './breathe.ts';
import { citable } from './cite.ts';
import { sentenceKey } from './corpus.ts';
import { capitalize, decompose, type SubQuestion, shorten, topicOf } from './decompose.ts';
import { editSteps } from './edit.ts';
import { findFacets } from './facets.ts';
import { spokenLanguage } from './language.ts';
import type { Phrases } from './phrases/model.ts';
import { phrasesOf } from './phrases/phrases.ts';
import { buildQuery } from './rank.ts';
import { searchQuery } from './step.ts';
import { termsOf, tokenize } from './terms.ts';

type PlanTask = Extract<AgentTask, { kind: 'plan' }>;

/** Steps of a plan nobody limited further: the question and two sides of it. */
const USUAL_STEPS = 3;

/** Plans the searches of a research: the question's parts, then the sides its first sources open up. */
export async function planResearch(task: PlanTask, request: ModelRequest, breathe: Breathe): Promise<Plan> {
  const phrases = phrasesOf(spokenLanguage(task.locale));
  const maxSteps = Math.max(1, task.maxSteps);
  const title = capitalize(shorten(task.question.replace(/\s+/g, ' ').trim())) || task.question;
  const base = { locale: task.locale || 'en-US', title };
  if (task.findings.length > 0 && task.feedback === undefined) return { ...base, ...replan(task, phrases) };
  const former = task.feedback === undefined ? undefined : formerSteps(request, task.question);
  let steps = former ?? (await proposeSteps(task, maxSteps, phrases, breathe));
  if (task.feedback !== undefined) {
    steps = editSteps(steps, cleanFeedback(task.feedback), topicOf(task.question, 5), maxSteps);
    if (steps.length === 0) steps = decompose(task.question, phrases).slice(0, 1);
  }
  return {
    ...base,
    has_enough_context: false,
    thought: phrases.plan.thought(steps.length),
    steps: steps.map((step) => toPlanStep(step, phrases)),
  };
}

async function proposeSteps(
  task: PlanTask,
  maxSteps: number,
  phrases: Phrases,
  breathe: Breathe,
): Promise<SubQuestion[]> {
  const asked = decompose(task.question, phrases);
  const room = Math.min(maxSteps, Math.max(USUAL_STEPS, asked.length + 1));
  const steps = distinct(asked);
  if (steps.length >= room) return steps.slice(0, room);
  const sources = citable(task.background);
  const facets = sources.length > 0 ? await findFacets(task.question, sources, phrases, breathe) : [];
  const known = distinct([...steps, ...facets]).slice(0, room);
  // Known sources already show which sides there are; without any, the usual ones are tried.
  if (sources.length > 0 && known.length > 1) return known;
  const topic = topicOf(task.question, 5) || shorten(task.question, 60);
  const aspects = [phrases.plan.definition, phrases.plan.practice, phrases.plan.limits].map((name) => {
    const aspect = capitalize(name(topic));
    return { title: aspect, query: aspect.replace(/[:：]\s*/, ' ') };
  });
  return distinct([...known, ...aspects]).slice(0, room);
}

/** The plan after some research: done, unless words of the question appear nowhere in the findings. */
function replan(task: PlanTask, phrases: Phrases): Pick<Plan, 'has_enough_context' | 'thought' | 'steps'> {
  const found = task.findings.filter((finding) => !finding.failed);
  const uncovered = uncoveredWords(task.question, found);
  const asked = buildQuery([task.question, 1]).size;
  const isEnough = uncovered.length === 0 || uncovered.length <= asked * 0.34;
  // A search that failed, or one more for the same missing words, would come back with the same.
  const wasTried =
    found.length === 0 || task.findings.some(({ title }) => uncovered.every((word) => title.includes(word)));
  if (isEnough || wasTried) {
    return { has_enough_context: true, thought: isEnough ? phrases.plan.enough : phrases.plan.nothingMore, steps: [] };
  }
  const words = uncovered.join(' ');
  const step = { title: phrases.plan.missing(words), query: `${words} ${topicOf(task.question, 4)}` };
  return { has_enough_context: false, thought: phrases.plan.thought(1), steps: [toPlanStep(step, phrases)] };
}

/** Topic words of the question that no successful finding holds, as written. */
export function uncoveredWords(question: string, findings: Pick<Finding, 'result'>[]): string[] {
  const present = new Set(findings.flatMap((finding) => termsOf(finding.result)));
  const words = new Map<string, string>();
  for (const { surface, term } of tokenize(question))
    if (term && !present.has(term) && !words.has(term)) words.set(term, surface);
  return [...words.values()].slice(0, 6);
}

/** The steps the user saw: the newest plan among the messages. */
function formerSteps(request: ModelRequest, question: string): SubQuestion[] | undefined {
  for (const message of request.messages.toReversed()) {
    if (typeof message.content !== 'string' || !message.content.includes('"steps"')) continue;
    const start = message.content.indexOf('{');
    const plan = parseJson(message.content.slice(start, message.content.lastIndexOf('}') + 1));
    if (!isRecord(plan) || !Array.isArray(plan['steps'])) continue;
    const steps = plan['steps']
      .filter(isRecord)
      .map((step) => ({ title: String(step['title'] ?? ''), description: String(step['description'] ?? '') }));
    const usable = steps.filter((step) => step.title !== '');
    if (usable.length > 0) return usable.map((step) => ({ title: step.title, query: searchQuery({ question, step }) }));
  }
  return undefined;
}

function cleanFeedback(feedback: string): string {
  return feedback.replace(/^\s*\[?edit_plan\]?\s*:?/i, '').trim();
}

function toPlanStep(step: SubQuestion, phrases: Phrases): PlanStep {
  const query = shorten(
    step.query
      .replace(/[“”„«»「」]/g, '')
      .replace(/\s+/g, ' ')
      .trim(),
    240,
  );
  return {
    need_search: true,
    title: shorten(step.title),
    description: phrases.plan.describe(query),
    step_type: 'research',
  };
}

function distinct(steps: SubQuestion[]): SubQuestion[] {
  const seen = new Set<string>();
  return steps.filter((step) => {
    const key = sentenceKey(step.title);
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
