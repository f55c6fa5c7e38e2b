import type { ModelsConfig } from '../../src/config/sections/models.ts';
import { AppError } from '../../src/errors.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Model, ModelEvent, ModelRequest } from '../../src/models/model.ts';
import { createModels } from '../../src/models/models.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';

/** A clock whose sleeps return at once and are remembered; waits for silence (a second and more) last for ever. */
export function instantClock(): Clock & { waits: number[] } {
  const waits: number[] = [];
  return {
    waits,
    now: () => 1_000_000,
    sleep: (ms, signal) => {
      // The silence watch sleeps for the timeout: it must neither spin nor end.
      if (ms === TIMEOUT_MS) return systemClock.sleep(ms, signal);
      waits.push(ms);
      return Promise.resolve();
    },
  };
}

const TIMEOUT_MS = 120_000;

/** The models of a configuration against a local server, with the lines they logged. */
export function setUp(config: ModelsConfig, clock: Clock = instantClock()) {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'text', write: (line) => lines.push(line) });
  const extractive = scriptedModel([], { name: 'extractive' });
  const models = createModels({ config, fetch, clock, log, extractive, random: () => 0 });
  return { models, lines, extractive };
}

/** The basic model at a base URL. */
export function basicModel(baseUrl: string, extra: NonNullable<ModelsConfig['basic']> = {}, clock?: Clock): Model {
  return setUp({ basic: { model: 'm-1', base_url: baseUrl, api_key: 'sk-secret-key', ...extra } }, clock).models.get(
    'basic',
  );
}

export const SEARCH = {
  name: 'web_search',
  description: 'Searches the web.',
  parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
};

/** A request of the reporter. */
export function ask(extra: Partial<ModelRequest> = {}): ModelRequest {
  return { agent: 'reporter', messages: [{ role: 'user', content: 'PROMPT-TEXT' }], runId: 'run_1', ...extra };
}

/** Everything a model answers. */
export async function collect(model: Model, request: ModelRequest = ask(), signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request, signal)) events.push(event);
  return answerOf(events);
}

/** Events joined: texts, calls and the finish. */
function answerOf(events: ModelEvent[]) {
  const texts = (type: 'text' | 'reasoning') => events.map((event) => (event.type === type ? event.text : '')).join('');
  return {
    text: texts('text'),
    reasoning: texts('reasoning'),
    calls: events.flatMap((event) => (event.type === 'tool_call' ? [event.call] : [])),
    finish: events.find((event) => event.type === 'finish'),
    last: events.at(-1)?.type,
  };
}

/** The AppError a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof AppError)) throw error;
  return error;
}
