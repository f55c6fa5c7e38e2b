import { Elysia } from 'elysia';
import type { Clock } from '../lib/clock.ts';
import type { Models } from '../models/model.ts';
import { Type } from '../schema.ts';
import { VERSION } from '../version.ts';
import { landingPage, wantsHtml } from './landing.ts';

/** What the routes about the server itself need. */
export interface SystemNeeds {
  models: Models;
  clock: Clock;
  knowledgeProvider: string;
}

const Health = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String({ description: 'Version of the running build.' }),
  uptime_seconds: Type.Integer({ minimum: 0 }),
});

const ModelNames = Type.Array(Type.String(), { description: 'Models in the order they are tried.' });
const ServerConfig = Type.Object({
  rag: Type.Object({ provider: Type.String({ description: 'Knowledge provider.' }) }),
  models: Type.Object({
    basic: ModelNames,
    reasoning: Type.Optional(ModelNames),
    vision: Type.Optional(ModelNames),
    code: Type.Optional(ModelNames),
  }),
});

/** `/`, `/health` and `/api/config`: what the server says about itself, from memory. */
export function createSystemRoutes({ models, clock, knowledgeProvider }: SystemNeeds) {
  const startedAt = clock.now();
  return new Elysia({ name: 'system-routes' })
    .get('/', ({ request }) => landingPage(wantsHtml(request)), {
      detail: { hide: true },
    })
    .get(
      '/health',
      () => ({
        status: 'ok' as const,
        version: VERSION,
        uptime_seconds: Math.max(0, Math.floor((clock.now() - startedAt) / 1000)),
      }),
      {
        response: { 200: Health },
        detail: { tags: ['Server'], summary: 'Tell that the server is alive', security: [] },
      },
    )
    .get('/api/config', () => ({ rag: { provider: knowledgeProvider }, models: { basic: [], ...models.names() } }), {
      response: { 200: ServerConfig },
      detail: { tags: ['Server'], summary: 'Show the knowledge provider and the configured models' },
    });
}
