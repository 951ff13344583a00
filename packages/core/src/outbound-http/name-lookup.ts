import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { isLocalName } from './addresses.ts';

export interface NameLookupOptions {
  /** Name servers, `address` or `address:port`. Default: those of the system. */
  servers?: readonly string[];
  /** Names that the machine itself knows. */
  hostsFile?: string;
}

/** Every address of a host name. Gives up at the signal, with what is known by then. */
export type NameLookup = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

const systemHosts =
  process.platform === 'win32' ? `${process.env.SystemRoot ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts` : '/etc/hosts';

/** There is no such name, or it has no address: RFC 1035 and 2308. Anything else says nothing of the name. */
const unknown = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);
export const isUnknownName = (error: unknown): boolean => unknown.has((error as { code?: string }).code ?? '');

/**
 * Asks name servers directly. The system's own function can't be called off and runs in the few threads that files and ciphers need too:
 * some names whose servers never answer would stop the look-ups of everybody. Names that stay on the machine or its network, and those of
 * the hosts file, are looked up there.
 */
export function createNameLookup({ servers, hostsFile = systemHosts }: NameLookupOptions = {}): NameLookup {
  return async (host, signal) => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (isLocalName(name)) return (await lookup(name, { all: true })).map(({ address }) => address);
    const fixed = await addressesIn(hostsFile, name);
    if (fixed.length > 0) return fixed;
    // One for each name: its port is a new one, as against forged answers, and calling it off concerns nobody else.
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
