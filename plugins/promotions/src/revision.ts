import { type Ctx, sql, uuidv7 } from '@storeloom/plugin-sdk';

/** Every process loads the tenant's promotions afresh. The revision is never one that was there before, also after a rollback. */
export async function changeRevision(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`
    insert into promotions_revision (tenant_id, revision) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())})
    on conflict (tenant_id) do update set revision = excluded.revision`);
}

/** Undefined: the shop never had a promotion. */
export async function readRevision(ctx: Ctx): Promise<string | undefined> {
  const row = await ctx.db.first<{ revision: string }>(
    sql`select revision from promotions_revision where tenant_id = ${ctx.tenant.id}`,
  );
  return row?.revision;
}
