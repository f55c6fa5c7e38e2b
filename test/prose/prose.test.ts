import { describe, expect, test } from 'bun:test';
import { fail } from '../../src/errors.ts';
import { createExtractiveModel } from '../../src/models/extractive/extractive.ts';
import { frameProse, proseFrames } from '../../src/prose/frames.ts';
import { shorten } from '../../src/prose/shorten.ts';
import { startContentApp } from '../helpers/content-app.ts';
import { gate, type ScriptedStep, scriptedModel, scriptedModels } from '../helpers/scripted-model.ts';

const silentEngine = {
  name: 'none',
  maxTextBytes: 1024,
  voices: { male: 'm', female: 'f' },
  checkReady: () => undefined,
  speak: () => Promise.reject(new Error('not used')),
};

async function open(steps: ScriptedStep[], options: Partial<Parameters<typeof startContentApp>[0]> = {}) {
  const model = scriptedModel(steps);
  const app = await startContentApp({ models: scriptedModels({ basic: model }), engine: silentEngine, ...options });
  return { ...app, model, write: (body: unknown) => app.post('/api/prose/generate', body) };
}

/** What a strict SSE client (WHATWG HTML 9.2.6) reads. */
function readStrictly(raw: string): { text: string; events: string[] } {
  let text = '';
  const events: string[] = [];
  for (const block of raw.split('\n\n')) {
    const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    if (lines.length === 0) continue;
    const event = lines.find((line) => line.startsWith('event: '))?.slice(7);
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).replace(/^ /, ''))
      .join('\n');
    if (event) events.push(`${event} ${data}`);
    else text += data;
  }
  return { text, events };
}

describe('the stream', () => {
  test('is data frames without an event name; a newline is a frame of its own', async () => {
    await using it = await open([{ agent: 'prose', text: ['One', ' two.\n', '\nThree', '\n'] }]);
    const response = await it.write({ prompt: 'Zero.', option: 'continue' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-cache, no-transform');
    const newline = 'data: \ndata: \n\n';
    expect(await response.text()).toBe(`data: One\n\ndata:  two.\n\n${newline}${newline}data: Three\n\n${newline}`);
  });

  test.each([
    ['a\r\nb', 'a\nb'],
    ['a\rb', 'a\nb'],
    ['  indented\n\n\ttab: data: x', '  indented\n\n\ttab: data: x'],
    ['\n\n', '\n\n'],
  ])('loses nothing of %j', (text, read) => {
    expect(readStrictly(proseFrames(text)).text).toBe(read);
  });

  test('reads a line end that is cut between two pieces as one', async () => {
    async function* pieces() {
      yield* ['a\r', '\nb\r', 'c\r'];
    }
    let raw = '';
    for await (const frame of frameProse(pieces())) raw += frame;
    expect(readStrictly(raw).text).toBe('a\nb\nc\n');
  });
});

describe('the request to the model', () => {
  test.each(['continue', 'improve', 'shorter', 'longer', 'fix', 'zap'])('%s is the agent prose', async (option) => {
    await using it = await open([{ agent: 'prose', text: 'Done.' }]);
    const response = await it.write({ prompt: 'The text.', option, command: 'in French' });
    expect(response.status).toBe(200);
    await response.text();
    const [request] = it.model.requests;
    expect(request!.agent).toBe('prose');
    expect(request!.runId).toBeTruthy();
    expect(JSON.stringify(request!.messages)).toContain('The text.');
    expect(JSON.stringify(request!.messages).includes('in French')).toBe(option === 'zap');
    it.model.assertDone();
  });
});

describe('what is refused with 422', () => {
  test.each([
    ['an unknown option', { prompt: 'a', option: 'translate' }, '/option', 'zap'],
    ['no option', { prompt: 'a' }, '/option', 'required'],
    ['an empty prompt', { prompt: '', option: 'fix' }, '/prompt', ''],
    ['a blank prompt', { prompt: ' ', option: 'fix' }, '/prompt', ''],
    ['zap without a command', { prompt: 'a', option: 'zap' }, '/command', 'command'],
    ['zap with a blank command', { prompt: 'a', option: 'zap', command: ' ' }, '/command', 'command'],
    ['zap with null', { prompt: 'a', option: 'zap', command: null }, '/command', 'command'],
  ])('%s', async (_, body, path, words) => {
    await using it = await open([]);
    const response = await it.write(body);
    expect(response.status).toBe(422);
    const problem = (await response.json()) as any;
    expect(problem.errors[0].path).toBe(path);
    expect(problem.detail.toLowerCase()).toContain(words);
    it.model.assertDone();
  });

  test('an unknown option, with all that exist named', async () => {
    await using it = await open([]);
    const text = await (await it.write({ prompt: 'a', option: 'translate' })).text();
    for (const option of ['continue', 'improve', 'shorter', 'longer', 'fix', 'zap']) expect(text).toContain(option);
  });
});

describe('failures', () => {
  const failure = fail('upstream_rate_limited', 'The model limits the rate of requests.', { retryable: true });

  test('before the first text are an HTTP 500 with the code', async () => {
    await using it = await open([{ agent: 'prose', error: failure }]);
    const response = await it.write({ prompt: 'a', option: 'fix' });
    expect(response.status).toBe(500);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(await response.json()).toMatchObject({ code: 'upstream_rate_limited' });
  });

  test('after it are an error event and a clean end', async () => {
    await using it = await open([{ agent: 'prose', text: 'Half a', error: failure }]);
    const response = await it.write({ prompt: 'a', option: 'fix' });
    expect(response.status).toBe(200);
    const { text, events } = readStrictly(await response.text());
    expect(text).toBe('Half a');
    expect(events).toEqual([
      `error ${JSON.stringify({ error: 'The model limits the rate of requests.', code: 'upstream_rate_limited' })}`,
    ]);
  });

  test('of our own say nothing of their cause', async () => {
    await using it = await open([{ agent: 'prose', text: 'Half', error: new Error('secret detail') }]);
    const raw = await (await it.write({ prompt: 'a', option: 'fix' })).text();
    expect(raw).toContain('Internal server error');
    expect(raw).not.toContain('secret detail');
  });

  test('an answer without text is a 500', async () => {
    await using it = await open([{ agent: 'prose' }]);
    const response = await it.write({ prompt: 'a', option: 'fix' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'upstream_rejected' });
  });

  test.each(['continue', 'longer', 'zap', 'improve', 'fix'])(
    '%s without a language model is a 500 model_required',
    async (option) => {
      await using it = await open([], { models: scriptedModels({ basic: createExtractiveModel() }) });
      const response = await it.write({ prompt: 'The tide rises.', option, command: 'x' });
      expect(response.status).toBe(500);
      expect(await response.json()).toMatchObject({ code: 'model_required' });
    },
  );
});

describe('shorter without a language model', () => {
  const text =
    '# Tides\n\nTides are caused by the Moon. Many people like the beach. The Moon pulls the water, and tides follow the Moon.\n\n## Beach\n\n- Ice cream is sold there.\n- Tides reach the beach twice.\n\n## Nothing\n\nBirds sing.\n';

  test('keeps the best sentences, verbatim and in order', async () => {
    await using it = await open([], { models: scriptedModels({ basic: createExtractiveModel() }) });
    const response = await it.write({ prompt: text, option: 'shorter' });
    expect(response.status).toBe(200);
    const { text: shorter } = readStrictly(await response.text());
    expect(shorter.length).toBeLessThan(text.length * 0.75);
    expect(shorter).toContain('# Tides');
    expect(shorter).toContain('Tides are caused by the Moon.');
    expect(shorter).not.toContain('## Nothing');
    let at = 0;
    for (const line of shorter.split('\n').filter((each) => each !== '')) {
      for (const sentence of line.replace(/^[-#]+ /, '').match(/[^.]+\.?/g)!) {
        at = text.indexOf(sentence.trim(), at);
        expect(at).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('of a single sentence is a 500 model_required', async () => {
    await using it = await open([], { models: scriptedModels({ basic: createExtractiveModel() }) });
    const response = await it.write({ prompt: 'The tide rises.', option: 'shorter' });
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ code: 'model_required' });
  });

  test.each(['。', '. ', '\n', 'a b. c\n'])('takes any text: %j', (piece) => {
    const started = performance.now();
    shorten(piece.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('a client that goes away', () => {
  test.each([
    ['before the first text', {}],
    ['in the middle', { text: 'First' }],
  ])('%s aborts the model and frees its place', async (_, first) => {
    const never = gate();
    const hang = {
      agent: 'prose' as const,
      ...first,
      ...('text' in first ? { after: never.wait } : { before: never.wait }),
    };
    await using it = await open([hang, { agent: 'prose', text: 'Next.' }], {
      writing: { maxConcurrency: 1, maxWaiting: 5 },
    });
    const gone = new AbortController();
    const request = it.fetch('/api/prose/generate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"prompt":"a","option":"continue"}',
      signal: gone.signal,
    });
    request.catch(() => undefined);
    while (it.model.requests.length === 0) await Bun.sleep(2);
    if ('text' in first) await (await request).body!.getReader().read();
    gone.abort();
    for (let wait = 0; wait < 200 && it.model.aborted === 0; wait++) await Bun.sleep(5);
    expect(it.model.aborted).toBe(1);
    const next = await it.write({ prompt: 'b', option: 'continue' });
    expect(readStrictly(await next.text()).text).toBe('Next.');
  });
});

test('two hundred streams at once are all written', async () => {
  await using it = await open([{ agent: 'prose', text: ['a', 'b'], times: 200 }], {
    writing: { maxConcurrency: 10, maxWaiting: 500 },
  });
  const texts = await Promise.all(
    Array.from({ length: 200 }, async () => (await it.write({ prompt: 'x', option: 'fix' })).text()),
  );
  expect(new Set(texts)).toEqual(new Set(['data: a\n\ndata: b\n\n']));
});
