import { version } from '@storeloom/core';
import { service, sql } from '@storeloom/plugin-sdk';
import { type InstallationOptions, open } from './installation.ts';
import type { Lifetime } from './lifetime.ts';
import { print, say } from './output.ts';
import { type Probe, smokeRoutes } from './release/probe-report.ts';

/** Service of identity, by its id: the command has no dependency on a plugin. */
const accounts = service<{ checkToken(): Promise<string | undefined> }>('identity:accounts');

/**
 * Boots this release on the present database without a port and without jobs, prints a `Probe`, and stops: shows that the release starts,
 * before processes are replaced. `signIn`: opens an owner's session for the smoke test, which the audit log records. Exit codes as of `start`.
 */
export async function probe({ signIn, ...options }: InstallationOptions & { signIn?: boolean }, life: Lifetime): Promise<number> {
  const prepared = await open(options, life, say, { logToStderr: true, logLevel: 'warn', beside: true });
  const kernel = await prepared.start({ workers: false, listens: false });
  life.onEnd(() => kernel.stop({ immediately: true }));
  const tenant = await kernel.database.withPlatform(
    (tx) =>
      tx.db.first<{ id: string; host: string }>(sql`select t.id, h.host from core_tenant t join core_host h on h.tenant_id = t.id
        where t.status in ('trial', 'active', 'past_due') order by t.created_at, h.position limit 1`),
    { readOnly: true },
  );
  let shop: Probe['shop'] = null;
  if (tenant) {
    // An installation without identity serves no admin route.
    const adminToken =
      signIn && kernel.registry.byName.has('identity')
        ? await kernel.inTenant(tenant.id, 'identity', (ctx) => ctx.require(accounts).checkToken())
        : undefined;
    shop = { host: tenant.host, adminToken: adminToken ?? null };
  }
  const mounted = new Set<string>(kernel.routes.map(({ path }) => path));
  print({
    version,
    plugins: kernel.registry.states().map(({ name, version: own, state }) => ({ name, version: own, state })),
    shop,
    routes: smokeRoutes.filter((path) => mounted.has(path)),
  } satisfies Probe);
  return 0;
}
