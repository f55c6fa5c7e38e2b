import { type DeliveryFailure, refusal } from './failure.ts';
import { isHttpUrl } from './http.ts';

/** An address that a route names. */
export interface RouteAddress {
  /** Name of the target, for errors. */
  target: string;
  /** As the route's owner wrote it; undefined when that is not known, so all of it may come from an event. */
  template: string | undefined;
  /** With the values of the event. */
  rendered: string;
  /** Hosts an event may choose, `host` or `host:port`. */
  allowedHosts: readonly string[];
}

/** Scheme and host before the first placeholder, ended by what ends a host. */
const FIXED_ORIGIN = /^https?:\/\/[^\s/?#\\@{}]+(?=[/?#])/i;

/**
 * The address to call. An event may fill in what follows a host its owner wrote (below the path he wrote), and may choose
 * a host only when it is listed: else whoever sends the event says who is called, in this network too.
 */
export function routeAddress(address: RouteAddress): string | DeliveryFailure {
  const { target, template, rendered } = address;
  const refuse = (reason: string) =>
    refusal('target_bad_destination', `The url of delivery target '${target}' ${reason}.`);
  if (!isHttpUrl(rendered)) return refuse('must be an http or https address');
  if (template === rendered && !template.includes('{')) return rendered;
  const url = new URL(rendered);
  if (url.username || url.password) return refuse('cannot have a user name or password beside values of an event');
  const isFixed = template !== undefined && FIXED_ORIGIN.test(template);
  const fixed = isFixed ? URL.parse(template.slice(0, template.indexOf('{'))) : null;
  if (!fixed) {
    if (isListed(url, address.allowedHosts)) return rendered;
    return refuse(
      'takes its host from the event; write scheme and host into the route, or list the host in platforms.outgoing_webhook.allowed_hosts',
    );
  }
  const folder = fixed.pathname.slice(0, fixed.pathname.lastIndexOf('/') + 1);
  if (url.origin === fixed.origin && url.pathname.startsWith(folder)) return rendered;
  return refuse('would leave the host or path that the route names');
}

/** Whether scheme and host of a template are its owner's, so that no event can choose who is called. */
export function hasFixedHost(template: string): boolean {
  return !template.includes('{') || FIXED_ORIGIN.test(template.trim());
}

/** An entry without a port means the scheme's own. */
function isListed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((host) => host.trim().toLowerCase() === url.host);
}
