import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import ipaddr from 'ipaddr.js';

/** Whether an address is in one of the ranges. */
export function isTrusted(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  return ranges.some((range) => {
    if (!range.includes('/')) return ipaddr.isValid(range) && ipaddr.process(range).toString() === ip.toString();
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === ip.kind() && ip.match(network, bits);
  });
}

/** Peer address by socket: it is the same for all requests of a connection. */
const peers = new WeakMap<Socket, string>();
function peerOf(socket: Socket | null): string | null {
  // A destroyed request has none.
  if (socket === null) return null;
  let peer = peers.get(socket);
  if (peer === undefined) {
    if (socket.remoteAddress === undefined) return null;
    peer = ipaddr.process(socket.remoteAddress).toString();
    peers.set(socket, peer);
  }
  return peer;
}

/** Returns the caller's address. `X-Forwarded-For` counts only from a trusted proxy: its last address that isn't a trusted proxy. */
export function ipOf(req: IncomingMessage, trustedProxies: readonly string[]): string | null {
  const peer = peerOf(req.socket);
  if (peer === null || trustedProxies.length === 0 || !isTrusted(peer, trustedProxies)) return peer;
  let address = peer;
  const header = req.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => ipaddr.isValid(hop));
  while (hops.length > 0 && isTrusted(address, trustedProxies)) address = ipaddr.process(hops.pop() as string).toString();
  return address;
}

/** Returns the scheme that the client used. `X-Forwarded-Proto` counts only from a trusted proxy. */
export function schemeOf(req: IncomingMessage, trustedProxies: readonly string[]): 'http' | 'https' {
  const own = (req.socket as Partial<TLSSocket> | null)?.encrypted === true ? 'https' : 'http';
  const header = req.headers['x-forwarded-proto'];
  const peer = header === undefined || trustedProxies.length === 0 ? null : peerOf(req.socket);
  if (peer === null || !isTrusted(peer, trustedProxies)) return own;
  // The last one: earlier ones may come from the client.
  const last = String(header).split(',').at(-1)?.trim().toLowerCase();
  return last === 'https' || last === 'http' ? last : own;
}

/** Addresses count by network, since a caller owns more than one: IPv4 by /24, IPv6 by /64. */
export function networkOf(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return `${address.toByteArray().slice(0, 3).join('.')}.0/24`;
  return `${(address as ipaddr.IPv6).parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** One visitor: an IPv4 address, or an IPv6 network, of which a visitor owns all addresses. */
export function addressOf(ip: string | null): string {
  if (ip === null || !ipaddr.isValid(ip)) return 'unknown';
  const address = ipaddr.process(ip);
  return address.kind() === 'ipv4' ? address.toString() : networkOf(ip);
}
