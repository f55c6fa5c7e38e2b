import type { Config } from '../config/schema.ts';
import type { GuardedStreamFetch } from '../crawl/guarded-stream-fetch.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { VERSION } from '../version.ts';
import { Approvals } from './approvals.ts';
import { RunningGroups } from './child-process.ts';
import type { ConnectionNeeds } from './connection.ts';
import { ServerSandbox } from './server-sandbox.ts';

/** What connections need, from the configuration; the two fetches are the guarded one and one that may go anywhere. */
export function createConnectionNeeds(options: {
  config: Pick<Config, 'mcp'>;
  home: string;
  guardedFetch: GuardedStreamFetch;
  openFetch: GuardedStreamFetch;
  clock?: Clock;
  /** Hears once that there is no sandbox for stdio servers. */
  onMissingSandbox?: (why: string) => void;
}): ConnectionNeeds {
  const { config, home, guardedFetch, openFetch, clock = systemClock, onMissingSandbox } = options;
  return {
    home,
    path: config.mcp.path,
    groups: new RunningGroups(),
    sandbox: new ServerSandbox({
      config: config.mcp,
      home,
      ...(onMissingSandbox ? { onMissing: onMissingSandbox } : {}),
    }),
    approvals: new Approvals({ home, required: config.mcp.require_approval, clock }),
    version: VERSION,
    maxMessageBytes: config.mcp.max_message_bytes,
    guardedFetch,
    openFetch,
  };
}
