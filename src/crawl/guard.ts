import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fail } from '../errors.ts';
import { mayConnect } from './address.ts';
import { hostToV6, type Reach, validateUrl } from './validate-url.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<string[]>;

export interface GuardedTarget {
  url: URL;
  /** Checked addresses, in the order to try them; connect to these and never resolve the name again. */
  addresses: string[];
}

/** Decides whether an address may be reached. */
export interface Guard {
  /** Throws an AppError `url_refused`, or `upstream_unavailable` when the name does not resolve. */
  check(url: string, signal: AbortSignal): Promise<GuardedTarget>;
}

/** The guard of everything that fetches addresses chosen by users, models or pages; `resolve` is injected in tests. */
export function createGuard(options: Reach & { resolve?: Resolve }): Guard {
  const resolve = options.resolve ?? resolveBySystem;
  return {
    async check(text, signal) {
      const checked = validateUrl(text, options);
      if (!checked.ok) throw fail('url_refused', checked.message);
      const { url } = checked;
      const literal = /^[\d.]+$/.test(url.hostname) ? url.hostname : hostToV6(url.hostname);
      if (literal !== undefined) return { url, addresses: [literal] };
      const addresses = await resolveName(url.hostname, resolve, signal);
      // Only what can be dialled as it stands: anything else would be resolved once more on the way.
      if (!addresses.every((address) => isIP(address) && !address.includes('%'))) throw unresolved(url.hostname);
      // One private answer among public ones is a rebinding attempt or a broken zone: refuse all of it.
      if (!addresses.every((address) => mayConnect(address, options.allowPrivateNetwork)))
        throw fail('url_refused', `The host ${url.hostname} is not on the public internet.`);
      return { url, addresses };
    },
  };
}

async function resolveName(host: string, resolve: Resolve, signal: AbortSignal): Promise<string[]> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const addresses = await Promise.race([resolve(host), aborted.promise]);
    if (addresses.length > 0) return addresses;
  } catch (error) {
    signal.throwIfAborted();
    throw unresolved(host, error);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throw unresolved(host);
}

function unresolved(host: string, cause?: unknown) {
  return fail('upstream_unavailable', `The host name ${host} could not be resolved.`, { cause });
}

/** IPv4 first: on machines without an IPv6 route it is the one that connects. */
async function resolveBySystem(host: string): Promise<string[]> {
  const found = await dnsLookup(host, { all: true });
  return found.sort((a, b) => a.family - b.family).map((entry) => entry.address);
}
