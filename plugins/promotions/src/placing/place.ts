import { type PlaceInput, type Priced, promotionSource } from '@storeloom/commerce';
import { type Ctx, type MoneyValue, problem, sql } from '@storeloom/plugin-sdk';
import { convert, invertRate } from '@storeloom/plugin-sdk/money';
import { codeKey } from '../promotion/code.ts';
import type { Identity } from '../promotion/load.ts';
import { consume, findLost, type LostPromotion, type PromotionUse } from './consume.ts';
import { emailHash } from './usage.ts';

interface Effect {
  name: string;
  code: string | null;
  amount: number;
}

/** The effect of each promotion on a priced cart: discounts, catalogue prices, gifts. Promotions without an effect aren't used. */
function effectsOf(priced: Pick<Priced, 'lines' | 'sheet'>): Map<string, Effect> {
  const effects = new Map<string, Effect>();
  const add = (id: string, name: string, code: string | null, amount: number): void => {
    const effect = effects.get(id);
    if (effect) effect.amount += amount;
    else effects.set(id, { name, code, amount });
  };
  const giftPromotions = new Set<string>();
  for (const { facts } of priced.lines) {
    const { promotionId } = (facts.gift ?? {}) as { promotionId?: string };
    if (promotionId !== undefined) giftPromotions.add(promotionId);
  }
  for (const { source, name, code, amount } of priced.sheet.discounts)
    if (source.type === promotionSource && (amount > 0 || giftPromotions.has(source.id))) add(source.id, name, code, amount);
  for (const { facts, catalogDiscounts = [], quantity } of priced.lines) {
    if (facts.gift !== undefined) continue;
    for (const { promotionId, name, amount } of catalogDiscounts) add(promotionId, name, null, amount * quantity);
  }
  return effects;
}

async function usesOf(ctx: Ctx, { priced }: PlaceInput): Promise<PromotionUse[]> {
  const effects = effectsOf(priced);
  const codeIds = await codeIdsOf(
    ctx,
    [...effects.values()].flatMap(({ code }) => code ?? []),
  );
  const { currency, fx } = priced.context;
  return [...effects].map(([promotionId, { name, code, amount }]) => {
    const discount = { amount, currency };
    // A removed code must be refused: the promotion's id never matches a code's id.
    const codeId = code === null ? null : (codeIds.get(`${promotionId} ${codeKey(code)}`) ?? promotionId);
    return { promotionId, name, code, codeId, discount, baseDiscount: toShopCurrency(ctx, discount, fx?.rate) };
  });
}

async function codeIdsOf(ctx: Ctx, codes: readonly string[]): Promise<Map<string, string>> {
  if (codes.length === 0) return new Map();
  const rows = await ctx.db.rows<{ key: string; id: string; promotionId: string }>(
    sql`select code_key as key, id, promotion_id as "promotionId" from promotions_code where tenant_id = ${ctx.tenant.id} and code_key = any(${codes.map(codeKey)}::text[]) and not archived`,
  );
  return new Map(rows.map(({ key, id, promotionId }) => [`${promotionId} ${key}`, id]));
}

/** For statistics in the shop's currency; the order keeps the amount in its own currency (R11). */
function toShopCurrency({ tenant }: Ctx, discount: MoneyValue, rate: string | undefined): MoneyValue {
  if (discount.currency === tenant.currency || rate === undefined) return discount;
  return convert(discount, tenant.currency, invertRate(rate));
}

function buyerIdentity(ctx: Ctx, { customerId, email }: PlaceInput): Identity {
  return { customerId, emailHash: emailHash(ctx, email) };
}

/** Stage 60 of `place.check`: the buyer is known only now and may have exceeded a limit that the cart couldn't check. */
export async function checkPromotions(ctx: Ctx, input: PlaceInput): Promise<void> {
  throwIfLost(await findLost(ctx, buyerIdentity(ctx, input), await usesOf(ctx, input)));
}

/**
 * Stage 10 of `place.commit`: counts the uses of the order or refuses it. The savepoint undoes a refused attempt, so that the cart
 * can be priced again in the same transaction.
 */
export async function commitPromotions(ctx: Ctx, input: PlaceInput): Promise<void> {
  const uses = await usesOf(ctx, input);
  if (uses.length === 0) return;
  const sale = { orderId: input.orderId, reference: null, buyer: buyerIdentity(ctx, input) };
  await ctx.savepoint(async () => {
    const lost = await consume(ctx, sale, uses);
    if (lost) throwIfLost([lost]);
  });
}

/** Throws 409 `promotion_changed` with the lost promotions and reasons, so that the buyer confirms the new price. */
export function throwIfLost(lost: readonly LostPromotion[]): void {
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
