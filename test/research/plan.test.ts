import { expect, test } from 'bun:test';
import { type PlanResult, readPlan } from '../../src/research/plan.ts';
import { readReview } from '../../src/research/planner.ts';

const read = (text: string, maxSteps = 3): PlanResult =>
  readPlan(text, { locale: 'de-DE', title: 'Fallback', maxSteps });
const step = { need_search: true, title: 'A', description: 'Do A', step_type: 'research' };
const whole = { locale: 'en-US', has_enough_context: false, thought: 't', title: 'T', steps: [step] };

test.each([
  ['plain JSON', JSON.stringify(whole)],
  ['a fence', `\`\`\`json\n${JSON.stringify(whole, null, 2)}\n\`\`\``],
  ['prose around a fence', `Sure! Here it is:\n\`\`\`\n${JSON.stringify(whole)}\n\`\`\`\nHope that helps.`],
  ['prose around JSON', `The plan is ${JSON.stringify(whole)} as you asked.`],
  ['a trailing comma', JSON.stringify(whole).replace(']}', ',]}')],
  ['single quotes', JSON.stringify(whole).replaceAll('"', "'")],
  ['a wrapped plan', JSON.stringify({ plan: whole })],
  ['a list of one plan', JSON.stringify([whole])],
  ['a cut-off end', JSON.stringify(whole).slice(0, -2)],
  ['comments', JSON.stringify(whole).replace('{', '{ // the plan\n')],
])('a plan in %s is read', (_name, text) => {
  expect(read(text)).toEqual({ ok: true, plan: whole as never });
});

test('a bare array of steps gets the defaults of the request', () => {
  expect(read(JSON.stringify([step]))).toEqual({
    ok: true,
    plan: { locale: 'de-DE', has_enough_context: false, thought: '', title: 'Fallback', steps: [step as never] },
  });
});

test.each([
  [
    { title: 'A', description: 'd', step_type: 'RESEARCH' },
    { need_search: true, step_type: 'research' },
  ],
  [
    { title: 'A', description: 'd', step_type: 'Data Analysis' },
    { need_search: false, step_type: 'analysis' },
  ],
  [
    { title: 'A', description: 'd', step_type: 'coding' },
    { need_search: false, step_type: 'processing' },
  ],
  [
    { title: 'A', description: 'd', step_type: 'banana', need_search: 'false' },
    { need_search: false, step_type: 'analysis' },
  ],
  [
    { title: 'A', description: 'd' },
    { need_search: true, step_type: 'research' },
  ],
  [{ description: 'only this' }, { title: 'only this', description: 'only this' }],
  [{ title: 'only title' }, { title: 'only title', description: 'only title' }],
  ['just words', { title: 'just words', step_type: 'research' }],
])('a step %j is repaired', (raw, expected) => {
  const result = read(JSON.stringify({ steps: [raw] }));
  expect(result.ok && result.plan.steps[0]).toMatchObject(expected);
});

test.each([
  ['I cannot.'],
  [''],
  ['{}'],
  ['{"steps": []}'],
  ['[]'],
  ['{"steps": "none"}'],
  ['{"steps": [{}, null, 3]}'],
  ['null'],
  ['42'],
])('%j is not a plan', (text) => {
  expect(read(text)).toMatchObject({ ok: false, problem: expect.any(String) });
});

test('steps over the limit are dropped', () => {
  const result = read(JSON.stringify({ ...whole, steps: [step, step, step, step] }), 2);
  expect(result.ok && result.plan.steps.length).toBe(2);
});

test.each([
  ['accepted', { kind: 'accepted' }],
  ['[ACCEPTED]', { kind: 'accepted' }],
  ['  Accepted ', { kind: 'accepted' }],
  ['[accepted] go on', { kind: 'accepted' }],
  ['accepted, but shorter', { kind: 'edit', text: 'accepted, but shorter' }],
  ['edit_plan', { kind: 'edit', text: 'newest' }],
  ['[EDIT_PLAN]', { kind: 'edit', text: 'newest' }],
  ['[Edit_Plan] drop step 2', { kind: 'edit', text: 'drop step 2' }],
  ['edit_planning', { kind: 'edit', text: 'edit_planning' }],
  ['unaccepted', { kind: 'edit', text: 'unaccepted' }],
])('the feedback %j is read', (feedback, expected) => {
  expect(readReview(feedback, 'newest')).toEqual(expected as never);
});
