import type { Config } from '../config/schema.ts';
import type { GuardedStreamFetch } from '../crawl/guarded-stream-fetch.ts';
import { VERSION } from '../version.ts';
import { RunningGroups } from './child-process.ts';
import type { ConnectionNeeds } from './connection.ts';

/** What connections need, from the configuration; the two fetches are the guarded one and one that may go anywhere. */
export function createConnectionNeeds(options: {
  config: Pick<Config, 'mcp'>;
  home: string;
  guardedFetch: GuardedStreamFetch;
  openFetch: GuardedStreamFetch;
}): ConnectionNeeds {
  const { config, home, guardedFetch, openFetch } = options;
  return {
    home,
    path: config.mcp.path,
    groups: new RunningGroups(),
    version: VERSION,
    maxMessageBytes: config.mcp.max_message_bytes,
    guardedFetch,
    openFetch,
  };
}
