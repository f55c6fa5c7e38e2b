import { Elysia } from 'elysia';
import { type BodyLimits, parseBody } from './parse-body.ts';
import type { RouteTable } from './route-table.ts';

/** What the body reader needs. */
export interface BodyReaderNeeds {
  limits: BodyLimits;
  routes(): RouteTable;
  server(): Pick<Bun.Server<undefined>, 'timeout'> | null;
}

/** Reads the body of every route in one place, capped and checked; a route with `parse: 'none'` reads its own. */
export function createBodyReader({ limits, routes, server }: BodyReaderNeeds) {
  return new Elysia({ name: 'body-reader' })
    .parser('none', () => null)
    .onParse({ as: 'global' }, async ({ request, path }) => {
      if (routes().isRaw(request.method, path)) return undefined;
      const body = await parseBody(request, limits);
      // The request is complete: from here on silence means work, not a stalled client.
      server()?.timeout(request, 0);
      return body;
    });
}
