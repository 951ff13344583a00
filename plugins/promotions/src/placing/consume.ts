import { type Ctx, type MoneyValue, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { promotionEvents } from '../events.ts';
import { limitReason } from '../pricing/offers.ts';
import type { Identity } from '../promotion/load.ts';
import { inactiveReason, type Reason, type Rule } from '../promotion/rule.ts';

/** A promotion used by a sale. */
export interface PromotionUse {
  promotionId: string;
  name: string;
  /** The code as entered, and its row. */
  code: string | null;
  codeId: string | null;
  discount: MoneyValue;
  /** `discount` in the shop's currency. */
  baseDiscount: MoneyValue;
}
export interface Sale {
  /** Exactly one of `orderId` and `reference` is set. */
  orderId: string | null;
  reference: string | null;
  buyer: Identity;
}
export interface LostPromotion {
  use: PromotionUse;
  reason: Reason;
}

/** Sorts by promotion id, the lock order of all flows. */
export function sortByPromotion<T extends { promotionId: string }>(uses: readonly T[]): T[] {
  return [...uses].sort((a, b) => (a.promotionId < b.promotionId ? -1 : a.promotionId > b.promotionId ? 1 : 0));
}

/**
 * Counts the uses of a sale, each promotion under its row lock, where limits, budget, dates and codes are checked. Returns the
 * first promotion that can't be used; the caller must then roll back. Idempotent for a sale.
 */
export async function consume(ctx: Ctx, sale: Sale, uses: readonly PromotionUse[]): Promise<LostPromotion | undefined> {
  for (const use of sortByPromotion(uses)) {
    const reason = await consumePromotion(ctx, sale, use);
    if (reason) return { use, reason };
  }
  return undefined;
}

async function consumePromotion(ctx: Ctx, sale: Sale, use: PromotionUse): Promise<Reason | undefined> {
  if (!(await insertUse(ctx, sale, use))) return undefined;
  const counters = (await useUnlimited(ctx, use)) ?? (await useLimited(ctx, use));
  if (!counters) return reasonUnavailable(ctx, use);
  if (counters.usageLimitPerCustomer !== null && (await countUses(ctx, use, sale.buyer)) > counters.usageLimitPerCustomer)
    return 'coupon_customer_limit';
  if (use.codeId !== null && !(await useCode(ctx, use.codeId, sale.buyer)))
    return reasonCodeUnavailable(ctx, use.codeId, sale.buyer);
  const isUsedUp = counters.usageLimit !== null && counters.usedCount >= counters.usageLimit;
  const isSpent = counters.budget !== null && counters.usedAmount >= counters.budget;
  if (isUsedUp || isSpent) {
    const data = { id: use.promotionId, name: counters.name, reason: isUsedUp ? 'usage_limit' : 'budget' } as const;
    await ctx.emit(promotionEvents.exhausted, { id: use.promotionId, data });
  }
  return undefined;
}

/** Inserts the use, or restores it if it was reverted. Returns false if it counts already. */
async function insertUse(ctx: Ctx, { orderId, reference, buyer }: Sale, use: PromotionUse): Promise<boolean> {
  const now = ctx.clock.now();
  const key = orderId === null ? sql`(tenant_id, promotion_id, reference)` : sql`(tenant_id, promotion_id, order_id)`;
  const { discount, baseDiscount } = use;
  const claimed = await ctx.db.run(sql`
    insert into promotions_usage as t (tenant_id, id, promotion_id, order_id, reference, customer_id, email_hash, code_id, code,
      discount_amount, discount_currency, base_discount_amount, base_discount_currency, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${use.promotionId}, ${orderId}, ${reference}, ${buyer.customerId}, ${buyer.emailHash},
      ${use.codeId}, ${use.code}, ${discount.amount}, ${discount.currency}, ${baseDiscount.amount}, ${baseDiscount.currency}, ${now}, ${now})
    on conflict ${key} do update set reverted_at = null, code_id = excluded.code_id, code = excluded.code,
      discount_amount = excluded.discount_amount, discount_currency = excluded.discount_currency,
      base_discount_amount = excluded.base_discount_amount, base_discount_currency = excluded.base_discount_currency,
      updated_at = excluded.updated_at, version = t.version + 1
      where t.reverted_at is not null`);
  return claimed === 1;
}

interface Counters {
  name: string;
  usageLimit: number | null;
  usageLimitPerCustomer: number | null;
  usedCount: number;
  usedAmount: number;
  budget: number | null;
}
const counterColumns = sql`t.name, t.usage_limit as "usageLimit", t.usage_limit_per_customer as "usageLimitPerCustomer", t.used_count as "usedCount",
  t.used_amount as "usedAmount", t.budget_amount as budget`;

function isLive(ctx: Ctx, { promotionId }: PromotionUse) {
  const now = ctx.clock.now();
  return sql`t.tenant_id = ${ctx.tenant.id} and t.id = ${promotionId} and t.enabled and not t.archived
    and (t.starts_at is null or t.starts_at <= ${now}) and (t.ends_at is null or t.ends_at > ${now})`;
}

/** A share lock is enough without limits, so that orders don't wait for each other. */
function useUnlimited(ctx: Ctx, use: PromotionUse): Promise<Counters | undefined> {
  return ctx.db.first<Counters>(
    sql`select ${counterColumns} from promotions_promotion t where ${isLive(ctx, use)} and not t.limited for share`,
  );
}

/** The conditions of this update enforce usage limit and budget. */
function useLimited(ctx: Ctx, use: PromotionUse): Promise<Counters | undefined> {
  const { amount, currency } = use.discount;
  return ctx.db.first<Counters>(sql`
    update promotions_promotion t set used_count = t.used_count + 1, used_amount = t.used_amount + case when t.budget_amount is null then 0 else ${amount}::int8 end
    where ${isLive(ctx, use)} and t.limited and (t.usage_limit is null or t.used_count < t.usage_limit)
      and (t.budget_amount is null or (t.budget_currency = ${currency} and t.used_amount + ${amount}::int8 <= t.budget_amount))
    returning ${counterColumns}`);
}

async function reasonUnavailable(ctx: Ctx, use: PromotionUse): Promise<Reason> {
  const row = await ctx.db.first<Pick<Rule, 'enabled' | 'archived' | 'startsAt' | 'endsAt'>>(sql`
    select enabled, archived, starts_at as "startsAt", ends_at as "endsAt" from promotions_promotion
    where tenant_id = ${ctx.tenant.id} and id = ${use.promotionId}`);
  return row ? (inactiveReason(row, ctx.clock.now()) ?? 'coupon_usage_limit') : 'coupon_not_found';
}

/** Counts the buyer's uses including this sale, under the promotion's row lock. */
async function countUses(ctx: Ctx, { promotionId }: PromotionUse, { customerId, emailHash }: Identity): Promise<number> {
  const row = await ctx.db.first<{ n: number }>(sql`
    select count(*)::int8 as n from promotions_usage where tenant_id = ${ctx.tenant.id} and promotion_id = ${promotionId} and reverted_at is null
      and (customer_id = ${customerId}::uuid or email_hash = ${emailHash}::text)`);
  return row?.n ?? 0;
}

/** A shared code must still exist. A single-use code must be unused, and a personal one must belong to the buyer. */
async function useCode(ctx: Ctx, codeId: string, { customerId }: Identity): Promise<boolean> {
  const code = sql`tenant_id = ${ctx.tenant.id} and id = ${codeId} and not archived`;
  if (await ctx.db.first(sql`select 1 as x from promotions_code where ${code} and shared for share`)) return true;
  const now = ctx.clock.now();
  const taken = await ctx.db.run(sql`
    update promotions_code set used_at = ${now}, updated_at = ${now}, version = version + 1
    where ${code} and not shared and used_at is null and (customer_id is null or customer_id = ${customerId}::uuid)`);
  return taken === 1;
}

async function reasonCodeUnavailable(ctx: Ctx, codeId: string, { customerId }: Identity): Promise<Reason> {
  const row = await ctx.db.first<{ used: boolean; customerId: string | null }>(
    sql`select used_at is not null as used, customer_id as "customerId" from promotions_code where tenant_id = ${ctx.tenant.id} and id = ${codeId} and not archived`,
  );
  if (!row) return 'coupon_not_found';
  return !row.used && row.customerId !== null && row.customerId !== customerId ? 'coupon_not_eligible' : 'coupon_usage_limit';
}

/** Checks without writing or locking which promotions `consume` would refuse now. */
export async function findLost(ctx: Ctx, buyer: Identity, uses: readonly PromotionUse[]): Promise<LostPromotion[]> {
  if (uses.length === 0) return [];
  type Row = Counters & {
    id: string;
    live: boolean;
    byBuyer: number;
    codeRemoved: boolean;
    codeUsed: boolean;
    codeCustomer: string | null;
  };
  const ids = uses.map(({ promotionId }) => promotionId);
  const codes = uses.map(({ codeId }) => codeId);
  const now = ctx.clock.now();
  const rows = await ctx.db.rows<Row>(sql`
    select x.id, ${counterColumns}, t.id is not null and t.enabled and not t.archived and (t.starts_at is null or t.starts_at <= ${now})
        and (t.ends_at is null or t.ends_at > ${now}) as live,
      x.code_id is not null and (c.id is null or c.archived) as "codeRemoved", coalesce(not c.shared and c.used_at is not null, false) as "codeUsed", c.customer_id as "codeCustomer",
      (select count(*)::int8 from promotions_usage u where u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.reverted_at is null
        and (u.customer_id = ${buyer.customerId}::uuid or u.email_hash = ${buyer.emailHash}::text)) as "byBuyer"
    from unnest(${ids}::uuid[], ${codes}::uuid[]) as x (id, code_id)
    left join promotions_promotion t on t.tenant_id = ${ctx.tenant.id} and t.id = x.id
    left join promotions_code c on c.tenant_id = ${ctx.tenant.id} and c.id = x.code_id`);
  const lost: LostPromotion[] = [];
  for (const use of uses) {
    const row = rows.find(({ id }) => id === use.promotionId);
    const reason = row ? await lossReason(ctx, use, row, buyer) : 'coupon_not_found';
    if (reason) lost.push({ use, reason });
  }
  return lost;
}

async function lossReason(
  ctx: Ctx,
  use: PromotionUse,
  row: Counters & { live: boolean; byBuyer: number; codeRemoved: boolean; codeUsed: boolean; codeCustomer: string | null },
  buyer: Identity,
): Promise<Reason | undefined> {
  if (!row.live) return reasonUnavailable(ctx, use);
  if (row.codeRemoved) return 'coupon_not_found';
  if (row.codeUsed) return 'coupon_usage_limit';
  if (row.codeCustomer !== null && row.codeCustomer !== buyer.customerId) return 'coupon_not_eligible';
  const budget = row.budget === null ? null : { amount: row.budget, currency: use.discount.currency };
  const limits = { usageLimit: row.usageLimit, usageLimitPerCustomer: row.usageLimitPerCustomer, budget };
  const reason = limitReason(limits, { count: row.usedCount, amount: row.usedAmount, byBuyer: row.byBuyer });
  if (reason) return reason;
  return row.budget !== null && row.usedAmount + use.discount.amount > row.budget ? 'coupon_usage_limit' : undefined;
}
