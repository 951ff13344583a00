import type { PricingContext } from '@storeloom/commerce';
import { type Ctx, sql, tableSql } from '@storeloom/plugin-sdk';
import { codeKey } from './code.ts';
import { type PromotionRow, promotion } from './promotion.ts';
import { type Rule, ruleOf } from './rule.ts';

const ofContext = new WeakMap<PricingContext, Promise<readonly Rule[]>>();

/** Automatic promotions of both stages, read once a pricing. Those that haven't begun, or are over, may be among them. */
export function automaticRules(ctx: Ctx, context: PricingContext): Promise<readonly Rule[]> {
  let rules = ofContext.get(context);
  if (!rules) ofContext.set(context, (rules = currentAutomatic(ctx)));
  return rules;
}

/** The same without a pricing. */
export function currentAutomatic(ctx: Ctx): Promise<readonly Rule[]> {
  return ctx.remember('automatic', async () => {
    const rows = await ctx.db.rows<PromotionRow>(sql`
      select ${sql.raw(tableSql(promotion).select)} from promotions_promotion t
      where t.tenant_id = ${ctx.tenant.id} and t.enabled and not t.archived and not t.coded and (t.ends_at is null or t.ends_at > ${ctx.clock.now()})`);
    return rows.map(ruleOf);
  });
}

/** A code with the promotion that it calls. */
export interface CalledRule {
  rule: Rule;
  codeId: string;
  codeKey: string;
  /** Used up by another order. */
  used: boolean;
  /** The only one who may use it. */
  customerId: string | null;
}

/** By the key of the code. `orderId`: an order whose own use doesn't count. */
export async function calledRules(ctx: Ctx, codes: readonly string[], orderId: string | null): Promise<Map<string, CalledRule>> {
  if (codes.length === 0) return new Map();
  type Row = PromotionRow & Omit<CalledRule, 'rule'>;
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

/** What has been used of a limited promotion. */
export interface Standing {
  count: number;
  /** In the budget's currency. */
  amount: number;
  /** By this buyer, told by id or e-mail. */
  byBuyer: number;
}
/** Who is counted. Neither is known: nobody yet. */
export interface Identity {
  customerId: string | null;
  emailHash: string | null;
}

export async function standings(
  ctx: Ctx,
  ids: readonly string[],
  { customerId, emailHash }: Identity,
  orderId: string | null,
): Promise<Map<string, Standing>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<Standing & { id: string }>(sql`
    select t.id, t.used_count - (own.id is not null)::int as count, t.used_amount - coalesce(own.discount_amount, 0) as amount,
      (select count(*)::int8 from promotions_usage u where u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.reverted_at is null
        and u.id is distinct from own.id and (u.customer_id = ${customerId}::uuid or u.email_hash = ${emailHash}::text)) as "byBuyer"
    from promotions_promotion t left join promotions_usage own
      on own.tenant_id = t.tenant_id and own.promotion_id = t.id and own.order_id = ${orderId}::uuid and own.reverted_at is null
    where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ id, ...standing }) => [id, standing]));
}
