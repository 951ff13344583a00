import { customers, type PromotionReason, type Promotions } from '@storeloom/commerce';
import { type Ctx, domainError, type MoneyValue, sql } from '@storeloom/plugin-sdk';
import { createSheet, parseMoney } from '@storeloom/plugin-sdk/money';
import { lockKeys } from '@storeloom/plugin-sdk/reserve';
import { release } from './flows/release.ts';
import { consume } from './placing/consume.ts';
import { evaluate, type Outcome } from './pricing/evaluate.ts';
import { type BuyerContext, codeReason, identityOf, limitReason, situationOf } from './pricing/offers.ts';
import { codeKey, issueCode } from './promotion/code.ts';
import { type CalledRule, calledRules, type Identity, isLimited, standings } from './promotion/load.ts';
import { closedAt, type Rule, screen } from './promotion/rule.ts';

export function promotionsService(ctx: Ctx): Promotions {
  return {
    issueCode: (promotionId, customerId) => issueCode(ctx, promotionId, customerId),
    checkCode: (code, who) => checkCode(ctx, code, who),
    redeemCode: (request) => redeemCode(ctx, request),
    releaseCode: ({ reference, reason }) => release(ctx, { reference }, { all: reason === 'not_placed' }),
  };
}

const messages: Record<PromotionReason, string> = {
  coupon_not_found: 'is unknown',
  coupon_expired: 'has expired',
  coupon_not_started: 'is not valid yet',
  coupon_usage_limit: 'is used up',
  coupon_customer_limit: 'was used as often as one customer may',
  coupon_min_not_met: 'needs a larger order',
  coupon_not_combinable: 'does not combine with others',
  coupon_not_eligible: 'does not apply here',
};
function refused(reason: PromotionReason, extra: Record<string, unknown> = {}): Error {
  return domainError('/code', reason, messages[reason], extra);
}

async function requireCode(ctx: Ctx, code: string): Promise<CalledRule> {
  const called = (await calledRules(ctx, [code], null)).get(codeKey(code));
  if (!called) throw refused('coupon_not_found');
  return called;
}

/** Everything that can be said without a cart. */
async function checkCalled(ctx: Ctx, called: CalledRule, who: Identity): Promise<void> {
  const { rule } = called;
  const reason = closedAt(rule, ctx.clock.now()) ?? codeReason(called, who.customerId ?? undefined);
  if (reason) throw refused(reason);
  if (!isLimited(rule)) return;
  const limit = limitReason(rule, (await standings(ctx, [rule.id], who, null)).get(rule.id));
  if (limit) throw refused(limit);
}

async function checkCode(
  ctx: Ctx,
  code: string,
  who: { email?: string; customerId?: string },
): Promise<{ promotionId: string; name: string }> {
  const called = await requireCode(ctx, code);
  await checkCalled(ctx, called, identityOf(ctx, contextOf(ctx, who)));
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
  // One sale at a time: a repeat beside the first call must see what that has used, not that it is used up.
  await lockKeys(ctx, `${rule.id} ${request.reference}`);
  const before = await ctx.db.first<{ amount: number; currency: string }>(sql`
    select discount_amount as amount, discount_currency as currency from promotions_usage
    where tenant_id = ${ctx.tenant.id} and promotion_id = ${rule.id} and reference = ${request.reference} and reverted_at is null`);
  if (before) return { amount: before };
  const context = { ...contextOf(ctx, request), currency: base.currency };
  const who = identityOf(ctx, context);
  await checkCalled(ctx, called, who);
  const groups = (await ctx.use(customers)?.groupsOf(request.customerId ?? null)) ?? [];
  const customer = { id: request.customerId ?? '', groupIds: groups.map(({ id }) => id) };
  const reason = screen(rule, await situationOf(ctx, { ...context, customer }, [rule]));
  if (reason) throw refused(reason);
  const room =
    rule.budget === null ? null : rule.budget.amount - ((await standings(ctx, [rule.id], who, null)).get(rule.id)?.amount ?? 0);
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
  const lost = await consume(ctx, { orderId: null, reference: request.reference, who }, [use]);
  if (lost) throw refused(lost.reason);
  return { amount };
}

/** The discount of an order promotion on one sum. What else there is (items, shipping, gifts) has no place there. */
function discountOn(
  base: MoneyValue,
  { currency: home, priceMode }: Ctx['tenant'],
  rule: Rule,
  code: string,
  room: number | null,
): number {
  if (rule.stage !== 'cart' || rule.target !== 'order' || rule.type === 'gift_item') throw refused('coupon_not_eligible');
  const { amount: unitPrice, currency } = base;
  const sheet = createSheet({ currency, priceMode, percentStacking: 'sequential', trace: false }, [
    { id: 'base', quantity: 1, unitPrice },
  ]);
  const cart = {
    lines: () => sheet.lines().map((line) => ({ ...goods, ...line, listPrice: unitPrice })),
    itemsTotal: (ids?: readonly string[]) => sheet.itemsTotal(ids),
    units: (order: 'least_expensive' | 'most_expensive', ids?: readonly string[]) => sheet.units(order, ids),
  };
  const outcome: Outcome = evaluate({ rule, code, room }, cart, { currency, home });
  if ('reason' in outcome) throw refused(outcome.reason, outcome.extra);
  if (!('discount' in outcome)) throw refused('coupon_not_eligible');
  const { maxAmount, percentBp, amount, ...head } = outcome.discount;
  const limit = maxAmount === undefined ? {} : { maxDiscount: maxAmount };
  const value = percentBp === undefined ? { amount: amount ?? 0 } : { percentBp };
  return sheet.addDiscount({ source: head.source, name: head.name, target: 'order', ...limit, ...value }).amount;
}
const goods = { kind: 'sale', title: '', ships: false, weightG: 0, facts: {} };
