import { describe, expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { gradeOf } from '../../src/evaluation/grade.ts';
import { countWords, measureReport } from '../../src/evaluation/metrics.ts';
import { createEvaluationRoutes } from '../../src/evaluation/routes.ts';
import { Gate } from '../../src/lib/gate.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { startTestServer } from '../helpers/test-server.ts';

const REPORT = `# Tides

## Key Points

- The Moon [raises the tide](https://www.nasa.gov/moon).
- The Sun helps [too](https://noaa.gov/tides_(spring)), says https://noaa.gov/again.

![A chart](https://img.example.org/tide.png)

## Overview

Water rises twice a day.

\`\`\`js
const [link](https://code.example/not-counted) = 1;
\`\`\`

## Key Citations

- [NASA](https://nasa.gov/moon)
`;

const SCORES = {
  factual_accuracy: 8,
  completeness: 6,
  coherence: 9,
  relevance: 10,
  citation_quality: 7,
  writing_quality: 9,
};
const WEIGHTED = 8 * 0.25 + 6 * 0.2 + 9 * 0.2 + 10 * 0.15 + 7 * 0.1 + 9 * 0.1;

async function open(steps: ScriptedStep[], basic = scriptedModel(steps)) {
  const models = scriptedModels({ basic });
  const routes = createEvaluationRoutes({ models, gate: new Gate({ limit: 10, maxWaiting: 100, what: 'writing' }) });
  const server = await startTestServer({ mount: (base) => base.use(routes) });
  return { ...server, model: basic, evaluate: (body: unknown) => server.post('/api/report/evaluate', body) };
}

describe('what is counted', () => {
  test('in a report with links, images, code and sections', () => {
    expect(measureReport(REPORT, 'default')).toEqual({
      word_count: 22,
      citation_count: 3,
      unique_sources: 2,
      image_count: 1,
      section_count: 4,
      section_coverage_score: 0.8,
      sections_found: ['title', 'key_points', 'overview', 'key_citations'],
      sections_missing: ['detailed_analysis'],
      has_title: true,
      has_key_points: true,
      has_overview: true,
      has_citations_section: true,
    });
  });

  test.each([
    ['', 0],
    ['Two words', 2],
    ["It's 3.5 km, isn't it?", 5],
    ['月亮绕地球转', 6],
    ['AI 改变 world', 4],
  ])('the words of %j are %d', (text, words) => {
    expect(countWords(text)).toBe(words);
  });

  test('sections are found in other languages and by style', () => {
    const chinese = measureReport('# 潮汐\n\n## 要点\n\n## 概述\n\n## 详细分析\n\n## 参考文献\n', 'default');
    expect(chinese.section_coverage_score).toBe(1);
    expect(measureReport(REPORT, 'academic').sections_missing).toContain('methodology');
    expect(measureReport('no headings, but an overview of references', 'default').section_count).toBe(0);
  });

  test.each([
    [10, 'A+'],
    [9, 'A+'],
    [8.99, 'A'],
    [7.5, 'B+'],
    [5, 'C-'],
    [4.5, 'D'],
    [0, 'F'],
  ])('a score of %d is grade %s', (score, grade) => {
    expect(gradeOf(score)).toBe(grade);
  });
});

describe('POST /api/report/evaluate', () => {
  test('counts without asking a model', async () => {
    await using it = await open([]);
    const response = await it.evaluate({ content: REPORT, query: 'What makes tides?' });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as any;
    expect(Object.keys(answer).sort()).toEqual(['grade', 'llm_evaluation', 'metrics', 'score', 'summary']);
    expect(answer.llm_evaluation).toBeNull();
    expect(answer.metrics.citation_count).toBe(3);
    expect(answer.score).toBeGreaterThan(0);
    expect(answer.grade).toBe(gradeOf(answer.score));
    expect(answer.summary).toContain('detailed_analysis');
    it.model.assertDone();
  });

  test('with use_llm adds six judged scores', async () => {
    const judged = { scores: SCORES, overall_score: 8, strengths: ['Clear'], weaknesses: ['Thin'], suggestions: [] };
    await using it = await open([{ agent: 'evaluator', text: `\`\`\`json\n${JSON.stringify(judged)}\n\`\`\`` }]);
    const response = await it.evaluate({
      content: REPORT,
      query: 'What makes tides?',
      report_style: 'NEWS',
      use_llm: true,
    });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as any;
    expect(answer.llm_evaluation).toEqual({ ...judged, weighted_score: Math.round(WEIGHTED * 100) / 100 });
    expect(answer.summary).toContain('Clear');
    expect(it.model.requests[0]).toMatchObject({ agent: 'evaluator', responseFormat: 'json' });
    const prompt = JSON.stringify(it.model.requests[0]!.messages);
    for (const part of ['What makes tides?', 'raises the tide', 'news']) expect(prompt).toContain(part);
  });

  test('reads scores as weak models write them', async () => {
    const loose = { ...SCORES, factual_accuracy: '8/10', coherence: { score: 9, reason: 'x' } };
    await using it = await open([{ agent: 'evaluator', text: JSON.stringify(loose) }]);
    const answer = (await (await it.evaluate({ content: 'a', query: 'b', use_llm: true })).json()) as any;
    expect(answer.llm_evaluation.scores).toEqual(SCORES);
  });

  test('a score out of range is asked for again, then a 500', async () => {
    const bad = JSON.stringify({ scores: { ...SCORES, relevance: 11 } });
    await using it = await open([{ agent: 'evaluator', text: bad, times: 2 }]);
    const response = await it.evaluate({ content: 'a', query: 'b', use_llm: true });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_rejected' });
    it.model.assertDone();
  });

  test('a model that fails is a 500, never made-up scores', async () => {
    const error = fail('upstream_timeout', 'The model did not answer in time.', { retryable: true });
    await using it = await open([{ agent: 'evaluator', error }]);
    const response = await it.evaluate({ content: 'a', query: 'b', use_llm: true });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_timeout' });
  });

  test('use_llm without a language model is a 500 model_required', async () => {
    await using it = await open([], createExtractiveModel() as ReturnType<typeof scriptedModel>);
    const response = await it.evaluate({ content: 'a', query: 'b', use_llm: true });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'model_required' });
  });

  test.each([
    ['an empty content', { content: '', query: 'a' }, '/content'],
    ['a blank query', { content: 'a', query: ' ' }, '/query'],
    ['no query', { content: 'a' }, '/query'],
    ['an unknown style', { content: 'a', query: 'b', report_style: 'poem' }, '/report_style'],
    ['use_llm that is no boolean', { content: 'a', query: 'b', use_llm: 'maybe' }, '/use_llm'],
  ])('refuses %s with 422', async (_, body, path) => {
    await using it = await open([]);
    const response = await it.evaluate(body);
    expect(response.status).toBe(422);
    expect(((await response.json()) as any).errors[0].path).toBe(path);
  });

  test('a report longer than the model’s window is judged by its beginning', async () => {
    const model = scriptedModel([{ agent: 'evaluator', text: JSON.stringify({ scores: SCORES }) }], {
      contextWindow: 4000,
    });
    await using it = await open([], model);
    const response = await it.evaluate({ content: 'A long report. '.repeat(20_000), query: 'b', use_llm: true });
    expect(response.status).toBe(200);
    expect(JSON.stringify(model.requests[0]!.messages).length).toBeLessThan(14_000);
  });
});
