import type { Config } from '../config/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { createSpeechEngine } from './create-engine.ts';
import { createSpeech } from './create-speech.ts';
import type { Speech } from './speech.ts';

export interface OpenSpeechNeeds {
  config: Pick<Config, 'speech' | 'models'>;
  fetch: typeof fetch;
  clock: Clock;
}

/** Text to speech as the configuration says. */
export function openSpeech({ config, fetch, clock }: OpenSpeechNeeds): Speech {
  const { speech, models } = config;
  return createSpeech({
    engine: createSpeechEngine({ config: speech, basic: models.basic, fetch, now: () => clock.now() }),
    clock,
    attempts: speech.max_retries + 1,
    maxConcurrency: speech.max_concurrency,
    maxWaiting: speech.max_waiting,
  });
}
