import { invalidField } from '../lib/invalid-field.ts';
import type { Models } from '../models/model.ts';
import { combine, gradeOf, scoreMetrics } from './grade.ts';
import { judgeReport } from './judge.ts';
import { measureReport } from './metrics.ts';
import type { EvaluationAnswer, EvaluationMetrics, EvaluationRequest, LlmEvaluation } from './model.ts';
import { STYLES } from './sections.ts';

/** Counts, and if asked has a model judge, how good a report is. A model that fails fails the evaluation. */
export async function evaluateReport(
  models: Models,
  request: EvaluationRequest,
  signal: AbortSignal,
): Promise<EvaluationAnswer> {
  if (request.content.trim() === '') throw invalidField('/content', 'The content is empty.');
  if (request.query.trim() === '') throw invalidField('/query', 'The query is empty.');
  const style = (request.report_style?.trim() || 'default').toLowerCase();
  if (!STYLES.includes(style))
    throw invalidField('/report_style', `"report_style" must be one of ${STYLES.join(', ')}.`);
  const metrics = measureReport(request.content, style);
  const judged = request.use_llm ? await judgeReport(models, request, style, signal) : null;
  const score = combine(scoreMetrics(metrics, style), judged?.weighted_score);
  const grade = gradeOf(score);
  return { metrics, score, grade, llm_evaluation: judged, summary: summarize(metrics, judged, score, grade) };
}

function summarize(metrics: EvaluationMetrics, judged: LlmEvaluation | null, score: number, grade: string): string {
  const sections = metrics.section_count + metrics.sections_missing.length;
  const counted = `${many(metrics.word_count, 'word')}, ${many(metrics.citation_count, 'citation')} of ${many(metrics.unique_sources, 'source')}, ${many(metrics.image_count, 'image')}, ${metrics.section_count} of ${sections} expected sections`;
  const missing = metrics.sections_missing.length > 0 ? ` Missing: ${metrics.sections_missing.join(', ')}.` : '';
  const opinion = judged ? ` A model judged it ${judged.weighted_score}/10.` : ' No language model has judged it.';
  const notes = [
    ...(judged?.strengths.slice(0, 2).map((note) => ` Strength: ${note}`) ?? []),
    ...(judged?.weaknesses.slice(0, 2).map((note) => ` Weakness: ${note}`) ?? []),
  ].map((note) => (/[.!?。]$/.test(note) ? note : `${note}.`));
  return `Grade ${grade} (${score}/10): ${counted}.${missing}${opinion}${notes.join('')}`;
}

function many(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
