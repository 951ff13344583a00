import { customers, type PromotionReason, type Promotions } from '@storeloom/commerce';
import { type Ctx, domainError, type MoneyValue, sql } from '@storeloom/plugin-sdk';
import { createSheet, parseMoney } from '@storeloom/plugin-sdk/money';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { release } from './flows/release.ts';
import { consume } from './placing/consume.ts';
import { type Evaluation, evaluate } from './pricing/evaluate.ts';
import { type BuyerContext, codeReason, identityOf, limitReason, ruleContext } from './pricing/offers.ts';
import { codeKey, issueCode } from './promotion/code.ts';
import { type CodeRule, type Identity, isLimited, rulesByCode, usageCounts } from './promotion/load.ts';
import { inactiveReason, type Rule, screen } from './promotion/rule.ts';

export function promotionsService(ctx: Ctx): Promotions {
  return {
    issueCode: (promotionId, customerId) => issueCode(ctx, promotionId, customerId),
    checkCode: (code, buyer) => checkCode(ctx, code, buyer),
    redeemCode: (request) => redeemCode(ctx, request),
    releaseCode: ({ reference, reason }) => release(ctx, { reference }, { all: reason === 'not_placed' }),
  };
}

const messages: Record<PromotionReason, string> = {
  coupon_not_found: 'is unknown',
  coupon_expired: 'has expired',
  coupon_not_started: 'is not valid yet',
  coupon_usage_limit: 'is used up',
  coupon_customer_limit: 'has reached the limit for one customer',
  coupon_min_not_met: 'requires a larger order',
  coupon_not_combinable: "can't be combined with other promotions",
  coupon_not_eligible: "doesn't apply to this order",
};
function codeProblem(reason: PromotionReason, extra: Record<string, unknown> = {}): Error {
  return domainError('/code', reason, messages[reason], extra);
}

async function requireCode(ctx: Ctx, code: string): Promise<CodeRule> {
  const called = (await rulesByCode(ctx, [code], null)).get(codeKey(code));
  if (!called) throw codeProblem('coupon_not_found');
  return called;
}

/** Checks a code without a cart: status, dates, restrictions and limits. */
async function checkCodeRule(ctx: Ctx, called: CodeRule, buyer: Identity): Promise<void> {
  const { rule } = called;
  const reason = inactiveReason(rule, ctx.clock.now()) ?? codeReason(called, buyer.customerId ?? undefined);
  if (reason) throw codeProblem(reason);
  if (!isLimited(rule)) return;
  const limit = limitReason(rule, (await usageCounts(ctx, [rule.id], buyer, null)).get(rule.id));
  if (limit) throw codeProblem(limit);
}

async function checkCode(
  ctx: Ctx,
  code: string,
  buyer: { email?: string; customerId?: string },
): Promise<{ promotionId: string; name: string }> {
  const called = await requireCode(ctx, code);
  await checkCodeRule(ctx, called, identityOf(ctx, contextOf(ctx, buyer)));
  return { promotionId: called.rule.id, name: called.rule.name };
}

function contextOf(ctx: Ctx, { email, customerId }: { email?: string; customerId?: string }): Omit<BuyerContext, 'currency'> {
  return {
    at: ctx.clock.now(),
    channel: 'web',
    facts: {},
    ...(email === undefined ? {} : { email }),
    ...(customerId === undefined ? {} : { customer: { id: customerId, groupIds: [] } }),
  };
}

async function redeemCode(ctx: Ctx, request: Parameters<Promotions['redeemCode']>[0]): Promise<{ amount: MoneyValue }> {
  const base = parseMoney(request.base, '/base');
  const called = await requireCode(ctx, request.code);
  const { rule } = called;
  // Serialises calls for one sale: a concurrent repeat must find the first call's use instead of a used-up code.
  await lockKeys(ctx, `${rule.id} ${request.reference}`);
  const before = await ctx.db.first<{ amount: number; currency: string }>(sql`
    select discount_amount as amount, discount_currency as currency from promotions_usage
    where tenant_id = ${ctx.tenant.id} and promotion_id = ${rule.id} and reference = ${request.reference} and reverted_at is null`);
  if (before) return { amount: before };
  const context = { ...contextOf(ctx, request), currency: base.currency };
  const buyer = identityOf(ctx, context);
  await checkCodeRule(ctx, called, buyer);
  const groups = (await ctx.use(customers)?.groupsOf(request.customerId ?? null)) ?? [];
  const customer = { id: request.customerId ?? '', groupIds: groups.map(({ id }) => id) };
  const reason = screen(rule, await ruleContext(ctx, { ...context, customer }, [rule]));
  if (reason) throw codeProblem(reason);
  const room =
    rule.budget === null
      ? null
      : rule.budget.amount - ((await usageCounts(ctx, [rule.id], buyer, null)).get(rule.id)?.amount ?? 0);
  const amount = { amount: discountOn(base, ctx.tenant, rule, request.code, room), currency: base.currency };
  if (amount.amount === 0) return { amount };
  const use = {
    promotionId: rule.id,
    name: rule.name,
    code: request.code,
    codeId: called.codeId,
    discount: amount,
    baseDiscount: amount,
  };
  const lost = await consume(ctx, { orderId: null, reference: request.reference, buyer }, [use]);
  if (lost) throw codeProblem(lost.reason);
  return { amount };
}

/** The discount of an order promotion on one amount. Item, shipping and gift promotions don't apply to it. */
function discountOn(
  base: MoneyValue,
  { currency: home, priceMode }: Ctx['tenant'],
  rule: Rule,
  code: string,
  room: number | null,
): number {
  if (rule.stage !== 'cart' || rule.target !== 'order' || rule.type === 'gift_item') throw codeProblem('coupon_not_eligible');
  const { amount: unitPrice, currency } = base;
  const sheet = createSheet({ currency, priceMode, percentStacking: 'sequential', trace: false }, [
    { id: 'base', quantity: 1, unitPrice },
  ]);
  const cart = {
    lines: () => sheet.lines().map((line) => ({ ...lineDefaults, ...line, listPrice: unitPrice })),
    itemsTotal: (ids?: readonly string[]) => sheet.itemsTotal(ids),
    units: (order: 'least_expensive' | 'most_expensive', ids?: readonly string[]) => sheet.units(order, ids),
  };
  const outcome: Evaluation = evaluate({ rule, code, room }, cart, { currency, home });
  if ('reason' in outcome) throw codeProblem(outcome.reason, outcome.extra);
  if (!('discount' in outcome)) throw codeProblem('coupon_not_eligible');
  const { maxAmount, percentBp, amount, ...head } = outcome.discount;
  const limit = maxAmount === undefined ? {} : { maxDiscount: maxAmount };
  const value = percentBp === undefined ? { amount: amount ?? 0 } : { percentBp };
  return sheet.addDiscount({ source: head.source, name: head.name, target: 'order', ...limit, ...value }).amount;
}
const lineDefaults = { kind: 'sale', title: '', ships: false, weightG: 0, facts: {} };
