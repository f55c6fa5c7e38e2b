import { afterEach, describe, expect, test } from 'bun:test';
import type { ToolCall } from '../../src/models/model.ts';
import {
  faults,
  type ModelServer,
  type ModelServerOptions,
  type Reply,
  startModelServer,
} from '../helpers/model-server.ts';
import { ask, basicModel, collect, failure, SEARCH, setUp } from './helpers.ts';

let server: ModelServer;
const start = (options?: ModelServerOptions) => {
  server = startModelServer(options);
  return basicModel(server.baseUrl, { max_retries: 0 });
};
const answering = (...replies: Reply[]) => start({ queue: { '*': replies } });
afterEach(() => server?.stop());

describe('an answer of an OpenAI-compatible server', () => {
  test('streams text, reasoning, usage and the finish, under the configured name', async () => {
    const answer = await collect(
      answering({ reasoning: 'why so', text: 'one two three', usage: { prompt_tokens: 7, completion_tokens: 3 } }),
    );
    expect(answer).toMatchObject({ text: 'one two three', reasoning: 'why so', last: 'finish' });
    expect(answer.finish).toEqual({
      type: 'finish',
      reason: 'stop',
      model: 'm-1',
      usage: { inputTokens: 7, outputTokens: 3 },
    });
  });

  test('carries agent role, run id and key in headers, and the configured limits in the body', async () => {
    server = startModelServer();
    const model = basicModel(server.baseUrl, { max_tokens: 500, temperature: 0.2 });
    await collect(model, ask({ responseFormat: 'json', maxTokens: 900, temperature: 0.9 }));
    const [request] = server.requests;
    expect(request).toMatchObject({ agent: 'reporter', runId: 'run_1', path: '/v1/chat/completions' });
    expect(request!.headers.get('authorization')).toBe('Bearer sk-secret-key');
    expect(request!.body).toEqual({
      model: 'm-1',
      messages: [{ role: 'user', content: 'PROMPT-TEXT' }],
      stream: true,
      stream_options: { include_usage: true },
      response_format: { type: 'json_object' },
      temperature: 0.2,
      max_tokens: 500,
    });
  });

  test('sends no authorization without a key', async () => {
    server = startModelServer();
    await collect(setUp({ basic: { model: 'm', base_url: server.baseUrl } }).models.get('basic'));
    expect(server.requests[0]!.headers.get('authorization')).toBeNull();
  });

  test('sends tools, calls, results and images in the shapes of the wire', async () => {
    const model = answering({ text: 'ok' });
    await collect(
      model,
      ask({
        tools: [SEARCH],
        messages: [
          { role: 'system', content: 's' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 't' },
              { type: 'image', imageUrl: 'data:image/png;base64,AA==' },
            ],
          },
          {
            role: 'assistant',
            content: '',
            toolCalls: [
              {
                id: 'c1',
                name: 'web_search',
                argumentsText: '{"query":"q"}',
                extra: { extra_content: { google: { thought_signature: 'x' } } },
              },
              { id: 'c2', name: 'web_search', argumentsText: '{"query": broken' },
            ],
          },
          { role: 'tool', toolCallId: 'c1', name: 'web_search', content: 'result' },
        ],
      }),
    );
    const body = server.requests[0]!.body;
    expect(body.tools).toEqual([{ type: 'function', function: SEARCH }]);
    expect(body.messages as unknown[]).toEqual([
      { role: 'system', content: 's' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 't' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'web_search', arguments: '{"query":"q"}' },
            extra_content: { google: { thought_signature: 'x' } },
          },
          { id: 'c2', type: 'function', function: { name: 'web_search', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'result' },
    ]);
  });

  const styles = ['deltas', 'whole', 'no-index', 'no-id'] as const;
  test.each(styles)('assembles two parallel tool calls streamed as %s', async (toolCallStyle) => {
    const toolCalls = [
      { name: 'web_search', arguments: { query: 'a' }, ...(toolCallStyle === 'no-id' ? {} : { id: 'c1' }) },
      { name: 'crawl_tool', arguments: { url: 'https://example.org/漢' } },
    ];
    const { calls, finish, text } = await collect(
      answering({ text: 'Let me see.', toolCalls, toolCallStyle, finishReason: 'stop' }),
      ask({ tools: [SEARCH] }),
    );
    expect(calls.map(({ name, argumentsText }) => [name, JSON.parse(argumentsText)])).toEqual([
      ['web_search', { query: 'a' }],
      ['crawl_tool', { url: 'https://example.org/漢' }],
    ]);
    expect(new Set(calls.map((call) => call.id).filter(Boolean)).size).toBe(2);
    expect(finish).toMatchObject({ reason: 'tool_calls' });
    expect(text).toBe('Let me see.');
  });

  test('passes invalid arguments and unknown tools on as the model wrote them', async () => {
    const model = answering(faults.invalidArguments('web_search'), faults.unknownTool());
    expect((await collect(model)).calls[0]!.argumentsText).toBe('{"query": "unfinished');
    expect((await collect(model)).calls[0]!.name).toBe('no_such_tool');
  });

  test('moves think tags cut across chunks, and the reasoning field of OpenRouter, to the reasoning', async () => {
    const model = answering(
      { text: ['<th', 'ink>because', '</thi', 'nk>', 'so'] },
      { reasoning: 'r', reasoningField: 'reasoning', text: 'x' },
    );
    expect(await collect(model)).toMatchObject({ reasoning: 'because', text: 'so' });
    expect(await collect(model)).toMatchObject({ reasoning: 'r', text: 'x' });
  });

  test('understands a server that ignores streaming, and one that ends without [DONE]', async () => {
    const whole = JSON.stringify({
      choices: [{ message: { content: 'all at once' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    });
    const bare = 'data: {"choices":[{"delta":{"content":"bare"},"finish_reason":"stop"}]}';
    const model = answering({ body: whole, contentType: 'application/json' }, { body: bare });
    expect(await collect(model)).toMatchObject({
      text: 'all at once',
      finish: { reason: 'length', usage: { inputTokens: 1, outputTokens: 2 } },
    });
    expect(await collect(model)).toMatchObject({ text: 'bare', finish: { reason: 'stop' } });
  });

  test('understands comments, CR LF, event names, list content and an index that is always 0', async () => {
    const events = [
      ': OPENROUTER PROCESSING',
      'event: message\r\ndata:{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]}}]}\r',
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}',
      'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":{"k":1}}}]},"finish_reason":"tool_calls"}],"usage":null}',
      'data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1}}',
      'data: [DONE]',
    ];
    const answer = await collect(answering({ body: `${events.join('\n\n')}\n\n` }));
    expect(answer).toMatchObject({ text: 'hi', reasoning: 'hm' });
    expect(answer.calls.map(({ id, name, argumentsText }) => [id, name, argumentsText])).toEqual([
      ['a', 'x', '{}'],
      ['b', 'y', '{"k":1}'],
    ]);
  });
});

describe('a provider that refuses a part of the request', () => {
  const rows = [
    ['stream_options', {}],
    ['response_format', { responseFormat: 'json' }],
    ['max_tokens', { maxTokens: 100 }],
    ['temperature', { temperature: 0.5 }],
    ['tools', { tools: [SEARCH] }],
  ] as const;
  test.each(rows)('is asked without %s, and that is remembered', async (key, extra) => {
    const model = start({ rejects: [key], queue: { reporter: [{ text: 'first' }, { text: 'second' }] } });
    expect((await collect(model, ask(extra as object))).text).toBe('first');
    expect((await collect(model, ask(extra as object))).text).toBe('second');
    expect(server.requests.map((request) => key in request.body)).toEqual([true, false, false]);
    if (key === 'max_tokens') expect(server.requests[1]!.body.max_completion_tokens).toBe(100);
  });

  test('several refusals in a row are all learnt', async () => {
    const model = start({ rejects: ['tools', 'stream_options', 'temperature'], queue: { '*': [{ text: 'ok' }] } });
    expect((await collect(model, ask({ tools: [SEARCH], temperature: 0.5 }))).text).toBe('ok');
    expect(server.requests).toHaveLength(4);
  });

  test('a schema is asked for as plain JSON where only that is known', async () => {
    const model = start({
      handler: ({ body }) =>
        body.response_format?.type === 'json_schema'
          ? { status: 400, error: 'response_format json_schema is not supported' }
          : { text: '{}' },
    });
    await collect(model, ask({ responseFormat: { name: 'n', schema: { type: 'object' } } }));
    expect(server.requests.map((request) => request.body.response_format?.type)).toEqual([
      'json_schema',
      'json_object',
    ]);
  });

  test('a model without tool calling gets the tools in the prompt and its call is read from the answer', async () => {
    const written = 'I will look it up.\n```json\n{"tool": "web_search", "arguments": {"query": "heat"}}\n```';
    const model = start({ rejects: ['tools'], queue: { researcher: [{ text: written }, { text: 'Found it.' }] } });
    const request = ask({
      agent: 'researcher',
      tools: [SEARCH],
      messages: [
        { role: 'system', content: 'You research.' },
        { role: 'user', content: 'q' },
      ],
    });
    const first = await collect(model, request);
    expect(first).toMatchObject({ text: 'I will look it up.\n', finish: { reason: 'tool_calls' } });
    expect(first.calls).toMatchObject([{ name: 'web_search', argumentsText: '{"query":"heat"}' }]);
    const call = first.calls[0]!;
    const second = await collect(model, {
      ...request,
      messages: [
        ...request.messages,
        { role: 'assistant', content: first.text, toolCalls: [call] },
        { role: 'tool', toolCallId: call.id, name: call.name, content: 'RESULT' },
      ],
    });
    expect(second).toMatchObject({ text: 'Found it.', calls: [], finish: { reason: 'stop' } });
    const wire = server.requests.at(-1)!.body;
    expect(wire.tools).toBeUndefined();
    expect(wire.messages.map((message) => message.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(wire.messages[0]!.content).toContain('web_search: Searches the web.');
    expect(wire.messages[3]!.content).toContain('RESULT');
  });
});

describe('reasoning before tool calls', () => {
  const tools = [SEARCH];
  const next = (call: ToolCall) =>
    ask({
      tools,
      messages: [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: '', toolCalls: [call] },
        { role: 'tool', toolCallId: call.id, name: call.name, content: 'r' },
      ],
    });
  const sent = () =>
    server.requests.map((request) => (request.body.messages[1] as { reasoning_content?: string })?.reasoning_content);

  test('is given back with them, as DeepSeek demands', async () => {
    const toolCalls = [{ name: 'web_search', arguments: {} }];
    const model = answering({ reasoning: 'I should search', toolCalls }, { text: 'ok' });
    const { calls } = await collect(model, ask({ tools }));
    await collect(model, next(calls[0]!));
    expect(sent()).toEqual([undefined, 'I should search']);
  });

  test('is given back empty where it is not known but demanded, and left out where the field is refused', async () => {
    const call = { id: 'c', name: 'web_search', argumentsText: '{}' };
    const missing = 'Missing `reasoning_content` field in the assistant message at message index 1.';
    const model = answering({ status: 400, error: missing }, { text: 'ok' });
    await collect(model, next(call));
    expect(sent()).toEqual([undefined, '']);
    await server.stop();
    const strict = answering({ status: 400, error: "'reasoning_content' was unexpected" }, { text: 'ok' });
    await collect(strict, next({ ...call, extra: { reasoning_content: 'x' } }));
    expect(sent()).toEqual(['x', undefined]);
  });

  test('a provider that never has enough of it is refused in the end', async () => {
    const missing = {
      status: 400,
      error: 'The reasoning_content in the thinking mode must be passed back to the API.',
    };
    const model = answering(missing, missing, missing);
    await failure(collect(model, next({ id: 'c', name: 'web_search', argumentsText: '{}' })));
    expect(server.requests).toHaveLength(2);
  });
});

describe('a call that fails', () => {
  const rows: [name: string, reply: () => Reply, expected: { code: string; retryable: boolean }, words: string][] = [
    ['401', faults.unauthorized, { code: 'upstream_rejected', retryable: false }, 'credentials'],
    [
      '404 for the model',
      faults.modelNotFound,
      { code: 'upstream_rejected', retryable: false },
      'does not know model m-1',
    ],
    [
      '400',
      () => ({ status: 400, error: { message: 'PROMPT-TEXT is bad', code: 'bad_thing' } }),
      { code: 'upstream_rejected', retryable: false },
      '400, bad_thing',
    ],
    ['408', () => ({ status: 408 }), { code: 'upstream_timeout', retryable: true }, '408'],
    ['409', () => ({ status: 409 }), { code: 'upstream_unavailable', retryable: true }, '409'],
    ['429', () => faults.rateLimited('2'), { code: 'upstream_rate_limited', retryable: true }, 'rate_limit_exceeded'],
    [
      '429 for a spent quota',
      () => ({ status: 429, error: { code: 'insufficient_quota' } }),
      { code: 'upstream_rate_limited', retryable: false },
      'insufficient_quota',
    ],
    ['500', () => faults.failing(1)[0]!, { code: 'upstream_unavailable', retryable: true }, '500'],
    [
      '502 with a page',
      () => ({ status: 502, body: '<html>PROMPT-TEXT</html>', contentType: 'text/html' }),
      { code: 'upstream_unavailable', retryable: true },
      '502',
    ],
    [
      'a drop mid-stream',
      () => faults.dropped('a b c', 2),
      { code: 'upstream_unavailable', retryable: true },
      'dropped',
    ],
    [
      'a cut mid-stream',
      () => ({ text: 'a b c', cutAfter: 2 }),
      { code: 'upstream_unavailable', retryable: true },
      'dropped',
    ],
    ['garbage', faults.garbage, { code: 'upstream_unavailable', retryable: true }, 'not a chat completion'],
    [
      'a page with status 200',
      () => ({ body: '<html></html>', contentType: 'text/html' }),
      { code: 'upstream_unavailable', retryable: true },
      'dropped',
    ],
    [
      'broken JSON',
      () => ({ body: '{"choices": [', contentType: 'application/json' }),
      { code: 'upstream_unavailable', retryable: true },
      'not a chat completion',
    ],
    ['an empty answer', faults.empty, { code: 'upstream_unavailable', retryable: true }, 'empty answer'],
    [
      'an error inside the stream',
      () => faults.errorInStream('a b', 2),
      { code: 'upstream_unavailable', retryable: true },
      'overloaded',
    ],
    [
      'an error with status 200',
      () => ({ body: '{"error":{"message":"x","type":"rate_limit_error"}}', contentType: 'application/json' }),
      { code: 'upstream_rate_limited', retryable: true },
      'rate',
    ],
  ];
  test.each(rows)(
    '%s: the error says who failed and keeps key, prompt and body to itself',
    async (_name, reply, expected, words) => {
      const error = await failure(collect(answering(reply())));
      expect(error).toMatchObject({ ...expected, category: 'upstream', status: 500 });
      expect(error.message).toContain(words);
      expect(error.message).toContain(`127.0.0.1:${server.port}`);
      expect(error.message).toContain('m-1');
      expect(`${error.message} ${Bun.inspect(error.cause)}`).not.toMatch(/sk-|PROMPT-TEXT|html/);
    },
  );

  test('a server that is not there', async () => {
    const model = start();
    await server.stop();
    expect(await failure(collect(model))).toMatchObject({ code: 'upstream_unavailable', retryable: true });
  });

  test.each([
    ['before the first byte', faults.never()],
    ['in the middle', { text: 'a b c', hangAfter: 2 } satisfies Reply],
  ])('silence %s ends after the timeout and the connection is closed', async (_name, reply) => {
    server = startModelServer({ queue: { '*': [reply] } });
    const { systemClock } = await import('../../src/lib/clock.ts');
    const model = basicModel(server.baseUrl, { timeout: 0.03, max_retries: 0 }, systemClock);
    const error = await failure(collect(model));
    expect(error).toMatchObject({ code: 'upstream_timeout' });
    expect(error.message).toContain('0.03 s');
    while (!server.requests[0]!.aborted) await Bun.sleep(1);
  });

  test('an answer without end is cut off', async () => {
    // Words that do not repeat: a loop is ended before it is too long, see watched-model.test.ts.
    const text = (from: number) => Array.from({ length: 60_000 }, (_, index) => `w${from + index}`).join(' ');
    const chunks = Array.from(
      { length: 10 },
      (_, index) => `data: {"choices":[{"delta":{"content":"${text(index * 60_000)} "}}]}\n\n`,
    );
    const error = await failure(collect(answering({ body: chunks.join('') })));
    expect(error).toMatchObject({ code: 'upstream_rejected', retryable: false });
    expect(error.message).toContain('too long');
  });
});

describe('a caller that goes away', () => {
  test.each([
    ['before the first byte', faults.never()],
    ['in the middle', { text: 'a b c', hangAfter: 2 } satisfies Reply],
  ])('%s: rejects with its reason and closes the connection', async (_name, reply) => {
    const model = answering(reply);
    const abort = new AbortController();
    const pending = collect(model, ask(), abort.signal);
    while (server.requests.length === 0) await Bun.sleep(1);
    await Bun.sleep(5);
    const reason = new DOMException('left', 'AbortError');
    abort.abort(reason);
    expect(await pending.catch((error: unknown) => error)).toBe(reason);
    while (!server.requests[0]!.aborted) await Bun.sleep(1);
    expect(server.requests).toHaveLength(1);
  });

  test('leaving the loop closes the connection', async () => {
    const model = answering({ text: 'a b c', hangAfter: 2 });
    for await (const _ of model.stream(ask(), new AbortController().signal)) break;
    while (!server.requests[0]!.aborted) await Bun.sleep(1);
  });

  test('an aborted signal sends nothing', async () => {
    const model = start();
    expect(collect(model, ask(), AbortSignal.abort())).rejects.toThrow('abort');
    await Bun.sleep(5);
    expect(server.requests).toHaveLength(0);
  });
});

describe('a prompt that is too long', () => {
  const long = ask({ messages: [{ role: 'user', content: 'word '.repeat(20_000) }] });

  test('fails with context_overflow and teaches the window', async () => {
    const model = start({ contextLimit: 9_000, queue: { '*': [{ text: 'fits' }] } });
    expect(model.contextWindow).toBe(32_768);
    const error = await failure(collect(model, long));
    expect(error).toMatchObject({ code: 'context_overflow', category: 'upstream' });
    expect(model.contextWindow).toBe(9_000);
    expect(server.requests).toHaveLength(1);
    expect((await collect(model)).text).toBe('fits');
  });

  test('counted too low, makes the window smaller than the prompt', async () => {
    const model = answering(faults.contextExceeded(30_000));
    await failure(collect(model, long));
    expect(model.contextWindow).toBeLessThan(25_000);
  });

  test('leaves room for the prompt when the longest answer would not fit', async () => {
    server = startModelServer();
    const model = basicModel(server.baseUrl, { context_window: 4_000, max_tokens: 3_900 });
    await collect(model, ask({ messages: [{ role: 'user', content: 'word '.repeat(1_400) }] }));
    expect(server.requests[0]!.body.max_tokens).toBeLessThan(2_100);
  });

  test('reads the number from the list Gemini sends its error in', async () => {
    const body = JSON.stringify([
      {
        error: {
          code: 400,
          message: 'The input token count (40000) exceeds the maximum number of tokens allowed (16384).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ]);
    const model = answering({ status: 400, body, contentType: 'application/json' });
    expect(await failure(collect(model, long))).toMatchObject({ code: 'context_overflow' });
    expect(model.contextWindow).toBe(16_384);
  });
});
