import ipaddr from 'ipaddr.js';

/** Public by number, but the inside of a cloud all the same (metadata and host services of providers). */
const metadata = new Set(['168.63.129.16', '192.0.0.192', '100.100.100.200', 'fd00:ec2::254']);

/** Only 2000::/3 is routed on the internet; what else looks like unicast (site-local, IPv4-compatible, local NAT64) is not. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Why nobody of ours may connect to an address; undefined for a public one. Takes the canonical form that a resolver or the URL parser
 * gives, with or without brackets.
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

/** Names that never leave a network: RFC 6761, 6762, 7686, 8375, 9476, ICANN's `.internal`, and what home routers use. */
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

/** A name without a dot, or under a local suffix. */
export function isLocalName(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return !name.includes('.') || localSuffixes.some((suffix) => name.endsWith(`.${suffix}`));
}
