import { Elysia } from 'elysia';
import type { Models } from '../models/model.ts';
import { Type } from '../schema.ts';
import { Health, type ReadHealth } from './health.ts';
import { landingPage, wantsHtml } from './landing.ts';

/** What the routes about the server itself need. */
export interface SystemNeeds {
  models: Models;
  health: ReadHealth;
  knowledgeProvider: string;
}

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
export function createSystemRoutes({ models, health, knowledgeProvider }: SystemNeeds) {
  return new Elysia({ name: 'system-routes' })
    .get('/', ({ request }) => landingPage(wantsHtml(request)), {
      detail: { hide: true },
    })
    .get('/health', () => health(), {
      response: { 200: Health },
      detail: { tags: ['Server'], summary: 'Tell that the server is alive', security: [] },
    })
    .get('/api/config', () => ({ rag: { provider: knowledgeProvider }, models: { basic: [], ...models.names() } }), {
      response: { 200: ServerConfig },
      detail: { tags: ['Server'], summary: 'Show the knowledge provider and the configured models' },
    });
}
