import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

function within(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  return ranges.some((range) => {
    if (!range.includes('/')) return ipaddr.isValid(range) && ipaddr.process(range).toString() === ip.toString();
    const [network, bits] = ipaddr.parseCIDR(range);
    return network.kind() === ip.kind() && ip.match(network, bits);
  });
}

/** The caller's address. `X-Forwarded-For` counts only from a listed proxy: the last address that isn't one itself. */
export function ipOf(req: IncomingMessage, trustedProxies: readonly string[]): string | null {
  const peer = req.socket.remoteAddress;
  if (peer === undefined) return null;
  let address = ipaddr.process(peer).toString();
  if (!within(address, trustedProxies)) return address;
  const header = req.headers['x-forwarded-for'];
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => ipaddr.isValid(hop));
  while (hops.length > 0 && within(address, trustedProxies)) address = ipaddr.process(hops.pop() as string).toString();
  return address;
}
