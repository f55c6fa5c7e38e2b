import ipaddr from 'ipaddr.js';

/** Where clouds answer with the credentials of the machine, outside the link-local blocks: Azure, Alibaba, Oracle. */
const METADATA_V4 = ['168.63.129.16', '100.100.100.200', '192.0.0.192'];
/** The link-local ones by name, for forms of IPv6 in which a whole link-local block would catch honest addresses. */
const WELL_KNOWN_V4 = [...METADATA_V4, '169.254.169.254', '169.254.170.2', '169.254.170.23'];
/** The same in IPv6: AWS (metadata, DNS, pod identity), Google, Scaleway. */
const METADATA_V6 = ['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:42::42/128'].map((block) =>
  ipaddr.IPv6.parseCIDR(block),
);
/** Blocks whose addresses stand for IPv4 ones (IANA): compatible, mapped, translated, NAT64, 6to4, Teredo. */
const TRANSLATED = ['::/96', '::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/32', '2002::/16', '2001::/32'].map(
  (block) => ipaddr.IPv6.parseCIDR(block),
);
/** The only block IANA hands out as global unicast; everything else is unassigned or special. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether `ip` may be connected to. A trusted network opens private addresses, but never link-local and metadata ones,
 * however they are spelled: no document lives there, only the credentials of the machine.
 */
export function mayConnect(ip: string, allowPrivateNetwork: boolean): boolean {
  return allowPrivateNetwork ? !isMetadataAddress(ip) : isPublicAddress(ip);
}

function isMetadataAddress(ip: string): boolean {
  const [plain = ''] = ip.split('%', 1);
  if (ipaddr.IPv4.isValidFourPartDecimal(plain)) return isMetadataV4(ipaddr.IPv4.parse(plain));
  if (!ipaddr.IPv6.isValid(plain)) return false;
  const address = ipaddr.IPv6.parse(plain);
  if (address.range() === 'linkLocal' || METADATA_V6.some((block) => address.match(block))) return true;
  if (hidesMetadata(address)) return true;
  const isTranslated = TRANSLATED.some((block) => address.match(block)) || isIsatap(address);
  return isTranslated && carriedV4(address).some(isMetadataV4);
}

function isMetadataV4(address: ipaddr.IPv4): boolean {
  return address.range() === 'linkLocal' || METADATA_V4.includes(address.toString());
}

/** A gateway may translate under a prefix of its own (RFC 6052): a well-known metadata address at the end tells it. */
function hidesMetadata(address: ipaddr.IPv6): boolean {
  return WELL_KNOWN_V4.includes(new ipaddr.IPv4(address.toByteArray().slice(12)).toString());
}

/** ISATAP (RFC 5214): the interface identifier is `[02]00:5efe` and an IPv4 address, under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [u, zero, a, b] = address.toByteArray().slice(8, 12);
  return (u === 0 || u === 2) && zero === 0 && a === 0x5e && b === 0xfe;
}

/** Every IPv4 address a translated form can mean: at the end, in 6to4, Teredo's two, and RFC 6052 with shorter prefixes. */
function carriedV4(address: ipaddr.IPv6): ipaddr.IPv4[] {
  const bytes = address.toByteArray();
  const places = [
    [12, 13, 14, 15],
    [2, 3, 4, 5],
    [4, 5, 6, 7],
    [5, 6, 7, 9],
    [6, 7, 9, 10],
    [7, 9, 10, 11],
    [9, 10, 11, 12],
  ];
  const plain = places.map((place) => place.map((index) => bytes[index] ?? 0));
  // Teredo (RFC 4380) writes the client's address with every bit turned.
  return [...plain, bytes.slice(12).map((byte) => byte ^ 0xff)].map((four) => new ipaddr.IPv4(four));
}

/**
 * True when `ip` (an address as a resolver prints it) is on the public internet. Private, loopback, link-local, CGNAT,
 * multicast, reserved, documentation and metadata addresses are not; nor is any IPv6 form that carries an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo, ISATAP), since it may lead anywhere. Source: IANA special-purpose registries.
 */
export function isPublicAddress(ip: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(ip))
    return ipaddr.IPv4.parse(ip).range() === 'unicast' && !METADATA_V4.includes(ip);
  // A zone id (`fe80::1%eth0`) names an interface of this machine: never public.
  if (ip.includes('%') || !ipaddr.IPv6.isValid(ip)) return false;
  const address = ipaddr.IPv6.parse(ip);
  return (
    address.range() === 'unicast' && address.match(GLOBAL_UNICAST_V6) && !isIsatap(address) && !hidesMetadata(address)
  );
}
