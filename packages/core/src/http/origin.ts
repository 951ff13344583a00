import type { IncomingMessage } from 'node:http';

const defaultPorts: ReadonlySet<string> = new Set(['80', '443']);

/** Returns the port of a Host header; empty for the default ports. */
function portOf(host: string | undefined): string {
  const port = /:(\d{1,5})$/.exec(host ?? '')?.[1] ?? '';
  return defaultPorts.has(port) ? '' : port;
}

/**
 * Whether an `Origin` is one of the hosts, at the port of the request and with its scheme. `https` is accepted on a request by `http` too,
 * since a proxy that ends TLS and isn't listed as trusted hides the scheme; `http` on a request by `https` never is.
 */
export function isOriginOf(origin: string, hosts: readonly string[], req: IncomingMessage, scheme: 'http' | 'https'): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  if (protocol !== 'https:' && protocol !== `${scheme}:`) return false;
  return hosts.includes(hostname) && port === portOf(req.headers.host);
}
