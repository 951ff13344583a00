import { type Ctx, type RawBuilder, sql } from '@storeloom/plugin-sdk';

interface RevertedUse {
  promotionId: string;
  codeId: string | null;
  amount: number;
  currency: string;
}

/** An order, or a sale outside checkout identified by its reference. */
export type ReleasedSale = { orderId: string } | { reference: string };

/**
 * Reverts the uses of a sale, each once: decrements counters and makes single-use codes available again. Skips promotions that
 * remain used after cancellation unless `all`. `promotionIds` limits it to these promotions.
 */
export async function release(
  ctx: Ctx,
  sale: ReleasedSale,
  options: { all: boolean; promotionIds?: readonly string[] },
): Promise<void> {
  const { all, promotionIds } = options;
  const tenant = ctx.tenant.id;
  const ofSale = 'orderId' in sale ? sql`u.order_id = ${sale.orderId}` : sql`u.reference = ${sale.reference}`;
  const onlyIds: RawBuilder<unknown> = promotionIds === undefined ? sql`` : sql`and t.id = any(${promotionIds}::uuid[])`;
  const found = await ctx.db.rows<{ id: string }>(sql`
    select t.id from promotions_promotion t
    where t.tenant_id = ${tenant} ${onlyIds} and (${all} or t.reusable_after_cancel) and exists (select from promotions_usage u
      where u.tenant_id = t.tenant_id and u.promotion_id = t.id and ${ofSale} and u.reverted_at is null)`);
  if (found.length === 0) return;
  await lockPromotions(
    ctx,
    found.map(({ id }) => id),
  );
  const now = ctx.clock.now();
  const reverted = await ctx.db.rows<RevertedUse>(sql`
    update promotions_usage u set reverted_at = ${now}, updated_at = ${now}, version = version + 1
    where tenant_id = ${tenant} and ${ofSale} and promotion_id = any(${found.map(({ id }) => id)}::uuid[]) and reverted_at is null
    returning promotion_id as "promotionId", code_id as "codeId", discount_amount as amount, discount_currency as currency`);
  if (reverted.length === 0) return;
  await ctx.db.run(sql`
    update promotions_promotion t set used_count = t.used_count - 1,
      used_amount = t.used_amount - case when t.budget_currency = x.currency then x.amount else 0 end
    from unnest(${reverted.map(({ promotionId }) => promotionId)}::uuid[], ${reverted.map(({ amount }) => amount)}::int8[], ${reverted.map(({ currency }) => currency)}::text[])
      as x (id, amount, currency)
    where t.tenant_id = ${tenant} and t.id = x.id and t.limited`);
  await ctx.db.run(sql`
    update promotions_code set used_at = null, updated_at = ${now}, version = version + 1
    where tenant_id = ${tenant} and id = any(${reverted.flatMap(({ codeId }) => codeId ?? [])}::uuid[]) and not shared`);
}

/** Locks promotions in id order, as every flow does. Unlimited ones take a share lock, so that orders don't wait for each other. */
export async function lockPromotions(ctx: Ctx, ids: readonly string[]): Promise<void> {
  const found = await ctx.db.rows<{ id: string; limited: boolean }>(
    sql`select id, limited from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = any(${ids}::uuid[]) order by id`,
  );
  for (const { id, limited } of found) {
    const strength = limited ? sql`for no key update` : sql`for share`;
    await ctx.db.run(sql`select 1 from promotions_promotion where tenant_id = ${ctx.tenant.id} and id = ${id} ${strength}`);
  }
}
