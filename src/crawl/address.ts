import ipaddr from 'ipaddr.js';

/** Public by registry, yet answered by the machine's own cloud (Azure's wire server). */
const METADATA_ADDRESSES = ['168.63.129.16'];
/** The only block IANA hands out as global unicast; everything else is unassigned or special. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True when `ip` (an address as a resolver prints it) is on the public internet. Private, loopback, link-local, CGNAT,
 * multicast, reserved, documentation and metadata addresses are not; nor is any IPv6 form that carries an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo), since it may lead anywhere. Source: IANA special-purpose registries.
 */
export function isPublicAddress(ip: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip))
    return ipaddr.IPv4.parse(ip).range() === 'unicast' && !METADATA_ADDRESSES.includes(ip);
  // A zone id (`fe80::1%eth0`) names an interface of this machine: never public.
  if (ip.includes('%') || !ipaddr.IPv6.isValid(ip)) return false;
  const address = ipaddr.IPv6.parse(ip);
  return address.range() === 'unicast' && address.match(GLOBAL_UNICAST_V6);
}
