import { CRITERIA, CRITERION_NAMES, type Criterion, type EvaluationMetrics } from './model.ts';

/** Words a report of each style is expected to have. */
const LENGTHS: Record<string, [least: number, most: number]> = {
  default: [1000, 5000],
  academic: [3000, 8000],
  popular_science: [1500, 4000],
  news: [800, 2000],
  social_media: [500, 1500],
  strategic_investment: [10_000, 15_000],
};

/** The least score of each grade. */
const GRADES: [least: number, grade: string][] = [
  [9, 'A+'],
  [8.5, 'A'],
  [8, 'A-'],
  [7.5, 'B+'],
  [7, 'B'],
  [6.5, 'B-'],
  [6, 'C+'],
  [5.5, 'C'],
  [5, 'C-'],
  [4, 'D'],
];

/** The counted half of the score, 0 to 10: sections 4, citations 3, variety of sources 2, length 1. */
export function scoreMetrics(metrics: EvaluationMetrics, style: string): number {
  if (metrics.word_count === 0) return 0;
  const [least, most] = LENGTHS[style] ?? LENGTHS['default']!;
  const isLong = metrics.word_count > most;
  const length = isLong ? Math.max(0.5, most / metrics.word_count) : Math.min(1, metrics.word_count / least);
  return round(
    4 * metrics.section_coverage_score +
      3 * Math.min(1, metrics.citation_count / 10) +
      2 * Math.min(1, metrics.unique_sources / 5) +
      length,
  );
}

/** The six judged scores by their weights, 1 to 10. */
export function weighScores(scores: Record<Criterion, number>): number {
  return round(CRITERION_NAMES.reduce((sum, name) => sum + scores[name] * CRITERIA[name], 0));
}

/** What is counted makes 40 % of the score when a model judged as well, else all of it. */
export function combine(counted: number, judged: number | undefined): number {
  return judged === undefined ? counted : round(0.4 * counted + 0.6 * judged);
}

/** The grade of a score of 0 to 10. */
export function gradeOf(score: number): string {
  return GRADES.find(([least]) => score >= least)?.[1] ?? 'F';
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
