import { orders, type PricingContext, type PromotionFacts } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { emailHash } from '../placing/usage.ts';
import { codeKey } from '../promotion/code.ts';
import { weekdayOf } from '../promotion/conditions.ts';
import {
  automaticRules,
  type CodeRule,
  type Identity,
  isLimited,
  rulesByCode,
  type UsageCount,
  usageCounts,
} from '../promotion/load.ts';
import { type PendingProperty, pendingProperties, type Reason, type Rule, type RuleContext, screen } from '../promotion/rule.ts';
import { settings } from '../settings.ts';
import type { Offer } from './evaluate.ts';
import type { RefusedCode } from './run.ts';

export interface Offers {
  offers: Offer[];
  refused: RefusedCode[];
}

/** Returns the automatic promotions and the entered codes that may apply to a cart, and the other codes with their reasons. */
export async function offersFor(ctx: Ctx, context: PricingContext): Promise<Offers> {
  const automatic = (await automaticRules(ctx, context)).filter(({ stage }) => stage === 'cart');
  const called = await rulesByCode(ctx, context.codes, editedOrderId(context));
  if (automatic.length === 0 && context.codes.length === 0) return { offers: [], refused: [] };
  const situation = await ruleContext(ctx, context, [...automatic, ...[...called.values()].map(({ rule }) => rule)]);
  const { accepted, refused } = sortCodes(context.codes, called, ctx.settings(settings).maxCodes);
  const passing: { rule: Rule; code: string | null }[] = [];
  for (const { code, called: match } of accepted) {
    const reason = screen(match.rule, situation) ?? codeReason(match, context.customer?.id);
    const pending = reason === 'coupon_not_eligible' ? pendingProperties(match.rule, situation) : [];
    if (reason) refused.push(refusal(code, match.rule, reason, pending));
    else passing.push({ rule: match.rule, code });
  }
  const byCode = new Set(accepted.map(({ called: match }) => match.rule.id));
  for (const rule of automatic) if (!byCode.has(rule.id) && !screen(rule, situation)) passing.push({ rule, code: null });
  const usage = await usageOf(
    ctx,
    context,
    passing.map(({ rule }) => rule),
  );
  const offers: Offer[] = [];
  for (const { rule, code } of passing) {
    const reason = limitReason(rule, usage.get(rule.id));
    if (!reason)
      offers.push({ rule, code, room: rule.budget === null ? null : rule.budget.amount - (usage.get(rule.id)?.amount ?? 0) });
    else if (code !== null) refused.push(refusal(code, rule, reason));
  }
  return { offers, refused };
}

/** Returns the catalogue promotions for this buyer. */
export async function catalogRules(ctx: Ctx, context: PricingContext): Promise<Rule[]> {
  const rules = (await automaticRules(ctx, context)).filter(({ stage }) => stage === 'catalog');
  if (rules.length === 0) return [];
  const situation = await ruleContext(ctx, context, rules);
  const passing = rules.filter((rule) => !screen(rule, situation));
  const usage = await usageOf(ctx, context, passing);
  return passing.filter((rule) => !limitReason(rule, usage.get(rule.id)));
}

/** The id of the order whose edit is priced. */
function editedOrderId({ facts }: Pick<PricingContext, 'facts'>): string | null {
  return (facts.promotions as PromotionFacts | undefined)?.orderId ?? null;
}

function usageOf(ctx: Ctx, context: PricingContext, rules: readonly Rule[]): Promise<Map<string, UsageCount>> {
  return usageCounts(
    ctx,
    rules.filter(isLimited).map(({ id }) => id),
    identityOf(ctx, context),
    editedOrderId(context),
  );
}

export function identityOf(ctx: Ctx, { customer, email }: Pick<PricingContext, 'customer' | 'email'>): Identity {
  return { customerId: customer?.id ?? null, emailHash: email ? emailHash(ctx, email) : null };
}

/** Refuses unknown codes, codes beyond the limit, and second codes of one promotion. */
function sortCodes(
  codes: readonly string[],
  called: ReadonlyMap<string, CodeRule>,
  maxCodes: number,
): { accepted: { code: string; called: CodeRule }[]; refused: RefusedCode[] } {
  const accepted: { code: string; called: CodeRule }[] = [];
  const refused: RefusedCode[] = [];
  for (const code of codes) {
    const one = called.get(codeKey(code));
    if (!one) refused.push({ code, reason: 'coupon_not_found', extra: {} });
    else if (accepted.length >= maxCodes || accepted.some((other) => other.called.rule.id === one.rule.id))
      refused.push(refusal(code, one.rule, 'coupon_not_combinable'));
    else accepted.push({ code, called: one });
  }
  return { accepted, refused };
}

function refusal(code: string, rule: Rule, reason: Reason, pending: readonly PendingProperty[] = []): RefusedCode {
  // A disabled promotion isn't disclosed.
  if (reason === 'coupon_not_found') return { code, reason, extra: {} };
  return { code, reason, extra: { promotionId: rule.id, name: rule.name, ...(pending.length === 0 ? {} : { pending }) } };
}

/** Checks the code's own restrictions. An unknown buyer is checked when the order is placed. */
export function codeReason(
  { used, customerId }: Pick<CodeRule, 'used' | 'customerId'>,
  buyer: string | null | undefined,
): Reason | undefined {
  if (used) return 'coupon_usage_limit';
  return customerId !== null && buyer && buyer !== customerId ? 'coupon_not_eligible' : undefined;
}

export function limitReason(
  { usageLimit, usageLimitPerCustomer, budget }: Pick<Rule, 'usageLimit' | 'usageLimitPerCustomer' | 'budget'>,
  usage: UsageCount | undefined,
): Reason | undefined {
  if (!usage) return undefined;
  if (usageLimit !== null && usage.count >= usageLimit) return 'coupon_usage_limit';
  if (budget !== null && usage.amount >= budget.amount) return 'coupon_usage_limit';
  return usageLimitPerCustomer !== null && usage.byBuyer >= usageLimitPerCustomer ? 'coupon_customer_limit' : undefined;
}

/** The properties of the pricing context that promotions use. */
export type BuyerContext = Pick<
  PricingContext,
  | 'at'
  | 'currency'
  | 'channel'
  | 'customer'
  | 'email'
  | 'shippingAddress'
  | 'billingAddress'
  | 'country'
  | 'paymentMethod'
  | 'facts'
>;

export async function ruleContext(ctx: Ctx, context: BuyerContext, rules: readonly Rule[]): Promise<RuleContext> {
  const needsCount = rules.some(({ buyer }) => buyer.some(({ type }) => type === 'first_order' || type === 'nth_order'));
  return {
    at: context.at,
    currency: context.currency,
    home: ctx.tenant.currency,
    buyer: {
      groupIds: context.customer?.groupIds ?? [],
      ordersBefore: needsCount ? await countOrdersBefore(ctx, context) : undefined,
      country: context.shippingAddress?.country ?? context.billingAddress?.country ?? context.country,
      channel: context.channel,
      paymentMethod: context.paymentMethod,
      weekday: weekdayOf(civilDate(context.at, ctx.tenant.timezone)),
    },
  };
}

/** An unknown buyer counts as having no orders; placing checks again. */
async function countOrdersBefore(ctx: Ctx, context: BuyerContext): Promise<number> {
  const { customer, email } = context;
  if (!customer?.id && !email) return 0;
  const placed = await ctx
    .use(orders)
    ?.countPlaced({ ...(customer?.id ? { customerId: customer.id } : {}), ...(email ? { email } : {}) });
  return Math.max(0, (placed ?? customer?.ordersCount ?? 0) - (editedOrderId(context) === null ? 0 : 1));
}
