import { type LicenceView, Problem } from '@storeloom/plugin-sdk';

type Terms = Pick<LicenceView, 'state' | 'limits' | 'domains'>;

/** What an installation would have after a change. Limits apply to changes only: existing tenants and hosts stay. */
export interface Usage {
  /** Number of tenants that aren't terminated, if one is added. */
  tenants?: number;
  /** Number of shops open to shoppers, if one is added. */
  stores?: number;
  /** New hosts. */
  hosts?: readonly string[];
}

/** Checks a change against the licence. @throws Problem 403 `license_required` with the exceeded limit */
export function checkLimits({ state, limits, domains }: Terms, { tenants, stores, hosts = [] }: Usage): void {
  const refuse = (detail: string): never => {
    throw new Problem('license_required', { detail });
  };
  if (tenants !== undefined && (state === 'expired' || state === 'revoked' || state === 'none'))
    refuse(`The licence is ${state} and allows no new tenant.`);
  if (tenants !== undefined && limits.tenants !== undefined && tenants > limits.tenants)
    refuse(`The licence allows ${limits.tenants} tenants.`);
  if (stores !== undefined && limits.stores !== undefined && stores > limits.stores)
    refuse(`The licence allows ${limits.stores} open shops.`);
  const strange = hosts.find((host) => domains.length > 0 && !local(host) && !domains.some((domain) => within(host, domain)));
  if (strange !== undefined) refuse(`The licence covers ${domains.join(', ')}, but not ${strange}.`);
}

/** A domain covers itself and its subdomains. */
function within(host: string, domain: string): boolean {
  const own = domain
    .trim()
    .toLowerCase()
    .replace(/^\*\.|\.$/g, '');
  return host === own || host.endsWith(`.${own}`);
}
/** Names of the machine itself. */
const local = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '127.0.0.1' || host === '[::1]';
