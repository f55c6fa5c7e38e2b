import ipaddr from 'ipaddr.js';

/** Where clouds answer with the credentials of the machine, outside the link-local blocks: Azure, Alibaba, Oracle, AWS. */
const METADATA_ADDRESSES = ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'];
/** The only block IANA hands out as global unicast; everything else is unassigned or special. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether `ip` may be connected to. A trusted network opens private addresses, but never link-local and metadata ones:
 * no document lives there, only the credentials of the machine.
 */
export function mayConnect(ip: string, allowPrivateNetwork: boolean): boolean {
  return allowPrivateNetwork ? !isMetadataAddress(ip) : isPublicAddress(ip);
}

function isMetadataAddress(ip: string): boolean {
  const [plain = ''] = ip.split('%', 1);
  if (!ipaddr.isValid(plain)) return false;
  // `process` reads an IPv4 address mapped into IPv6 as what it is.
  const address = ipaddr.process(plain);
  return address.range() === 'linkLocal' || METADATA_ADDRESSES.includes(address.toString());
}

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
