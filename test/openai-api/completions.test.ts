import { describe, expect, test } from 'bun:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import OpenAI, { APIError } from 'openai';
import { fail, type UpstreamCode } from '../../src/errors.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';
import { finding, HANDOFF, plan, planText, report, search } from '../research/script.ts';
import { readStream, startOpenAiApp } from './openai-app.ts';

const REPORT = '# Tides\n\nThe Moon raises them [Tides](https://example.org/tides), [Moon](https://example.org/moon).';
const RESEARCH: ScriptedStep[] = [HANDOFF, plan(1), search(), finding(), report(REPORT)];
const ASK = { model: 'agent-research', messages: [{ role: 'user' as const, content: 'How do tides work?' }] };

const app = (steps: ScriptedStep[], options?: Parameters<typeof startOpenAiApp>[1]) => {
  const basic = scriptedModel(steps);
  return startOpenAiApp(scriptedModels({ basic }), options).then((started) => ({ ...started, basic }));
};

describe('a streamed research', () => {
  test('is a cited answer for the OpenAI SDK', async () => {
    await using api = await app(RESEARCH);
    const streamed = await readStream(
      await api.client.chat.completions.create({ ...ASK, stream: true, stream_options: { include_usage: true } }),
    );
    expect(streamed.deltas[0]).toEqual({ role: 'assistant', content: '', refusal: null } as never);
    expect(streamed.content).toBe(REPORT);
    expect(streamed.finishReasons).toEqual(['stop']);
    expect(streamed.annotations.map(({ url_citation }) => url_citation)).toEqual([
      { url: 'https://example.org/tides', title: 'Tides', start_index: 30, end_index: 64 },
      { url: 'https://example.org/moon', title: 'Moon', start_index: 66, end_index: 98 },
    ]);
    const [first] = streamed.annotations;
    expect(streamed.content.slice(first!.url_citation.start_index, first!.url_citation.end_index)).toBe(
      '[Tides](https://example.org/tides)',
    );
    expect(streamed.usage).toEqual({ prompt_tokens: 50, completion_tokens: 25, total_tokens: 75 });
    const ids = new Set(streamed.chunks.map((chunk) => chunk.id));
    expect([...ids]).toEqual([expect.stringMatching(/^chatcmpl-run_/)]);
    for (const chunk of streamed.chunks) {
      expect(chunk.object).toBe('chat.completion.chunk');
      expect(chunk.model).toBe('agent-research');
      expect(Math.abs(chunk.created - Date.now() / 1000)).toBeLessThan(60);
    }
    expect(streamed.chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
    expect(streamed.chunks.at(-1)?.choices).toEqual([]);
    api.basic.assertDone();
  });

  test('tells its progress as reasoning: the plan for people, the tool calls, the findings', async () => {
    await using api = await app(RESEARCH);
    const { reasoning, content } = await readStream(await api.client.chat.completions.create({ ...ASK, stream: true }));
    expect(reasoning).toContain('**Planner**\n\nTides\n\nFind out.\n\n1. Step 1');
    expect(reasoning).toContain('- web_search {"query":"tides"}');
    expect(reasoning).toContain('**Researcher**');
    expect(reasoning).toContain('The Moon does it.');
    expect(reasoning).not.toContain('has_enough_context');
    expect(content).not.toContain('web_search');
  });

  test('keeps the findings of researchers that work side by side apart', async () => {
    const slow = gate();
    const first: ScriptedStep = {
      agent: 'researcher',
      when: (request) => request.messages.some((message) => String(message.content).includes('Step 1')),
      text: ['one '],
      after: async () => slow.wait(),
    };
    const second: ScriptedStep = { agent: 'researcher', text: ['two two'], after: () => slow.open() };
    await using api = await app([HANDOFF, plan(2), first, second, report()]);
    const { reasoning } = await readStream(await api.client.chat.completions.create({ ...ASK, stream: true }));
    expect(reasoning).toMatch(
      /\*\*Researcher\*\*\n\n(one \n\n\*\*Researcher\*\*\n\ntwo two|two two\n\n\*\*Researcher\*\*\n\none )/,
    );
  });

  test('has no usage chunk unless it is asked for, and ends with [DONE]', async () => {
    await using api = await app(RESEARCH);
    const text = await (await api.complete({ ...ASK, stream: true })).text();
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    expect(text).not.toContain('"usage"');
    expect(text).not.toContain('event:');
    for (const block of text.trim().split('\n\n')) expect(block).toMatch(/^data: |^: ping/);
  });

  test.each([
    ['The Moon [1].', '\n\nSources:\n\n- [Tides](https://example.org/tides)'],
    [
      'The Moon [1], the Sun [3][1].',
      '\n\nSources:\n\n- [Tides](https://example.org/tides)\n- [Sun](https://example.org/sun)',
    ],
    ['It is known.', ''],
    ['In [2024] and [99].', ''],
  ])('lists the sources of a report that names them by number only: %s', async (text, list) => {
    await using api = await app([HANDOFF, plan(1), search(), finding(), report(text)]);
    const { content, annotations } = await readStream(
      await api.client.chat.completions.create({ ...ASK, stream: true }),
    );
    expect(content).toBe(text + list);
    for (const { url_citation: citation } of annotations)
      expect(content.slice(citation.start_index, citation.end_index)).toContain(`(${citation.url})`);
    expect(annotations).toHaveLength(list.split('\n- ').length - 1);
  });
});

describe('a plain answer', () => {
  test('of the coordinator is the content', async () => {
    await using api = await app([{ agent: 'coordinator', text: ['Hel', 'lo!'] }]);
    const streamed = await readStream(
      await api.client.chat.completions.create({ ...ASK, messages: [{ role: 'user', content: 'Hi' }], stream: true }),
    );
    expect(streamed.deltas.map((delta) => delta.content).filter(Boolean)).toEqual(['Hel', 'lo!']);
    expect(streamed.reasoning).toBe('');
    expect(streamed.annotations).toEqual([]);
  });

  test('keeps the model’s own reasoning apart', async () => {
    await using api = await app([{ agent: 'coordinator', reasoning: ['They greet.'], text: ['Hello!'] }]);
    const streamed = await readStream(await api.client.chat.completions.create({ ...ASK, stream: true }));
    expect(streamed.content).toBe('Hello!');
    expect(streamed.reasoning).toContain('They greet.');
  });
});

describe('a whole answer', () => {
  test('is one chat.completion with content, reasoning, annotations and usage', async () => {
    await using api = await app(RESEARCH);
    const completion = await api.client.chat.completions.create(ASK);
    const [choice] = completion.choices;
    expect(completion.object).toBe('chat.completion');
    expect(choice!.finish_reason).toBe('stop');
    expect(choice!.message.role).toBe('assistant');
    expect(choice!.message.content).toBe(REPORT);
    expect(choice!.message.annotations).toHaveLength(2);
    expect((choice!.message as { reasoning_content?: string }).reasoning_content).toContain('1. Step 1');
    expect(completion.usage).toEqual({ prompt_tokens: 50, completion_tokens: 25, total_tokens: 75 });
  });

  test('puts what the coordinator said before handing over with the reasoning', async () => {
    await using api = await app([{ ...HANDOFF, text: ['I will find out.'] }, ...RESEARCH.slice(1)]);
    const { message } = (await api.client.chat.completions.create(ASK)).choices[0]!;
    expect(message.content).toBe(REPORT);
    expect((message as { reasoning_content?: string }).reasoning_content).toContain('I will find out.');
  });

  test('of agent-quick runs one agent with tools, no plan', async () => {
    await using api = await app([
      { agent: 'webhook', toolCalls: [{ name: 'web_search', args: { query: 'tides' } }], text: ['Let me look.'] },
      { agent: 'webhook', text: ['The Moon. [Tides](https://example.org/tides) [x](https://made.up/)'] },
    ]);
    const { message } = (await api.client.chat.completions.create({ ...ASK, model: 'agent-quick' })).choices[0]!;
    expect(message.content).toBe('The Moon. [Tides](https://example.org/tides) [x](https://made.up/)');
    expect(message.annotations?.map((entry) => entry.url_citation.url)).toEqual(['https://example.org/tides']);
    expect((message as { reasoning_content?: string }).reasoning_content).toContain('Let me look.');
    api.basic.assertDone();
  });
});

describe('the conversation', () => {
  test('is the messages of the request; system messages become instructions for the agents that write', async () => {
    await using api = await app(RESEARCH);
    await api.client.chat.completions.create({
      model: 'agent-research',
      messages: [
        { role: 'system', content: 'Write like a pirate.' },
        { role: 'user', content: 'I sail.' },
        { role: 'assistant', content: 'Good.' },
        { role: 'developer', content: [{ type: 'text', text: 'Use metres.' }] },
        { role: 'user', content: [{ type: 'text', text: 'How do tides work?' }] },
      ],
    });
    const coordinator = api.basic.requests.find((request) => request.agent === 'coordinator');
    expect(
      coordinator?.messages.filter((message) => message.role !== 'system').map((message) => message.content),
    ).toEqual(['I sail.', 'Good.', 'How do tides work?']);
    const reporter = api.basic.requests.find((request) => request.agent === 'reporter');
    expect(reporter?.messages[0]?.content).toContain('Write like a pirate.\n\nUse metres.');
  });

  test('begins on a fresh thread each time, named in the headers', async () => {
    await using api = await app([{ agent: 'coordinator', text: 'Hello!', times: 2 }]);
    const threads = [];
    for (let time = 0; time < 2; time++) {
      const answer = await api.complete(ASK);
      await answer.text();
      expect(answer.headers.get('x-run-id')).toMatch(/^run_/);
      threads.push(answer.headers.get('x-thread-id'));
    }
    expect(threads[0]).not.toBe(threads[1]!);
  });

  test('goes on with the thread of metadata.thread_id', async () => {
    await using api = await app([{ agent: 'coordinator', text: 'Hello!', times: 2 }]);
    const ask = (content: string) =>
      api.client.chat.completions.create({
        model: 'agent-research',
        messages: [{ role: 'user', content }],
        metadata: { thread_id: 'desk-1' },
      });
    await ask('My name is Ada.');
    await ask('Who am I?');
    const texts = api.basic.requests[1]?.messages.slice(1).map((message) => message.content);
    expect(texts).toEqual(['My name is Ada.', 'Hello!', 'Who am I?']);
    expect((await api.store.threads.get('desk-1'))?.messages).toHaveLength(4);
  });

  test('agent-quick sees the earlier messages too', async () => {
    await using api = await app([{ agent: 'webhook', text: 'Ada.' }]);
    await api.client.chat.completions.create({
      model: 'agent-quick',
      messages: [
        { role: 'user', content: 'My name is Ada.' },
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: 'Who am I?' },
      ],
    });
    expect(api.basic.requests[0]?.messages.slice(1).map((message) => message.content)).toEqual([
      'My name is Ada.',
      'Hello!',
      'Who am I?',
    ]);
  });

  test('hands images to the vision model', async () => {
    const vision = scriptedModel([{ agent: 'coordinator', text: 'A cat.' }]);
    await using api = await startOpenAiApp(scriptedModels({ basic: scriptedModel([]), vision }));
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,AAAA' } };
    const completion = await api.client.chat.completions.create({
      model: 'agent-research',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
    });
    expect(completion.choices[0]?.message.content).toBe('A cat.');
    expect(JSON.stringify(vision.requests[0]?.messages)).toContain('data:image/png;base64,AAAA');
  });

  test('ignores what is not supported', async () => {
    await using api = await app([{ agent: 'coordinator', text: 'Hello!' }]);
    const answer = await api.complete({
      ...ASK,
      temperature: 0.1,
      max_tokens: 5,
      top_p: 1,
      stop: ['x'],
      user: 'u',
      seed: 1,
      logprobs: true,
      response_format: { type: 'json_object' },
      tools: [{ type: 'function', function: { name: 'weather', parameters: {} } }],
      tool_choice: 'auto',
      n: 1,
      stream: null,
      stream_options: null,
      unknown_field: { deep: [1] },
      messages: [...ASK.messages, { role: 'tool', tool_call_id: 'x', content: 'sunny' }],
    });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { choices: unknown[] }).choices).toHaveLength(1);
  });
});

describe('refusals have OpenAI’s shape', () => {
  test.each<[string, Record<string, unknown>, number, string, string | null]>([
    ['an unknown model', { ...ASK, model: 'gpt-4o' }, 404, 'model_not_found', null],
    ['no model', { messages: ASK.messages }, 400, 'invalid_request', 'model'],
    ['no messages', { model: 'agent-research' }, 400, 'invalid_request', 'messages'],
    ['empty messages', { ...ASK, messages: [] }, 400, 'invalid_request', 'messages'],
    [
      'only a system message',
      { ...ASK, messages: [{ role: 'system', content: 'x' }] },
      400,
      'invalid_value',
      'messages',
    ],
    ['a blank message', { ...ASK, messages: [{ role: 'user', content: ' ' }] }, 400, 'invalid_value', 'messages'],
    [
      'an unknown role',
      { ...ASK, messages: [{ role: 'robot', content: 'x' }] },
      400,
      'invalid_request',
      'messages.0.role',
    ],
    ['two answers', { ...ASK, n: 2 }, 400, 'unsupported_value', 'n'],
    ['no answer', { ...ASK, n: 0 }, 400, 'unsupported_value', 'n'],
    ['a demanded tool', { ...ASK, tool_choice: 'required' }, 400, 'unsupported_value', 'tool_choice'],
    ['a named tool', { ...ASK, tool_choice: { type: 'function' } }, 400, 'unsupported_value', 'tool_choice'],
    ['a stream that is no boolean', { ...ASK, stream: 'yes' }, 400, 'invalid_request', 'stream'],
    [
      'audio',
      { ...ASK, messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] },
      400,
      'unsupported_value',
      'messages.0.content.0',
    ],
    [
      'a file as an image',
      {
        ...ASK,
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }],
      },
      400,
      'invalid_image_url',
      'messages.0.content.0',
    ],
    [
      'a thread id with control characters',
      { ...ASK, metadata: { thread_id: 'a\nb' } },
      400,
      'invalid_value',
      'metadata.thread_id',
    ],
    ['an unknown style', { ...ASK, report_style: 'opera' }, 400, 'invalid_value', 'report_style'],
  ])('%s', async (_name, body, status, code, param) => {
    await using api = await app([]);
    for (const stream of [false, true]) {
      const answer = await api.complete({ stream, ...body });
      expect(answer.status).toBe(status);
      expect(answer.headers.get('content-type')).toContain('application/json');
      const { error } = (await answer.json()) as { error: Record<string, unknown> };
      expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code']);
      expect([error['code'], error['param'], error['type']]).toEqual([code, param, 'invalid_request_error']);
      expect(error['message']).toMatch(/^\S.*\.$/s);
    }
  });

  test('malformed JSON, a wrong method and an unknown path', async () => {
    await using api = await app([]);
    const malformed = await api.complete({}, { body: '{"model":' });
    expect([malformed.status, await malformed.json()]).toEqual([
      400,
      { error: expect.objectContaining({ code: 'malformed_json', type: 'invalid_request_error' }) },
    ]);
    const wrong = await api.fetch('/v1/chat/completions');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect(await wrong.json()).toHaveProperty('error.message');
    expect(await (await api.fetch('/v1/embeddings')).json()).toHaveProperty('error.code', 'not_found');
    expect(await (await api.fetch('/api/nope')).json()).toHaveProperty('detail');
  });

  test('a missing or wrong token is an authentication error of the SDK', async () => {
    await using api = await app([{ agent: 'coordinator', text: 'Hello!' }], { apiToken: 'secret-token' });
    const stranger = new OpenAI({ baseURL: `${api.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    for (const call of [() => stranger.models.list(), () => stranger.chat.completions.create(ASK)]) {
      const error = await Promise.resolve(call()).catch((failure: unknown) => failure);
      expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
      expect((error as APIError).message).toContain('The token of this call is not valid.');
      expect((error as APIError).message).not.toContain('secret-token');
    }
    expect((await api.client.chat.completions.create(ASK)).choices[0]?.message.content).toBe('Hello!');
  });
});

describe('failures of the provider', () => {
  const failure = (code: UpstreamCode) =>
    fail(code, 'api.example.org refused the key (HTTP 401).', { retryable: false });

  test.each([
    ['upstream_rejected', 502],
    ['upstream_rate_limited', 429],
    ['upstream_timeout', 504],
  ] as const)('%s before the first word is the status %d', async (code, status) => {
    for (const stream of [true, false]) {
      await using api = await app([{ agent: 'coordinator', error: failure(code) }]);
      const error = await api.client.chat.completions.create({ ...ASK, stream }).catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(APIError);
      expect([(error as APIError).status, (error as APIError).code]).toEqual([status, code]);
      expect((error as APIError).message).toContain('api.example.org refused the key');
    }
  });

  test('in the middle of a stream is an error chunk, and the stream ends whole', async () => {
    await using api = await app([{ agent: 'coordinator', text: ['Hel'], error: failure('upstream_unavailable') }]);
    const seen: string[] = [];
    const read = async () => {
      const stream = await api.client.chat.completions.create({ ...ASK, stream: true });
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? '');
    };
    const error = await read().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).code).toBe('upstream_unavailable');
    expect(seen.join('')).toBe('Hel');
    await using again = await app([{ agent: 'coordinator', text: ['Hel'], error: failure('upstream_unavailable') }]);
    expect(await (await again.complete({ ...ASK, stream: true })).text()).toEndWith('data: [DONE]\n\n');
  });

  test('an image without a vision model is a bad request', async () => {
    await using api = await app([]);
    const image = { type: 'image_url' as const, image_url: { url: 'https://example.org/cat.png' } };
    const error = await api.client.chat.completions
      .create({ model: 'agent-research', messages: [{ role: 'user', content: [image] }] })
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect((error as APIError).code).toBe('vision_not_configured');
  });

  test('a defect of ours says nothing of itself', async () => {
    await using api = await app([{ agent: 'coordinator', error: new TypeError('the password is hunter2') }]);
    const answer = await api.complete(ASK);
    expect(answer.status).toBe(500);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(await answer.text()).not.toContain('hunter2');
  });
});

describe('when the client goes away', () => {
  test.each([true, false])('the run is cancelled and the model call aborted (stream: %p)', async (stream) => {
    const started = gate();
    await using api = await app([{ agent: 'coordinator', text: ['Hel'], after: () => hang(started) }]);
    const leave = new AbortController();
    const answer = api
      .complete({ ...ASK, stream }, { signal: leave.signal })
      .then((response) => response.text())
      .catch(() => 'left');
    await started.wait();
    leave.abort();
    expect(await answer).toBe('left');
    const [run] = await api.store.runs.list({ limit: 1 });
    await api.runs.settled(run!.id);
    expect((await api.store.runs.get(run!.id))?.status).toBe('cancelled');
    expect(api.basic.aborted).toBe(1);
  });
});

test('the OpenAPI document describes both kinds of answer', async () => {
  await using api = await app([]);
  const document = (await (await api.fetch('/openapi.json')).json()) as Record<string, any>;
  expect(await new Validator().validate(document)).toEqual({ valid: true });
  const { responses, requestBody } = document['paths']['/v1/chat/completions'].post;
  expect(Object.keys(responses[200].content)).toEqual(['application/json', 'text/event-stream']);
  expect(requestBody.content['application/json'].schema.required).toEqual(['model', 'messages']);
});

describe('the models', () => {
  test('are listed and shown', async () => {
    await using api = await app([]);
    const list = await api.client.models.list();
    expect(list.data.map((model) => model.id)).toEqual(['agent-research', 'agent-deep-research', 'agent-quick']);
    const model = await api.client.models.retrieve('agent-quick');
    expect([model.object, model.owned_by]).toEqual(['model', 'agent']);
    expect(Number.isInteger(model.created)).toBe(true);
    const error = await api.client.models.retrieve('gpt-4o').catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OpenAI.NotFoundError);
    expect((error as APIError).code).toBe('model_not_found');
  });

  test('agent-deep-research plans with the reasoning model', async () => {
    const reasoning = scriptedModel([{ agent: 'planner', text: planText(1, { has_enough_context: true, steps: [] }) }]);
    await using api = await startOpenAiApp(
      scriptedModels({ basic: scriptedModel([HANDOFF, report('# Done')]), reasoning }),
    );
    const completion = await api.client.chat.completions.create({ ...ASK, model: 'agent-deep-research' });
    expect(completion.choices[0]?.message.content).toStartWith('# Done');
    reasoning.assertDone();
  });
});

function hang(started: { open(): void }): Promise<void> {
  started.open();
  return new Promise(() => {});
}
