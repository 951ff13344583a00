import ipaddr from 'ipaddr.js';

/** Public addresses that are internal to a cloud (metadata and host services of providers). */
const metadata = new Set(['168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254']);

/** Only 2000::/3 is routed on the internet; other unicast ranges (site-local, IPv4-compatible, local NAT64) are not. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Returns why connecting to an address is not allowed; undefined for a public one. Accepts the canonical form of a resolver or the URL
 * parser, with or without brackets.
 */
export function addressRefusal(text: string): string | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!ipaddr.isValid(bare)) return 'no address';
  const address = ipaddr.parse(bare);
  const range: string = address.range();
  if (range !== 'unicast') return range;
  if (metadata.has(address.toString())) return 'metadata';
  if (address.kind() === 'ipv6' && !(address as ipaddr.IPv6).match(globalUnicast)) return 'reserved';
  return undefined;
}

export function isLoopback(text: string): boolean {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback';
}

/** Suffixes of local names: RFC 6761, 6762, 7686, 8375, 9476, ICANN's `.internal`, and those of home routers. */
const localSuffixes = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'invalid',
  'onion',
  'alt',
];

/** Returns true for a name without a dot, or with a local suffix. */
export function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return !name.includes('.') || localSuffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
