import type { SlidesConfig } from '../../src/config/sections/slides.ts';
import type { GuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { createGuardedFetch } from '../../src/crawl/guarded-fetch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/log.ts';
import type { Models } from '../../src/models/model.ts';
import { createSlideGenerator } from '../../src/slides/generate.ts';
import { createSlideRoutes } from '../../src/slides/routes.ts';
import { defaultConfig, startTestServer } from '../helpers/test-server.ts';

/** Models of an installation without any. */
export const NO_MODELS: Models = {
  get: () => {
    throw new Error('no model is configured');
  },
  has: () => false,
  names: () => ({ basic: ['extractive'] }),
} as unknown as Models;

/** `/api/ppt` on a real server. */
export async function startSlidesApp(
  options: { models?: Models; guardedFetch?: GuardedFetch; config?: Partial<SlidesConfig> } = {},
) {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const slides = createSlideGenerator({
    models: options.models ?? NO_MODELS,
    guardedFetch: options.guardedFetch ?? createGuardedFetch({ allowPrivateNetwork: false, log }),
    clock: systemClock,
    log,
    config: { ...defaultConfig().slides, ...options.config },
  });
  const server = await startTestServer({ mount: (base) => base.use(createSlideRoutes({ slides })) });
  return {
    ...server,
    slides,
    generate: (body: unknown, init: RequestInit = {}) =>
      server.fetch('/api/ppt/generate', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        ...init,
      }),
    logText: () => [lines.join('\n'), server.logText()].join('\n'),
    async [Symbol.asyncDispose]() {
      slides.stop();
      await server[Symbol.asyncDispose]();
    },
  };
}
