import { describe, expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { Gate } from '../../src/lib/gate.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { readEnhanced } from '../../src/prompt/enhance.ts';
import { createPromptRoutes } from '../../src/prompt/routes.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { startTestServer } from '../helpers/test-server.ts';

async function open(steps: ScriptedStep[], basic = scriptedModel(steps)) {
  const models = scriptedModels({ basic });
  const routes = createPromptRoutes({ models, gate: new Gate({ limit: 10, maxWaiting: 1000, what: 'writing' }) });
  const server = await startTestServer({ mount: (base) => base.use(routes) });
  return { ...server, model: basic, enhance: (body: unknown) => server.post('/api/prompt/enhance', body) };
}

describe('reading the answer', () => {
  test.each([
    ['<enhanced_prompt>\nBetter.\n</enhanced_prompt>', 'Better.'],
    ['Sure!\n<enhanced_prompt>Better.</enhanced_prompt> Hope it helps.', 'Better.'],
    ['<ENHANCED_PROMPT>Cut off', 'Cut off'],
    ['Enhanced Prompt: Better.', 'Better.'],
    ['Enhanced prompt:\n\nBetter.', 'Better.'],
    ['**Enhanced Prompt**: Better.', 'Better.'],
    ['**Enhanced prompt:**\nBetter.', 'Better.'],
    ["Here's the enhanced prompt:\nBetter.", 'Better.'],
    ['Here is the improved version of your prompt: Better.', 'Better.'],
    ['Sure, here is the refined prompt:\n"Better."', 'Better.'],
    ['## Improved Prompt\n\nBetter.', 'Better.'],
    ['```\nBetter.\n```', 'Better.'],
    ['Better: compare A and B.', 'Better: compare A and B.'],
    ['Improve prompts: what works?', 'Improve prompts: what works?'],
    ['"A" is not "B"', '"A" is not "B"'],
    ['<enhanced_prompt></enhanced_prompt>', ''],
  ])('%j is %j', (text, result) => {
    expect(readEnhanced(text)).toBe(result);
  });
});

describe('POST /api/prompt/enhance', () => {
  test('answers the improved prompt, asked for by the agent enhancer', async () => {
    await using it = await open([{ agent: 'enhancer', text: ['<enhanced_prompt>', 'Better.', '</enhanced_prompt>'] }]);
    const response = await it.enhance({ prompt: 'tides', context: 'a school talk', report_style: 'POPULAR_SCIENCE' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ result: 'Better.' });
    const messages = JSON.stringify(it.model.requests[0]!.messages);
    for (const part of ['tides', 'a school talk', 'lay people']) expect(messages).toContain(part);
    it.model.assertDone();
  });

  test.each([
    'academic',
    'ACADEMIC',
    'Academic',
    'popular_science',
    'news',
    'NEWS',
    'social_media',
    'SOCIAL_MEDIA',
    'strategic_investment',
    'Strategic_Investment',
    null,
    undefined,
  ])('takes the style %p', async (style) => {
    await using it = await open([{ agent: 'enhancer', text: 'Better.' }]);
    expect((await it.enhance({ prompt: 'a', report_style: style })).status).toBe(200);
  });

  test.each([
    ['an empty prompt', { prompt: '' }, '/prompt'],
    ['a blank prompt', { prompt: ' \n' }, '/prompt'],
    ['no prompt', {}, '/prompt'],
    ['an unknown style', { prompt: 'a', report_style: 'poetry' }, '/report_style'],
    ['an empty style', { prompt: 'a', report_style: '' }, '/report_style'],
    ['a context that is no text', { prompt: 'a', context: 5 }, '/context'],
  ])('refuses %s with 422', async (_, body, path) => {
    await using it = await open([]);
    const response = await it.enhance(body);
    expect(response.status).toBe(422);
    expect(((await response.json()) as any).errors[0].path).toBe(path);
    it.model.assertDone();
  });

  test.each([
    ['upstream_unavailable', { error: fail('upstream_unavailable', 'The model is down.', { retryable: true }) }],
    ['upstream_rejected', { text: ' ' }],
    ['internal_error', { error: new Error('secret') }],
  ])('a model that fails is a 500 %s, never the prompt as it was', async (code, step) => {
    await using it = await open([{ agent: 'enhancer', ...step }]);
    const response = await it.enhance({ prompt: 'my prompt' });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(JSON.parse(text).code).toBe(code);
    expect(text).not.toContain('my prompt');
    expect(text).not.toContain('secret');
  });

  test('without a language model is a 500 model_required', async () => {
    await using it = await open([], createExtractiveModel() as ReturnType<typeof scriptedModel>);
    const response = await it.enhance({ prompt: 'a' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'model_required' });
  });

  test('a client that goes away aborts the model', async () => {
    await using it = await open([{ agent: 'enhancer', before: gate().wait }]);
    const gone = new AbortController();
    const request = it.fetch('/api/prompt/enhance', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"prompt":"a"}',
      signal: gone.signal,
    });
    while (it.model.requests.length === 0) await Bun.sleep(2);
    gone.abort();
    await expect(request).rejects.toThrow();
    for (let wait = 0; wait < 200 && it.model.aborted === 0; wait++) await Bun.sleep(5);
    expect(it.model.aborted).toBe(1);
  });
});
