import { type LicenceView, Problem } from '@storeloom/plugin-sdk';

type Terms = Pick<LicenceView, 'state' | 'limits' | 'domains'>;

/** What an installation would have after a change. Only a change is judged: what there is goes on, whatever the licence says later. */
export interface Rooms {
  /** One more tenant: of how many that aren't terminated. */
  tenants?: number;
  /** One more shop that is open to shoppers: of how many. */
  stores?: number;
  /** Hosts that a shop hasn't had. */
  hosts?: readonly string[];
}

/** @throws Problem `license_required`, which says what the licence has no room for */
export function requireRoom({ state, limits, domains }: Terms, { tenants, stores, hosts = [] }: Rooms): void {
  const refuse = (detail: string): never => {
    throw new Problem('license_required', { detail });
  };
  if (tenants !== undefined && (state === 'expired' || state === 'revoked' || state === 'none'))
    refuse(`The licence is ${state}: it takes no new tenant.`);
  if (tenants !== undefined && limits.tenants !== undefined && tenants > limits.tenants)
    refuse(`The licence covers ${limits.tenants} tenants.`);
  if (stores !== undefined && limits.stores !== undefined && stores > limits.stores)
    refuse(`The licence covers ${limits.stores} open shops.`);
  const strange = hosts.find((host) => domains.length > 0 && !local(host) && !domains.some((domain) => within(host, domain)));
  if (strange !== undefined) refuse(`The licence covers ${domains.join(', ')}, and not ${strange}.`);
}

/** A domain covers itself and what is below it. */
function within(host: string, domain: string): boolean {
  const own = domain
    .trim()
    .toLowerCase()
    .replace(/^\*\.|\.$/g, '');
  return host === own || host.endsWith(`.${own}`);
}
/** Names that lead nowhere but to the machine itself. */
const local = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';
