import { REPORT_STYLES } from '../research/model.ts';
import { Nullable, type Static, Type } from '../schema.ts';

/** What a report is judged by, with the share of each in the score. */
export const CRITERIA = {
  factual_accuracy: 0.25,
  completeness: 0.2,
  coherence: 0.2,
  relevance: 0.15,
  citation_quality: 0.1,
  writing_quality: 0.1,
} as const;
export type Criterion = keyof typeof CRITERIA;
export const CRITERION_NAMES = Object.keys(CRITERIA) as Criterion[];

/** Body of `POST /api/report/evaluate`. */
export const EvaluationRequest = Type.Object(
  {
    content: Type.String({ minLength: 1, description: 'The report, in Markdown.' }),
    query: Type.String({ minLength: 1, description: 'The question the report answers.' }),
    report_style: Nullable(
      Type.String({
        default: 'default',
        description: `Style the report was written in: default, ${REPORT_STYLES.join(', ').toLowerCase()}; any case.`,
      }),
    ),
    use_llm: Nullable(Type.Boolean({ default: false, description: 'Have a model judge the report as well.' })),
  },
  { description: 'A report to evaluate.' },
);
export type EvaluationRequest = Static<typeof EvaluationRequest>;

/** What can be counted. */
export const EvaluationMetrics = Type.Object({
  word_count: Type.Integer({ description: 'Words; in Chinese and Japanese, characters.' }),
  citation_count: Type.Integer({ description: 'Links to http(s) addresses in the text.' }),
  unique_sources: Type.Integer({ description: 'Different hosts among the addresses.' }),
  image_count: Type.Integer(),
  section_count: Type.Integer({ description: 'Expected sections that are there.' }),
  section_coverage_score: Type.Number({ description: 'Share of the expected sections that are there, 0 to 1.' }),
  sections_found: Type.Array(Type.String()),
  sections_missing: Type.Array(Type.String()),
  has_title: Type.Boolean(),
  has_key_points: Type.Boolean(),
  has_overview: Type.Boolean(),
  has_citations_section: Type.Boolean(),
});
export type EvaluationMetrics = Static<typeof EvaluationMetrics>;

const score = () => Type.Integer({ minimum: 1, maximum: 10 });

/** What a model judged. */
export const LlmEvaluation = Type.Object({
  scores: Type.Object({
    factual_accuracy: score(),
    completeness: score(),
    coherence: score(),
    relevance: score(),
    citation_quality: score(),
    writing_quality: score(),
  }),
  overall_score: Type.Number({ description: 'The model’s own overall score, 1 to 10.' }),
  weighted_score: Type.Number({ description: 'The six scores by their weights, 1 to 10.' }),
  strengths: Type.Array(Type.String()),
  weaknesses: Type.Array(Type.String()),
  suggestions: Type.Array(Type.String()),
});
export type LlmEvaluation = Static<typeof LlmEvaluation>;

/** Answer of `POST /api/report/evaluate`. */
export const EvaluationAnswer = Type.Object({
  metrics: EvaluationMetrics,
  score: Type.Number({ description: '0 to 10.' }),
  grade: Type.String({ description: 'A+ to F.' }),
  llm_evaluation: Type.Union([LlmEvaluation, Type.Null()], { description: 'Null without use_llm.' }),
  summary: Type.String(),
});
export type EvaluationAnswer = Static<typeof EvaluationAnswer>;
