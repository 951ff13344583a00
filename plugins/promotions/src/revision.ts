import { type Ctx, type Db, sql, uuidv7 } from '@storeloom/plugin-sdk';

/** Every process loads the tenant's promotions afresh. The revision is never one that was there before, also after a rollback. */
export async function changeRevision(ctx: Ctx): Promise<void> {
  ahead.delete(ctx.db);
  await ctx.db.run(sql`
    insert into promotions_revision (tenant_id, revision) values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())})
    on conflict (tenant_id) do update set revision = excluded.revision`);
}

const ahead = new WeakMap<Db, Promise<string | undefined>>();

/** A pricing run begins that will ask for the revision: so the question travels with the next statement. It serves one run. */
export function askRevision(ctx: Ctx): void {
  const asked = readRevision(ctx);
  // A failure is for whoever needs the answer.
  asked.catch(() => undefined);
  ahead.set(ctx.db, asked);
}
export function takeRevision(ctx: Ctx): Promise<string | undefined> {
  const asked = ahead.get(ctx.db);
  ahead.delete(ctx.db);
  return asked ?? readRevision(ctx);
}

/** Undefined: the shop never had a promotion. */
async function readRevision(ctx: Ctx): Promise<string | undefined> {
  const row = await ctx.db.first<{ revision: string }>(
    sql`select revision from promotions_revision where tenant_id = ${ctx.tenant.id}`,
  );
  return row?.revision;
}
