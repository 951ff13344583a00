import { orders, type PricingContext, type PromotionFacts } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';
import { civilDate } from '@storeloom/plugin-sdk/time';
import { emailHash } from '../placing/usage.ts';
import { codeKey } from '../promotion/code.ts';
import { weekdayOf } from '../promotion/conditions.ts';
import {
  automaticRules,
  type CalledRule,
  calledRules,
  type Identity,
  isLimited,
  type Standing,
  standings,
} from '../promotion/load.ts';
import { type Reason, type Rule, type Situation, screen } from '../promotion/rule.ts';
import { settings } from '../settings.ts';
import type { Offer } from './evaluate.ts';
import type { RefusedCode } from './run.ts';

export interface Offers {
  offers: Offer[];
  refused: RefusedCode[];
}

/** What may apply to a cart: automatic promotions, and those that its codes call. The rest of its codes, each with the reason. */
export async function offersFor(ctx: Ctx, context: PricingContext): Promise<Offers> {
  const automatic = (await automaticRules(ctx, context)).filter(({ stage }) => stage === 'cart');
  const called = await calledRules(ctx, context.codes, ownOrder(context));
  if (automatic.length === 0 && context.codes.length === 0) return { offers: [], refused: [] };
  const situation = await situationOf(ctx, context, [...automatic, ...[...called.values()].map(({ rule }) => rule)]);
  const { wanted, refused } = sortCodes(context.codes, called, ctx.settings(settings).maxCodes);
  const passing: { rule: Rule; code: string | null }[] = [];
  for (const { code, called: one } of wanted) {
    const reason = screen(one.rule, situation) ?? codeReason(one, context.customer?.id);
    if (reason) refused.push(refusal(code, one.rule, reason));
    else passing.push({ rule: one.rule, code });
  }
  const byCode = new Set(wanted.map(({ called: one }) => one.rule.id));
  for (const rule of automatic) if (!byCode.has(rule.id) && !screen(rule, situation)) passing.push({ rule, code: null });
  const standing = await standingOf(
    ctx,
    context,
    passing.map(({ rule }) => rule),
  );
  const offers: Offer[] = [];
  for (const { rule, code } of passing) {
    const reason = limitReason(rule, standing.get(rule.id));
    if (!reason)
      offers.push({ rule, code, room: rule.budget === null ? null : rule.budget.amount - (standing.get(rule.id)?.amount ?? 0) });
    else if (code !== null) refused.push(refusal(code, rule, reason));
  }
  return { offers, refused };
}

/** Promotions of the catalogue stage that this viewer sees. */
export async function shelfRules(ctx: Ctx, context: PricingContext): Promise<Rule[]> {
  const rules = (await automaticRules(ctx, context)).filter(({ stage }) => stage === 'catalog');
  if (rules.length === 0) return [];
  const situation = await situationOf(ctx, context, rules);
  const passing = rules.filter((rule) => !screen(rule, situation));
  const standing = await standingOf(ctx, context, passing);
  return passing.filter((rule) => !limitReason(rule, standing.get(rule.id)));
}

/** The order whose edit is being priced. */
function ownOrder({ facts }: Pick<PricingContext, 'facts'>): string | null {
  return (facts.promotions as PromotionFacts | undefined)?.orderId ?? null;
}

function standingOf(ctx: Ctx, context: PricingContext, rules: readonly Rule[]): Promise<Map<string, Standing>> {
  return standings(
    ctx,
    rules.filter(isLimited).map(({ id }) => id),
    identityOf(ctx, context),
    ownOrder(context),
  );
}

/** An id of `''` is a guest's. */
export function identityOf(ctx: Ctx, { customer, email }: Pick<PricingContext, 'customer' | 'email'>): Identity {
  return { customerId: customer?.id ?? null, emailHash: email ? emailHash(ctx, email) : null };
}

/** Codes beyond the limit, and second codes of one promotion, aren't tried. */
function sortCodes(
  codes: readonly string[],
  called: ReadonlyMap<string, CalledRule>,
  maxCodes: number,
): { wanted: { code: string; called: CalledRule }[]; refused: RefusedCode[] } {
  const wanted: { code: string; called: CalledRule }[] = [];
  const refused: RefusedCode[] = [];
  for (const code of codes) {
    const one = called.get(codeKey(code));
    if (!one) refused.push({ code, reason: 'coupon_not_found', extra: {} });
    else if (wanted.length >= maxCodes || wanted.some((other) => other.called.rule.id === one.rule.id))
      refused.push(refusal(code, one.rule, 'coupon_not_combinable'));
    else wanted.push({ code, called: one });
  }
  return { wanted, refused };
}

function refusal(code: string, rule: Rule, reason: Reason): RefusedCode {
  // Of a promotion that is off nothing is told.
  return { code, reason, extra: reason === 'coupon_not_found' ? {} : { promotionId: rule.id, name: rule.name } };
}

/** What speaks against a code itself. A buyer who isn't known yet is asked when placing. */
export function codeReason(
  { used, customerId }: Pick<CalledRule, 'used' | 'customerId'>,
  buyer: string | null | undefined,
): Reason | undefined {
  if (used) return 'coupon_usage_limit';
  return customerId !== null && buyer && buyer !== customerId ? 'coupon_not_eligible' : undefined;
}

export function limitReason(
  { usageLimit, usageLimitPerCustomer, budget }: Pick<Rule, 'usageLimit' | 'usageLimitPerCustomer' | 'budget'>,
  standing: Standing | undefined,
): Reason | undefined {
  if (!standing) return undefined;
  if (usageLimit !== null && standing.count >= usageLimit) return 'coupon_usage_limit';
  if (budget !== null && standing.amount >= budget.amount) return 'coupon_usage_limit';
  return usageLimitPerCustomer !== null && standing.byBuyer >= usageLimitPerCustomer ? 'coupon_customer_limit' : undefined;
}

/** What promotions look at in a context. */
export type BuyerContext = Pick<
  PricingContext,
  'at' | 'currency' | 'channel' | 'customer' | 'email' | 'shippingAddress' | 'billingAddress' | 'paymentMethod' | 'facts'
>;

export async function situationOf(ctx: Ctx, context: BuyerContext, rules: readonly Rule[]): Promise<Situation> {
  const counts = rules.some(({ buyer }) => buyer.some(({ type }) => type === 'first_order' || type === 'nth_order'));
  return {
    at: context.at,
    currency: context.currency,
    home: ctx.tenant.currency,
    buyer: {
      groupIds: context.customer?.groupIds ?? [],
      ordersBefore: counts ? await ordersBefore(ctx, context) : undefined,
      country: context.shippingAddress?.country ?? context.billingAddress?.country,
      channel: context.channel,
      paymentMethod: context.paymentMethod,
      weekday: weekdayOf(civilDate(context.at, ctx.tenant.timezone)),
    },
  };
}

/** Nobody known yet has no orders: placing looks again. */
async function ordersBefore(ctx: Ctx, context: BuyerContext): Promise<number> {
  const { customer, email } = context;
  if (!customer?.id && !email) return 0;
  const placed = await ctx
    .use(orders)
    ?.countPlaced({ ...(customer?.id ? { customerId: customer.id } : {}), ...(email ? { email } : {}) });
  return Math.max(0, (placed ?? customer?.ordersCount ?? 0) - (ownOrder(context) === null ? 0 : 1));
}
