import type { PricingContext } from '@storeloom/commerce';
import { type Ctx, sql, tableSql } from '@storeloom/plugin-sdk';
import { codeKey } from './code.ts';
import { type PromotionRow, promotion } from './promotion.ts';
import { type Rule, ruleOf } from './rule.ts';

const rulesByContext = new WeakMap<PricingContext, Promise<readonly Rule[]>>();

/** Automatic promotions of both stages, read once a pricing. May include promotions that haven't started or have ended. */
export function automaticRules(ctx: Ctx, context: PricingContext): Promise<readonly Rule[]> {
  let rules = rulesByContext.get(context);
  if (!rules) rulesByContext.set(context, (rules = currentAutomatic(ctx)));
  return rules;
}

/** The automatic promotions without a pricing context. */
export function currentAutomatic(ctx: Ctx): Promise<readonly Rule[]> {
  return ctx.remember('automatic', async () => {
    const rows = await ctx.db.rows<PromotionRow>(sql`
      select ${sql.raw(tableSql(promotion).select)} from promotions_promotion t
      where t.tenant_id = ${ctx.tenant.id} and t.enabled and not t.archived and not t.coded and (t.ends_at is null or t.ends_at > ${ctx.clock.now()})`);
    return rows.map(ruleOf);
  });
}

/** A code with its promotion. */
export interface CodeRule {
  rule: Rule;
  codeId: string;
  codeKey: string;
  /** Used by another order. */
  used: boolean;
  /** The only customer who may use it; null: any buyer. */
  customerId: string | null;
}

/** Returns the promotions of the codes, by code key. `orderId`: its own uses don't count. */
export async function rulesByCode(ctx: Ctx, codes: readonly string[], orderId: string | null): Promise<Map<string, CodeRule>> {
  if (codes.length === 0) return new Map();
  type Row = PromotionRow & Omit<CodeRule, 'rule'>;
  const rows = await ctx.db.rows<Row>(sql`
    select ${sql.raw(tableSql(promotion).select)}, c.id as "codeId", c.code_key as "codeKey", c.customer_id as "customerId",
      c.used_at is not null and not exists (select from promotions_usage u
        where u.tenant_id = c.tenant_id and u.promotion_id = c.promotion_id and u.order_id = ${orderId}::uuid and u.code_id = c.id and u.reverted_at is null) as used
    from promotions_code c join promotions_promotion t on t.tenant_id = c.tenant_id and t.id = c.promotion_id
    where c.tenant_id = ${ctx.tenant.id} and c.code_key = any(${codes.map(codeKey)}::text[]) and not c.archived`);
  return new Map(
    rows.map(({ codeId, codeKey: key, used, customerId, ...row }) => [
      key,
      { rule: ruleOf(row as PromotionRow), codeId, codeKey: key, used, customerId },
    ]),
  );
}

export function isLimited({
  usageLimit,
  usageLimitPerCustomer,
  budget,
}: Pick<Rule, 'usageLimit' | 'usageLimitPerCustomer' | 'budget'>): boolean {
  return usageLimit !== null || usageLimitPerCustomer !== null || budget !== null;
}

/** The uses of a limited promotion. */
export interface UsageCount {
  count: number;
  /** In the budget's currency. */
  amount: number;
  /** Uses by this buyer, identified by customer id or e-mail. */
  byBuyer: number;
}
/** The buyer whose uses are counted. Both null: unknown buyer. */
export interface Identity {
  customerId: string | null;
  emailHash: string | null;
}

export async function usageCounts(
  ctx: Ctx,
  ids: readonly string[],
  { customerId, emailHash }: Identity,
  orderId: string | null,
): Promise<Map<string, UsageCount>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<UsageCount & { id: string }>(sql`
    select t.id, t.used_count - (own.id is not null)::int as count, t.used_amount - coalesce(own.discount_amount, 0) as amount,
      (select count(*)::int8 from promotions_usage u where u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.reverted_at is null
        and u.id is distinct from own.id and (u.customer_id = ${customerId}::uuid or u.email_hash = ${emailHash}::text)) as "byBuyer"
    from promotions_promotion t left join promotions_usage own
      on own.tenant_id = t.tenant_id and own.promotion_id = t.id and own.order_id = ${orderId}::uuid and own.reverted_at is null
    where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ id, ...standing }) => [id, standing]));
}
