import type { Clock } from '../lib/clock.ts';
import { type Static, Type } from '../schema.ts';
import { VERSION } from '../version.ts';

/** The answer of `GET /health`. */
export const Health = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String({ description: 'Version of the running build.' }),
  uptime_seconds: Type.Integer({ minimum: 0 }),
});

/** Reads the health of this process from memory; it never waits for anything. */
export type ReadHealth = () => Static<typeof Health>;

/** Starts counting the uptime. */
export function createHealth(clock: Clock): ReadHealth {
  const startedAt = clock.now();
  return () => ({
    status: 'ok',
    version: VERSION,
    uptime_seconds: Math.max(0, Math.floor((clock.now() - startedAt) / 1000)),
  });
}
