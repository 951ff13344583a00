import { service } from '@storeloom/plugin-sdk';
import type { InstallationOptions } from '../installation.ts';
import type { Lifetime } from '../lifetime.ts';
import { print, say } from '../output.ts';
import { asPlatform, openBeside } from '../platform.ts';

interface Tenant {
  slug: string;
  name: string;
  status: string;
  hosts: string[];
}
/** The service of plugin platform; equal by id to the token in its contract. */
interface TenantOperations {
  create(tenant: {
    name: string;
    slug: string;
    hosts: readonly string[];
    ownerEmail: string;
    plan?: string | undefined;
    nichePackage?: string | undefined;
  }): Promise<Tenant>;
  list(): Promise<Tenant[]>;
  changeHosts(slug: string, change: (hosts: readonly string[]) => string[]): Promise<Tenant>;
}
const tenantOperations = service<TenantOperations>('platform:tenant-operations');

interface TenantOptions extends InstallationOptions {
  json?: boolean;
}

async function withTenants<T>(
  options: TenantOptions,
  life: Lifetime,
  work: (tenants: TenantOperations) => Promise<T>,
): Promise<T> {
  return asPlatform(await openBeside(options, life), life, (ctx) => work(ctx.require(tenantOperations)));
}

const line = ({ slug, status, hosts, name }: Tenant): string =>
  `${slug.padEnd(20)} ${status.padEnd(12)} ${hosts.join(', ')}  ${name}`;

/** Exit codes: 0 · 1 refused, nothing is created · 4 the licence allows no further tenant. */
export async function tenantCreate(
  options: TenantOptions & { slug: string; name: string; host: string[]; owner: string; plan?: string; niche?: string },
  life: Lifetime,
): Promise<number> {
  const { slug, name, host, owner, plan, niche } = options;
  const made = await withTenants(options, life, (tenants) =>
    tenants.create({ slug, name, hosts: host, ownerEmail: owner, plan, nichePackage: niche }),
  );
  if (options.json) print(made);
  else {
    print(`created ${slug} on ${made.hosts.join(', ')}`);
    print(`${owner} gets an invitation by e-mail`);
  }
  return 0;
}

export async function tenantList(options: TenantOptions, life: Lifetime): Promise<number> {
  const all = await withTenants(options, life, (tenants) => tenants.list());
  if (options.json) print(all);
  else for (const tenant of all) print(line(tenant));
  return 0;
}

const same = (host: string) => (other: string) => other.toLowerCase() === host.toLowerCase();

export async function domainAdd(slug: string, host: string, options: TenantOptions, life: Lifetime): Promise<number> {
  const tenant = await withTenants(options, life, (tenants) =>
    tenants.changeHosts(slug, (hosts) => (hosts.some(same(host)) ? [...hosts] : [...hosts, host])),
  );
  print(options.json ? tenant : line(tenant));
  return 0;
}

/** Exit codes: 0 · 1 the shop doesn't have the host, or it is its only one. */
export async function domainRemove(slug: string, host: string, options: TenantOptions, life: Lifetime): Promise<number> {
  let refusal: string | undefined;
  const tenant = await withTenants(options, life, (tenants) =>
    tenants.changeHosts(slug, (hosts) => {
      if (!hosts.some(same(host))) refusal = `${slug} doesn't have the host ${host}: it has ${hosts.join(', ')}`;
      else if (hosts.length === 1) refusal = `${host} is the only host of ${slug}: add another one first`;
      return refusal === undefined ? hosts.filter((each) => !same(host)(each)) : [...hosts];
    }),
  );
  if (refusal !== undefined) {
    say(refusal);
    return 1;
  }
  print(options.json ? tenant : line(tenant));
  return 0;
}
