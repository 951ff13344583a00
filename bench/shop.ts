import { type DemoLogins, drivers, seedDemo } from '@storeloom/cli';
import { type Installation, type Kernel, prepare, readConfig } from '@storeloom/core';
import { request } from 'undici';

export const host = 'bench.localhost';
/** Where the buyers of all measurements live. */
export const address = {
  firstName: 'Ana',
  lastName: 'Pop',
  line1: 'Strada Lungă 1',
  city: 'Brașov',
  postalCode: '500001',
  country: 'RO',
};
/** The only tenant of a benchmark. */
export const benchTenant = {
  slug: 'bench',
  name: 'Bench',
  host,
  locales: ['ro', 'en'],
  currency: 'RON',
  timezone: 'Europe/Bucharest',
};

export interface BenchShop {
  kernel: Kernel;
  tenantId: string;
  /** Access token of a tenant's owner for the admin API; of the first tenant unless another position is given. */
  ownerToken(position?: number): Promise<string>;
}

/** Creates the tables and the tenant in the database of the environment, then calls `fill`. */
export async function fillShop<T>(installation: Installation, fill: (shop: BenchShop) => Promise<T>): Promise<T> {
  const prepared = await prepare(readConfig(process.env), installation, { drivers });
  const report = await prepared.migrate();
  if (report.exitCode !== 0) throw new Error(JSON.stringify(report.failed));
  const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
  try {
    const logins = await seedDemo(kernel, installation, prepared.dataDir, () => undefined);
    const tenantId = await kernel.database.withPlatform(
      async (tx) => (await tx.execute({ text: 'select id from core_tenant', values: [] })).rows[0]?.id as string,
    );
    return await fill({ kernel, tenantId, ownerToken: (position = 0) => signIn(kernel, logins, position) });
  } finally {
    await kernel.stop({ immediately: true });
  }
}

async function signIn(kernel: Kernel, { tenants }: DemoLogins, position: number): Promise<string> {
  const tenant = tenants[position];
  const { email, password } = tenant?.owner ?? {};
  const answer = await request(`http://127.0.0.1:${kernel.port}/api/auth/login`, {
    method: 'POST',
    headers: { host, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password, audience: 'admin' }),
  });
  const { accessToken } = (await answer.body.json()) as { accessToken: string };
  return accessToken;
}
