import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { isLocalName } from './addresses.ts';

export interface NameLookupOptions {
  /** Name servers, `address` or `address:port`. Default: those of the system. */
  servers?: readonly string[];
  /** Hosts file of the machine. */
  hostsFile?: string;
}

/** Returns every address of a host name; when the signal aborts, those found until then. */
export type NameLookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const systemHosts =
  process.platform === 'win32' ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';

/** The name doesn't exist or has no address (RFC 1035 and 2308). Other errors don't tell. */
const unknown = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
export const isUnknownName = (error: unknown): boolean => unknown.has((error as { code?: string }).code ?? '');

/**
 * Queries name servers directly. `getaddrinfo` can't be cancelled and runs in the thread pool that files and ciphers share: a few names
 * whose servers never respond would block every lookup. Local names, and those of the hosts file, are resolved by the system.
 */
export function createNameLookup({ servers, hostsFile = systemHosts }: NameLookupOptions = {}): NameLookup {
  return async (host, signal) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (isLocalName(name)) return (await lookup(name, { all: true })).map(({ address }) => address);
    const fixed = await addressesIn(hostsFile, name);
    if (fixed.length > 0) return fixed;
    // A resolver for each name: it uses a new port, against forged responses, and can be cancelled separately.
    const resolver = new Resolver({ timeout: 1000, tries: 3, maxTimeout: 2000 });
    if (servers) resolver.setServers(servers);
    const stop = (): void => resolver.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      const faults = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
      const fault = faults.find((each) => !isUnknownName(each)) ?? faults[0];
      if (found.length === 0 && fault) throw fault;
      return found;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
}

async function addressesIn(hostsFile: string, name: string): Promise<string[]> {
  let text: string;
  try {
    text = await readFile(hostsFile, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
  return text.split(/\r?\n/).flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    return isIP(address) !== 0 && names.includes(name) ? [address] : [];
  });
}
