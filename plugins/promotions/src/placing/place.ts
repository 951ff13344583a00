import { type PlaceInput, type Priced, promotionSource } from '@storeloom/commerce';
import { type Ctx, type MoneyValue, problem, sql } from '@storeloom/plugin-sdk';
import { convert, invertRate } from '@storeloom/plugin-sdk/money';
import { codeKey } from '../promotion/code.ts';
import type { Identity } from '../promotion/load.ts';
import { consume, foreseeLoss, type Lost, type Use } from './consume.ts';
import { emailHash } from './usage.ts';

interface Effect {
  name: string;
  code: string | null;
  amount: number;
}

/** What each promotion does in a priced cart: discounts, catalogue prices, gifts. One without effect isn't used. */
function effectsOf(priced: Pick<Priced, 'lines' | 'sheet'>): Map<string, Effect> {
  const effects = new Map<string, Effect>();
  const add = (id: string, name: string, code: string | null, amount: number): void => {
    const effect = effects.get(id);
    if (effect) effect.amount += amount;
    else effects.set(id, { name, code, amount });
  };
  const given = new Set<string>();
  for (const { facts } of priced.lines) {
    const { promotionId } = (facts.gift ?? {}) as { promotionId?: string };
    if (promotionId !== undefined) given.add(promotionId);
  }
  for (const { source, name, code, amount } of priced.sheet.discounts)
    if (source.type === promotionSource && (amount > 0 || given.has(source.id))) add(source.id, name, code, amount);
  for (const { facts, catalogDiscounts = [], quantity } of priced.lines) {
    if (facts.gift !== undefined) continue;
    for (const { promotionId, name, amount } of catalogDiscounts) add(promotionId, name, null, amount * quantity);
  }
  return effects;
}

async function usesOf(ctx: Ctx, { priced }: PlaceInput): Promise<Use[]> {
  const effects = effectsOf(priced);
  const codeIds = await codeIdsOf(
    ctx,
    [...effects.values()].flatMap(({ code }) => code ?? []),
  );
  const { currency, fx } = priced.context;
  return [...effects].map(([promotionId, { name, code, amount }]) => {
    const discount = { amount, currency };
    // A code that is gone can't be used: an id that nothing has says so.
    const codeId = code === null ? null : (codeIds.get(`${promotionId} ${codeKey(code)}`) ?? promotionId);
    return { promotionId, name, code, codeId, discount, baseDiscount: inHome(ctx, discount, fx?.rate) };
  });
}

async function codeIdsOf(ctx: Ctx, codes: readonly string[]): Promise<Map<string, string>> {
  if (codes.length === 0) return new Map();
  const rows = await ctx.db.rows<{ key: string; id: string; promotionId: string }>(
    sql`select code_key as key, id, promotion_id as "promotionId" from promotions_code where tenant_id = ${ctx.tenant.id} and code_key = any(${codes.map(codeKey)}::text[]) and not archived`,
  );
  return new Map(rows.map(({ key, id, promotionId }) => [`${promotionId} ${key}`, id]));
}

/** For the shop's own figures only: what was agreed stays in the order's currency (R11). */
function inHome({ tenant }: Ctx, discount: MoneyValue, rate: string | undefined): MoneyValue {
  if (discount.currency === tenant.currency || rate === undefined) return discount;
  return convert(discount, tenant.currency, invertRate(rate));
}

function whoOf(ctx: Ctx, { customerId, email }: PlaceInput): Identity {
  return { customerId, emailHash: emailHash(ctx, email) };
}

/** Stage 60 of `place.check`: the definite buyer may be over a limit that the cart didn't know of. */
export async function checkPlacing(ctx: Ctx, input: PlaceInput): Promise<void> {
  refuse(await foreseeLoss(ctx, whoOf(ctx, input), await usesOf(ctx, input)));
}

/**
 * Stage 10 of `place.commit`: what the order uses is counted, or nothing is written. A refusal leaves no trace in the transaction, so that
 * the cart can be priced again there.
 */
export async function commitPlacing(ctx: Ctx, input: PlaceInput): Promise<void> {
  const uses = await usesOf(ctx, input);
  if (uses.length === 0) return;
  const sale = { orderId: input.orderId, reference: null, who: whoOf(ctx, input) };
  await ctx.savepoint(async () => {
    const lost = await consume(ctx, sale, uses);
    if (lost) refuse([lost]);
  });
}

/** 409: the buyer sees what is lost and why before anything is ordered at another price. */
export function refuse(lost: readonly Lost[]): void {
  if (lost.length === 0) return;
  throw problem('promotion_changed', {
    detail: `${lost.map(({ use }) => use.name).join(', ')}: no longer applies.`,
    promotions: lost.map(({ use, reason }) => ({
      promotionId: use.promotionId,
      code: use.code,
      name: use.name,
      applied: false,
      amount: { amount: 0, currency: use.discount.currency },
      reason,
    })),
  });
}
