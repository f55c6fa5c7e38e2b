import type { Config } from '../config/schema.ts';
import { type CheckCaller, createCallerCheck } from './check-caller.ts';
import { createCors } from './cors.ts';

/** Who may call the API, from its settings. */
export function createApiCallerCheck({ server, mcp }: Pick<Config, 'server' | 'mcp'>): CheckCaller {
  return createCallerCheck({
    hosts: [server.host, ...server.allowed_hosts, ...mcp.allowed_hosts],
    allowsOrigin: createCors(server.allowed_origins).allows,
  });
}
