import type { Target, TargetTools } from '../target.ts';

/**
 * The target `log`: the answer stays with the event (`agent webhook events`). The log line holds its size only, since
 * an answer may repeat the payload.
 */
export function createLogTarget({ log }: TargetTools): Target {
  return {
    missing: [],
    secrets: [],
    prepare: async (request) => ({
      parts: [request.content],
      send: async (part) => {
        log.info('Answer delivered to the log of events', { delivery: part.id, characters: part.text.length });
        return { ok: true };
      },
    }),
  };
}
