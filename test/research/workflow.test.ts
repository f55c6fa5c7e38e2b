import { expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { fixedSearch, PAGES, startResearchApp, textOf } from '../helpers/research-app.ts';
import { type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, question, report, search } from './script.ts';

async function app(steps: ScriptedStep[], options: Partial<Parameters<typeof startResearchApp>[0]> = {}) {
  const model = scriptedModel(steps);
  return { model, app: await startResearchApp({ models: scriptedModels({ basic: model }), ...options }) };
}

test('a whole run streams coordinator, planner, researcher, reporter and citations in order', async () => {
  const { model, app: server } = await app([HANDOFF, plan(1), search(), finding(), report()]);
  await using _ = server;
  const { response, frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  const runId = response.headers.get('x-run-id');
  const threadId = response.headers.get('x-thread-id');
  expect(frames.map((frame) => frame.id)).toEqual(frames.map((_frame, index) => `${runId}:${index + 1}`));
  expect(new Set(frames.map((frame) => frame.data['thread_id']))).toEqual(new Set([threadId]));
  const agents = frames
    .map((frame) => frame.data['agent'])
    .filter((agent, index, all) => agent && agent !== all[index - 1]);
  expect(agents).toEqual(['coordinator', 'planner', 'researcher', 'reporter']);
  expect(frames.at(-1)?.event).toBe('citations');
  expect(frames.at(-1)?.data['citations'][0]).toMatchObject({
    url: 'https://example.org/tides',
    title: 'Tides',
    domain: 'example.org',
    source_type: 'web_search',
  });
  expect(JSON.parse(textOf(frames, 'planner')).steps).toHaveLength(1);
  expect(textOf(frames, 'reporter')).toBe('# Tides\n\nThe Moon raises them [Tides](https://example.org/tides).');
  model.assertDone();
});

test('every event of an agent has its keys in the order of the contract', async () => {
  const { app: server } = await app([HANDOFF, plan(1), search(), finding(), { ...report(), reasoning: ['hm'] }]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  for (const frame of frames.filter((entry) => entry.data['agent'])) {
    const order = [
      'thread_id',
      'agent',
      'id',
      'role',
      'content',
      'reasoning_content',
      'finish_reason',
      'tool_call_id',
      'tool_calls',
      'tool_call_chunks',
    ];
    const keys = Object.keys(frame.data);
    expect(keys.slice(0, 4)).toEqual(['thread_id', 'agent', 'id', 'role']);
    expect(keys).toEqual(order.filter((key) => keys.includes(key)));
    if ('content' in frame.data) expect(frame.data['content']).not.toBe('');
  }
});

test('tool calls list the calls with object args and chunks with escaped args, then results follow', async () => {
  const both: ScriptedStep = {
    agent: 'researcher',
    toolCalls: [
      { name: 'web_search', args: { query: 'a [b] {c}' }, id: 'one' },
      { name: 'crawl_tool', args: { url: 'https://example.org/moon' }, id: 'two' },
    ],
  };
  const { app: server } = await app([HANDOFF, plan(1), both, finding(), report()]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  const calls = frames.find((frame) => frame.event === 'tool_calls');
  expect(calls?.data).toMatchObject({
    finish_reason: 'tool_calls',
    tool_calls: [
      { name: 'web_search', args: { query: 'a [b] {c}' }, id: 'one', type: 'tool_call' },
      { name: 'crawl_tool', args: { url: 'https://example.org/moon' }, id: 'two', type: 'tool_call' },
    ],
  });
  expect(calls?.data['tool_call_chunks'][0]).toEqual({
    name: 'web_search',
    args: '&#123;"query":"a &#91;b&#93; &#123;c&#125;"&#125;',
    id: 'one',
    index: 0,
    type: 'tool_call_chunk',
  });
  const results = frames.filter((frame) => frame.event === 'tool_call_result');
  expect(results.map((frame) => frame.data['tool_call_id']).sort()).toEqual(['one', 'two']);
  const webResult = results.find((frame) => frame.data['tool_call_id'] === 'one');
  expect(JSON.parse(webResult?.data['content'])).toEqual(PAGES.map((page) => ({ type: 'page', ...page })));
  const crawlResult = results.find((frame) => frame.data['tool_call_id'] === 'two');
  expect(JSON.parse(crawlResult?.data['content'])).toMatchObject({ url: 'https://example.org/moon', title: 'Moon' });
});

test('small talk is answered by the coordinator and remembered by the thread', async () => {
  const { model, app: server } = await app([
    { agent: 'coordinator', text: ['Hello', ' there.'] },
    { agent: 'coordinator', text: ['You said hi.'] },
  ]);
  await using _ = server;
  const first = await server.chat({ messages: [{ role: 'user', content: 'hi' }], thread_id: 'talk' });
  expect(textOf(first.frames, 'coordinator')).toBe('Hello there.');
  expect(first.frames.at(-1)?.data['finish_reason']).toBe('stop');
  await server.chat({ messages: [{ role: 'user', content: 'what did I say?' }], thread_id: 'talk' });
  const texts = model.requests[1]?.messages.slice(1).map((message) => message.content);
  expect(texts).toEqual(['hi', 'Hello there.', 'what did I say?']);
});

test('a plan interrupts, and accepted goes on in a new run without planning again', async () => {
  const { model, app: server } = await app([HANDOFF, plan(1), finding(), report()]);
  await using _ = server;
  const first = await server.chat({ ...question(), thread_id: 'review' });
  const last = first.frames.at(-1);
  expect(last?.event).toBe('interrupt');
  expect(last?.data).toEqual({
    thread_id: 'review',
    id: expect.any(String),
    role: 'assistant',
    content: 'Please review the plan.',
    finish_reason: 'interrupt',
    options: [
      { text: 'Edit plan', value: 'edit_plan' },
      { text: 'Start research', value: 'accepted' },
    ],
  });
  const second = await server.chat({ thread_id: 'review', interrupt_feedback: '[ACCEPTED]' });
  expect(textOf(second.frames, 'reporter')).toContain('# Tides');
  expect(second.frames.some((frame) => frame.data['agent'] === 'planner')).toBe(false);
  expect(second.response.headers.get('x-run-id')).not.toBe(first.response.headers.get('x-run-id'));
  model.assertDone();
});

test('edit_plan plans again with the edit and interrupts again; other feedback is an edit itself', async () => {
  const { model, app: server } = await app([HANDOFF, plan(3), plan(2), plan(1), finding(), report()]);
  await using _ = server;
  await server.chat({ ...question(), thread_id: 'edit' });
  const edited = await server.chat({
    thread_id: 'edit',
    interrupt_feedback: 'edit_plan',
    messages: [{ role: 'user', content: 'Only two steps.' }],
    auto_accepted_plan: true,
  });
  expect(edited.frames.at(-1)?.event).toBe('interrupt');
  expect(JSON.parse(textOf(edited.frames, 'planner')).steps).toHaveLength(2);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Only two steps.');
  const again = await server.chat({ thread_id: 'edit', interrupt_feedback: 'make it one step' });
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('make it one step');
  expect(again.frames.at(-1)?.event).toBe('interrupt');
  const done = await server.chat({ thread_id: 'edit', interrupt_feedback: 'Accepted' });
  expect(done.frames.at(-1)?.event).toBe('citations');
});

test('edit_plan without a message is refused and the plan still waits', async () => {
  const { app: server } = await app([HANDOFF, plan(1), finding(), report()]);
  await using _ = server;
  await server.chat({ ...question(), thread_id: 'kept' });
  expect((await server.post({ thread_id: 'kept', interrupt_feedback: 'edit_plan' })).status).toBe(422);
  const done = await server.chat({ thread_id: 'kept', interrupt_feedback: 'accepted' });
  expect(done.frames.some((frame) => frame.data['agent'] === 'reporter')).toBe(true);
});

test('feedback on a thread without a plan is an error event no_pending_plan', async () => {
  const { app: server } = await app([]);
  await using _ = server;
  const { response, frames } = await server.chat({ thread_id: 'nobody', interrupt_feedback: 'accepted' });
  expect(response.status).toBe(200);
  expect(frames).toHaveLength(1);
  expect(frames[0]?.event).toBe('error');
  expect(frames[0]?.data).toMatchObject({ thread_id: 'nobody', code: 'no_pending_plan' });
});

test('of two resumes of one interrupt one wins and the other gets an error event', async () => {
  const { app: server } = await app([HANDOFF, plan(1), finding(), report()]);
  await using _ = server;
  await server.chat({ ...question(), thread_id: 'race' });
  const both = await Promise.all([1, 2].map(() => server.chat({ thread_id: 'race', interrupt_feedback: 'accepted' })));
  const ends = both.map(({ frames }) => frames.at(-1)?.data['code'] ?? frames.at(-1)?.event).sort();
  expect(ends).toEqual(['citations', 'no_pending_plan']);
});

test('at most max_step_num steps reach the client even when the model plans more', async () => {
  const { app: server } = await app([HANDOFF, plan(9), finding(), finding(), report()]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true, max_step_num: 2 });
  expect(JSON.parse(textOf(frames, 'planner')).steps).toHaveLength(2);
});

test('a plan that is never valid is asked for twice, then ends with plan_invalid', async () => {
  const { model, app: server } = await app([HANDOFF, { agent: 'planner', text: 'I would rather not.', times: 2 }]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  expect(frames.at(-1)?.event).toBe('error');
  expect(frames.at(-1)?.data).toMatchObject({ code: 'plan_invalid', error: 'The planner gave no valid plan.' });
  expect(textOf(frames, 'planner')).toBe('');
  model.assertDone();
});

test('a plan with enough context goes straight to the reporter', async () => {
  const { model, app: server } = await app([HANDOFF, plan(0, { has_enough_context: true }), report()]);
  await using _ = server;
  const { frames } = await server.chat(question());
  expect(frames.at(-1)?.event).toBe('citations');
  model.assertDone();
});

test('the planner is asked again while iterations are left, with the findings', async () => {
  const { model, app: server } = await app([
    HANDOFF,
    plan(1),
    finding('First finding.'),
    plan(1, { title: 'More' }),
    finding('Second finding.'),
    report(),
  ]);
  await using _ = server;
  await server.chat({ ...question(), auto_accepted_plan: true, max_plan_iterations: 2 });
  const planners = model.requests.filter((request) => request.agent === 'planner');
  expect(JSON.stringify(planners[1]?.messages)).toContain('First finding.');
  const reporter = model.requests.find((request) => request.agent === 'reporter');
  expect(JSON.stringify(reporter?.messages)).toContain('Second finding.');
  model.assertDone();
});

test('a failed step is visible, the run goes on, and the report is told', async () => {
  const failing: ScriptedStep = {
    agent: 'researcher',
    when: (request) => JSON.stringify(request.messages).includes('part 2'),
    error: fail('upstream_unavailable', 'The model m is not available.', { retryable: true }),
  };
  const { model, app: server } = await app([HANDOFF, plan(2), failing, finding(), report()]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  expect(textOf(frames, 'researcher')).toContain('The step "Step 2" failed: The model m is not available.');
  expect(frames.at(-1)?.event).toBe('citations');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('Step 2 (FAILED)');
});

test('analysis and processing steps run after research, in order, with the findings', async () => {
  const steps = [
    { need_search: false, title: 'Weigh', description: 'd', step_type: 'analysis' },
    { need_search: true, title: 'Collect', description: 'd', step_type: 'research' },
    { need_search: false, title: 'Count', description: 'd', step_type: 'processing' },
  ];
  const { model, app: server } = await app([
    HANDOFF,
    plan(0, { steps }),
    finding('Collected.'),
    { agent: 'analyst', text: 'Weighed.' },
    { agent: 'coder', text: 'Counted.' },
    report(),
  ]);
  await using _ = server;
  await server.chat({ ...question(), auto_accepted_plan: true });
  expect(model.requests.map((request) => request.agent)).toEqual([
    'coordinator',
    'planner',
    'researcher',
    'analyst',
    'coder',
    'reporter',
  ]);
  expect(JSON.stringify(model.requests[4]?.messages)).toContain('Weighed.');
  expect(JSON.stringify(model.requests[3]?.messages)).toContain('Collected.');
});

test('links that were never retrieved are removed from the report and logged', async () => {
  const text =
    '# T\n\nSee [real](https://example.org/tides), [fake](https://evil.example/x) and https://other.example/y now.';
  const { app: server } = await app([HANDOFF, plan(1), search(), finding(), report(text)]);
  await using _ = server;
  const { frames, raw } = await server.chat({ ...question(), auto_accepted_plan: true });
  expect(textOf(frames, 'reporter')).toBe('# T\n\nSee [real](https://example.org/tides), fake and  now.');
  expect(raw).not.toContain('evil.example');
  expect(server.logText()).toContain('links removed from the report');
  expect(server.logText()).not.toContain('evil.example');
});

test('invalid arguments and unknown tools are answered to the model, which goes on', async () => {
  const odd: ScriptedStep = {
    agent: 'researcher',
    toolCalls: [
      { name: 'web_search', args: 'not json' },
      { name: 'rm_rf', args: {} },
      { name: 'crawl_tool', args: { url: 'http://10.0.0.1/' } },
    ],
  };
  const { model, app: server } = await app([HANDOFF, plan(1), odd, finding(), report()]);
  await using _ = server;
  const { frames } = await server.chat({ ...question(), auto_accepted_plan: true });
  const results = frames.filter((frame) => frame.event === 'tool_call_result').map((frame) => frame.data['content']);
  expect(results.sort()).toEqual([
    'Error: The address is not allowed.',
    'Error: the arguments of the call are not a valid JSON object.',
    'Error: there is no tool named rm_rf. Available tools: web_search, crawl_tool.',
  ]);
  model.assertDone();
});

test('arguments of almost-JSON reach the client as the tool gets them', async () => {
  const sloppy: ScriptedStep = { agent: 'researcher', toolCalls: [{ name: 'web_search', args: "{query: 'tides',}" }] };
  const search = fixedSearch(PAGES);
  const { app: server } = await app([HANDOFF, plan(1), sloppy, finding(), report()], { deps: { search } });
  await using _ = server;
  const { frames } = await server.chat({
    ...question(),
    auto_accepted_plan: true,
    enable_background_investigation: false,
  });
  const calls = frames.find((frame) => frame.event === 'tool_calls');
  expect(calls?.data['tool_calls'][0].args).toEqual({ query: 'tides' });
  expect(search.queries).toEqual(['tides']);
});

test('at the bound of tool rounds the agent must write without tools', async () => {
  const { model, app: server } = await app([HANDOFF, plan(1), search('a'), search('b'), finding('Forced.'), report()], {
    limits: { maxToolRounds: 2 },
  });
  await using _ = server;
  await server.chat({ ...question(), auto_accepted_plan: true });
  const last = model.requests.filter((request) => request.agent === 'researcher').at(-1);
  expect(last?.tools).toBeUndefined();
  expect(JSON.stringify(last?.messages.at(-1))).toContain('used all your tool calls');
  model.assertDone();
});

test('clarification asks at most so many questions and then hands off', async () => {
  const ask = (text: string): ScriptedStep => ({ agent: 'coordinator', text });
  const { model, app: server } = await app([
    ask('Which tides?'),
    ask('Where?'),
    ask('Still unclear?'),
    plan(1),
    finding(),
    report(),
  ]);
  await using _ = server;
  const settings = {
    enable_clarification: true,
    max_clarification_rounds: 2,
    thread_id: 'ask',
    auto_accepted_plan: true,
  };
  const say = (content: string) => server.chat({ ...settings, messages: [{ role: 'user', content }] });
  expect(textOf((await say('tides')).frames, 'coordinator')).toBe('Which tides?');
  expect(textOf((await say('ocean')).frames, 'coordinator')).toBe('Where?');
  const third = await say('Atlantic');
  expect(textOf(third.frames, 'coordinator')).toBe('');
  expect(third.frames.at(-1)?.event).toBe('citations');
  // The topic is what was said in all rounds, not only the last answer.
  const planned = JSON.stringify(model.requests.find((request) => request.agent === 'planner')?.messages);
  expect(planned).toContain('Research topic: tides\\nocean\\nAtlantic');
  model.assertDone();
});

test('a listed tool waits for approval; a refusal is told to the model', async () => {
  const ask = { ...question(), thread_id: 'tool', auto_accepted_plan: true, interrupt_before_tools: ['web_search'] };
  const { model, app: server } = await app([HANDOFF, plan(1), search('x'), search('y'), finding(), report()]);
  await using _ = server;
  const first = await server.chat(ask);
  expect(first.frames.at(-1)?.event).toBe('interrupt');
  expect(first.frames.at(-1)?.data['content']).toContain('web_search');
  const second = await server.chat({ thread_id: 'tool', interrupt_feedback: 'approved' });
  const result = second.frames.find((frame) => frame.event === 'tool_call_result');
  expect(JSON.parse(result?.data['content'])).toHaveLength(3);
  expect(second.frames.at(-1)?.event).toBe('interrupt');
  const third = await server.chat({ thread_id: 'tool', interrupt_feedback: 'not approved' });
  const refusal = third.frames.find((frame) => frame.event === 'tool_call_result');
  expect(refusal?.data['content']).toContain('declined');
  expect(third.frames.at(-1)?.event).toBe('citations');
  model.assertDone();
});

test('a failed run after acceptance can be accepted again and repeats no finished work', async () => {
  const down = fail('upstream_unavailable', 'The model m is not available.', { retryable: true });
  const { model, app: server } = await app([HANDOFF, plan(1), finding(), { agent: 'reporter', error: down }, report()]);
  await using _ = server;
  await server.chat({ ...question(), thread_id: 'again' });
  const failed = await server.chat({ thread_id: 'again', interrupt_feedback: 'accepted' });
  expect(failed.frames.at(-1)?.data).toMatchObject({
    code: 'upstream_unavailable',
    error: 'The model m is not available.',
  });
  const done = await server.chat({ thread_id: 'again', interrupt_feedback: 'accepted' });
  expect(done.frames.at(-1)?.event).toBe('citations');
  expect(model.requests.filter((request) => request.agent === 'researcher')).toHaveLength(1);
});

test('an image without a vision model is a clear error event', async () => {
  const { app: server } = await app([]);
  await using _ = server;
  const content = [
    { type: 'text', text: 'What is this?' },
    { type: 'image', image_url: 'data:image/png;base64,AAAA' },
  ];
  const { frames } = await server.chat({ messages: [{ role: 'user', content }] });
  expect(frames.at(-1)?.event).toBe('error');
  expect(frames.at(-1)?.data['code']).toBe('vision_not_configured');
});

test('bad requests are refused with a problem before any run', async () => {
  const { app: server } = await app([]);
  await using _ = server;
  const ask = question();
  const cases: [Record<string, unknown>, number][] = [
    [{}, 422],
    [{ messages: [] }, 422],
    [{ messages: null }, 422],
    [{ ...ask, max_step_num: 0 }, 422],
    [{ ...ask, max_plan_iterations: -1 }, 422],
    [{ ...ask, max_search_results: 1.5 }, 422],
    [{ ...ask, report_style: 'HAIKU' }, 422],
    [{ ...ask, on_disconnect: 'explode' }, 422],
    [{ messages: [{ role: 'system', content: 'x' }] }, 422],
    [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 422],
    [{ messages: [{ role: 'user', content: [{ type: 'image', image_url: 'file:///etc/passwd' }] }] }, 422],
    [{ ...ask, mcp_settings: { servers: {} } }, 403],
  ];
  for (const [body, status] of cases) {
    const response = await server.post(body);
    expect([body, response.status]).toEqual([body, status]);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(((await response.json()) as { detail: string }).detail).toMatch(/\S/);
  }
});

test('null, empty mcp settings, unknown fields and any case of the style are accepted', async () => {
  const { app: server } = await app([{ agent: 'coordinator', text: 'Hi.', times: 2 }]);
  await using _ = server;
  const nulls = {
    thread_id: null,
    resources: null,
    mcp_settings: null,
    locale: null,
    report_style: null,
    enable_clarification: null,
  };
  expect((await server.chat({ ...question(), ...nulls, max_step_num: null })).response.status).toBe(200);
  const loose = { mcp_settings: {}, report_style: 'popular_Science', colour: 'green' };
  expect((await server.chat({ ...question(), ...loose })).response.status).toBe(200);
});

test('an answer that comes in one piece and is larger than an event can be reaches the client whole', async () => {
  const text = `${'x'.repeat(65_535)}😀${'界"'.repeat(300_000)}`;
  const { app: server } = await app([{ agent: 'coordinator', reasoning: text, text }]);
  await using _ = server;
  const { frames } = await server.chat({ messages: [{ role: 'user', content: 'hi' }] });
  expect(Math.max(...frames.map((frame) => Buffer.byteLength(frame.raw)))).toBeLessThan(512 * 1024);
  expect(textOf(frames, 'coordinator') === text).toBe(true);
  expect(frames.map((frame) => frame.data['reasoning_content'] ?? '').join('') === text).toBe(true);
  expect(frames.every((frame) => JSON.stringify(frame.data).isWellFormed())).toBe(true);
});
