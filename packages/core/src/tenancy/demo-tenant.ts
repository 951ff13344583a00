import type { Tx } from '@storeloom/data';
import { sql, type Tenants, uuidv7 } from '@storeloom/plugin-sdk';
import { createTenants } from './tenants.ts';

/** Creates a tenant on a plan with every plugin, without the limits of the licence: for a demo and for tests. Returns its id. */
export async function createDemoTenant(tx: Tx, now: string, values: Parameters<Tenants['create']>[0]): Promise<string> {
  await tx.db.run(
    sql`insert into core_plan (id, code, name, plugins, created_at, updated_at) values (${uuidv7()}, 'everything', 'Everything', '["*"]'::jsonb, ${now}, ${now}) on conflict (code) do nothing`,
  );
  const plan = await tx.db.first<{ id: string }>(sql`select id from core_plan where code = 'everything'`);
  const tenants = createTenants({
    platform: (fn) => fn(tx),
    now: () => now,
    forget: () => undefined,
    checkLimits: () => undefined,
  });
  return (await tenants.create({ ...values, planId: plan?.id ?? null })).id;
}
