import { mayConnect } from './address.ts';

export type UrlProblem =
  | 'invalid_url'
  | 'scheme_refused'
  | 'credentials_refused'
  | 'port_refused'
  | 'host_refused'
  | 'address_refused';

export type UrlCheck = { ok: true; url: URL } | { ok: false; code: UrlProblem; message: string };

const MAX_URL_LENGTH = 8192;
/** Names that mean this machine, its network or its cloud, whatever they resolve to (RFC 6761, RFC 6762, RFC 8375, ICANN `.internal`). */
const PRIVATE_NAMES = ['localhost', 'localdomain', 'local', 'internal', 'intranet', 'home.arpa'];
/** Ports of other protocols, closed to HTTP as in browsers. Source: Fetch standard, "bad port". */
const BAD_PORTS = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135
  137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719
  1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`
    .split(/\s+/)
    .map(Number),
);

const refuse = (code: UrlProblem, message: string): UrlCheck => ({ ok: false, code, message });

/** What addresses may be reached. */
export interface Reach {
  /** Opens private names and addresses, never the cloud's metadata. */
  allowPrivateNetwork: boolean;
  /** Opens the ports of other protocols: for addresses the operator wrote, not for those of users, models or pages. */
  anyPort?: boolean;
}

/**
 * Checks an address before anything is resolved: http(s) only, no credentials, no port of another protocol, no private
 * name, no non-public or oddly spelled IP address. A name that passes must still have its resolved address checked (see `createGuard`).
 * The message never repeats the address.
 */
export function validateUrl(text: string, options: Reach): UrlCheck {
  const raw = text.trim();
  if (raw.length > MAX_URL_LENGTH) return refuse('invalid_url', 'The address is too long.');
  // The URL parser drops tabs and newlines and reads `\` as `/`: spellings only an attacker needs.
  if (/[\u0000-\u001f\u007f\\]/.test(raw))
    return refuse('invalid_url', 'The address has characters a URL cannot have.');
  const url = URL.parse(raw);
  if (!url) return refuse('invalid_url', 'The address is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return refuse('scheme_refused', 'Only http and https addresses can be fetched.');
  const authority = /^https?:\/\/([^/?#]+)/i.exec(raw)?.[1];
  if (authority === undefined) return refuse('invalid_url', 'The address is not a valid URL.');
  if (url.username || url.password || authority.includes('@'))
    return refuse('credentials_refused', 'An address with a user name or password in it is not fetched.');
  if (url.port && !options.anyPort && BAD_PORTS.has(Number(url.port)))
    return refuse('port_refused', `Port ${url.port} belongs to another protocol and is not fetched.`);
  const host = url.hostname.replace(/\.$/, '');
  if (!host || host.endsWith('.')) return refuse('invalid_url', 'The address has no valid host.');
  url.hostname = host;
  return checkHost(url, authority.replace(/:\d*$/, ''), options.allowPrivateNetwork);
}

function checkHost(url: URL, spelling: string, allowPrivateNetwork: boolean): UrlCheck {
  const host = url.hostname;
  const isV4 = /^[\d.]+$/.test(host);
  // Octal, hexadecimal, decimal, short, percent-encoded and full-width spellings all end up as this dotted quad.
  if (isV4 && spelling !== host) return refuse('address_refused', 'The IP address is spelled in an unusual way.');
  if (!allowPrivateNetwork && PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`)))
    return refuse('host_refused', 'The host name belongs to a private network.');
  const literal = isV4 ? host : hostToV6(host);
  if (literal !== undefined && !mayConnect(literal, allowPrivateNetwork))
    return refuse('address_refused', 'The address is not on the public internet.');
  return { ok: true, url };
}

/** The address between the brackets of an IPv6 host. */
export function hostToV6(host: string): string | undefined {
  return host.startsWith('[') ? host.slice(1, -1) : undefined;
}
