import type { Logger } from '../lib/log.ts';

/** One answered request. The route is its pattern: addresses and query strings can hold private data. */
export interface AccessEntry {
  method: string;
  route: string;
  status: number;
  ms: number;
  requestId: string;
}

/** Writes one line per request; health probes that are answered only show at debug level. */
export function logAccess(log: Logger, entry: AccessEntry): void {
  const fields = {
    method: entry.method,
    route: entry.route,
    status: entry.status,
    ms: Math.round(entry.ms * 10) / 10,
    request_id: entry.requestId,
  };
  if (entry.route === '/health' && entry.status === 200) log.debug('request', fields);
  else log.info('request', fields);
}
