import { afterEach, describe, expect, test } from 'bun:test';
import { systemClock } from '../../src/lib/clock.ts';
import { faults, type ModelServer, startModelServer } from '../helpers/model-server.ts';
import { ask, basicModel, collect, failure, instantClock, setUp } from './helpers.ts';

let server: ModelServer;
let second: ModelServer | undefined;
afterEach(async () => {
  await server.stop();
  await second?.stop();
  second = undefined;
});

const start = (...replies: Parameters<ModelServer['enqueue']>[1][]) => {
  server = startModelServer({ queue: { '*': replies } });
};

describe('retries', () => {
  test('two failures with 500, then the answer, with growing waits', async () => {
    start(...faults.failing(2), { text: 'fine' });
    const clock = instantClock();
    expect((await collect(basicModel(server.baseUrl, {}, clock))).text).toBe('fine');
    expect(clock.waits).toEqual([250, 500]);
  });

  test('a connection dropped before the first token is made again', async () => {
    start(faults.dropped('lost', 0), faults.dropped('lost', 1), faults.empty(), faults.garbage(), { text: 'fine' });
    expect((await collect(basicModel(server.baseUrl, { max_retries: 4 }))).text).toBe('fine');
  });

  test('Retry-After is honoured in seconds, milliseconds and as a date', async () => {
    const clock = instantClock();
    const date = new Date(clock.now() + 7_000).toUTCString();
    start(
      faults.rateLimited('2'),
      faults.rateLimited(date),
      { ...faults.rateLimited(), headers: { 'retry-after-ms': '30' } },
      { text: 'fine' },
    );
    expect((await collect(basicModel(server.baseUrl, {}, clock))).text).toBe('fine');
    expect(clock.waits).toEqual([2_000, 7_000, 30]);
  });

  test('a wait of more than a minute is not waited for', async () => {
    start(faults.rateLimited('3600'));
    const clock = instantClock();
    const error = await failure(collect(basicModel(server.baseUrl, {}, clock)));
    expect(error).toMatchObject({ code: 'upstream_rate_limited', retryAfterMs: 3_600_000 });
    expect(clock.waits).toEqual([]);
  });

  test.each([
    ['401', faults.unauthorized()],
    ['400', { status: 400 }],
    ['context_overflow', faults.contextExceeded(1_000)],
  ])('%s is not tried again', async (_name, reply) => {
    start(reply, { text: 'fine' });
    await failure(collect(basicModel(server.baseUrl)));
    expect(server.requests).toHaveLength(1);
  });

  test('after the first token a failure is final, and what was sent stays sent once', async () => {
    start({ text: ['a', 'b', 'c'], dropAfter: 3, tokensPerSecond: 1_000 }, { text: 'again' });
    const texts: string[] = [];
    const read = async () => {
      for await (const event of basicModel(server.baseUrl).stream(ask(), new AbortController().signal))
        if (event.type === 'text') texts.push(event.text);
    };
    expect(await failure(read())).toMatchObject({ code: 'upstream_unavailable' });
    expect(texts.join('')).toBe('ab');
    expect(server.requests).toHaveLength(1);
  });

  test('the last error says how often it was tried', async () => {
    start(...faults.failing(4));
    const error = await failure(collect(basicModel(server.baseUrl)));
    expect(error.message).toContain('tried 4 times');
    expect(server.requests).toHaveLength(4);
  });

  test('an abort ends the wait between two attempts', async () => {
    start(faults.rateLimited('30'));
    const abort = new AbortController();
    const pending = collect(basicModel(server.baseUrl, {}, systemClock), ask(), abort.signal);
    while (!server.requests[0]?.aborted && server.requests.length === 0) await Bun.sleep(1);
    await Bun.sleep(10);
    abort.abort(new DOMException('left', 'AbortError'));
    expect(await pending.catch((error: Error) => error.name)).toBe('AbortError');
    expect(server.requests).toHaveLength(1);
  });
});

describe('the fallback chain', () => {
  const chained = (extra: object = {}) => {
    second = startModelServer();
    return setUp({
      basic: {
        model: 'first',
        base_url: server.baseUrl,
        max_retries: 1,
        fallback: [{ model: 'second', base_url: second.baseUrl, ...extra }],
      },
    });
  };

  test('is asked when the first model is used up, and the finish names the model that answered', async () => {
    start(...faults.failing(2));
    const { models, lines } = chained();
    second!.enqueue('*', { text: 'from the second' });
    const answer = await collect(models.get('basic'));
    expect(answer).toMatchObject({ text: 'from the second', finish: { model: 'second' } });
    expect(server.requests).toHaveLength(2);
    expect(lines.filter((line) => line.includes('Model call failed'))).toHaveLength(1);
    expect(lines.join('\n')).not.toMatch(/PROMPT-TEXT|sk-/);
  });

  test('is asked at once after refused credentials and a long Retry-After', async () => {
    start(faults.unauthorized(), faults.rateLimited('600'));
    const { models } = chained();
    second!.enqueue('*', { text: 'one' }, { text: 'two' });
    expect((await collect(models.get('basic'))).text).toBe('one');
    expect((await collect(models.get('basic'))).text).toBe('two');
    expect(server.requests).toHaveLength(2);
  });

  test('that fails too: the error says everything that was tried', async () => {
    start(faults.unauthorized());
    const { models } = chained();
    second!.enqueue('*', ...faults.failing(2));
    const error = await failure(collect(models.get('basic')));
    expect(error.code).toBe('upstream_rejected');
    expect(error.message).toContain('No model of the chain answered');
    expect(error.message).toContain('model first');
    expect(error.message).toContain('model second (500');
    expect(error.message).toContain('tried 2 times');
  });

  test('with a smaller window shows it while it is the one that is asked', async () => {
    start(faults.unauthorized(), faults.unauthorized(), { text: 'back' });
    const { models } = chained({ context_window: 1_000 });
    const model = models.get('basic');
    second!.enqueue('*', faults.contextExceeded(800), { text: 'short enough' });
    const long = ask({ messages: [{ role: 'user', content: 'word '.repeat(2_000) }] });
    expect(model.contextWindow).toBe(32_768);
    expect(await failure(collect(model, long))).toMatchObject({ code: 'context_overflow' });
    expect(model.contextWindow).toBe(800);
    expect((await collect(model)).text).toBe('short enough');
    expect((await collect(model)).text).toBe('back');
    expect(model.contextWindow).toBe(32_768);
  });
});
