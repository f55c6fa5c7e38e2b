import { createId } from '../lib/id.ts';
import { isRecord } from '../lib/json.ts';
import { completeJson, type Reading, withFittingText } from '../models/complete.ts';
import type { Models } from '../models/model.ts';
import { weighScores } from './grade.ts';
import { CRITERION_NAMES, type Criterion, type EvaluationRequest, type LlmEvaluation } from './model.ts';
import prompt from './prompts/evaluator.md' with { type: 'text' };

const MAX_NOTES = 10;
const MAX_NOTE = 1000;

/** Has a model judge the report by the six criteria; a report that does not fit its window is judged by its beginning. */
export async function judgeReport(
  models: Models,
  request: EvaluationRequest,
  style: string,
  signal: AbortSignal,
): Promise<LlmEvaluation> {
  const model = models.get('basic');
  const fence = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  const system = prompt.replace('{{style}}', style.replaceAll('_', ' ')).replaceAll('{{fence}}', fence);
  return withFittingText(
    model,
    request.content,
    (text) => [
      { role: 'system', content: system },
      {
        role: 'user',
        content: `<<<DATA ${fence}\nQuestion: ${request.query.slice(0, 4000).toWellFormed()}\n\nReport:\n${text}\nDATA ${fence}>>>`,
      },
    ],
    (messages) =>
      completeJson(
        model,
        {
          agent: 'evaluator',
          messages,
          runId: createId('evaluate'),
          task: { kind: 'write', what: 'judging a report' },
        },
        { read: readJudgement, what: 'an evaluation' },
        signal,
      ),
  );
}

/** Reads the judgement; scores may be texts ("8/10"), fractions, or stand beside the other fields. */
function readJudgement(value: unknown): Reading<LlmEvaluation> {
  if (!isRecord(value)) return { ok: false, problem: 'The answer must be a JSON object with "scores"' };
  const given = isRecord(value['scores']) ? value['scores'] : value;
  const scores = {} as Record<Criterion, number>;
  for (const name of CRITERION_NAMES) {
    const score = readScore(given[name]);
    if (score === undefined) return { ok: false, problem: `"scores.${name}" must be an integer from 1 to 10` };
    scores[name] = Math.round(score);
  }
  const weighted = weighScores(scores);
  return {
    ok: true,
    value: {
      scores,
      overall_score: readScore(value['overall_score']) ?? weighted,
      weighted_score: weighted,
      strengths: notes(value['strengths']),
      weaknesses: notes(value['weaknesses']),
      suggestions: notes(value['suggestions']),
    },
  };
}

function readScore(value: unknown): number | undefined {
  if (isRecord(value)) return readScore(value['score']);
  const text = typeof value === 'string' ? /^(\d+(?:\.\d+)?)(?:\s*\/\s*10)?$/.exec(value.trim())?.[1] : undefined;
  const score = typeof value === 'number' ? value : text === undefined ? Number.NaN : Number(text);
  return score >= 1 && score <= 10 ? score : undefined;
}

function notes(value: unknown): string[] {
  const list = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return list
    .filter((note): note is string => typeof note === 'string' && note.trim() !== '')
    .slice(0, MAX_NOTES)
    .map((note) => note.trim().slice(0, MAX_NOTE).toWellFormed());
}
