import type { CancelInput, EditInput } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { adjustUses } from '../placing/adjust.ts';
import { consume, type PromotionUse } from '../placing/consume.ts';
import { throwIfLost } from '../placing/place.ts';
import { emailHash } from '../placing/usage.ts';
import { lockPromotions, release } from './release.ts';

/**
 * Cancellation reasons of orders that were never completed: the buyer returned to the cart, or didn't pay in time. All of their
 * uses are released.
 */
const incompleteOrderReasons: readonly string[] = ['payment_timeout', 'superseded'];

/** Stage 10 of `cancel.commit`. */
export async function cancelOrder(ctx: Ctx, { order, reason }: CancelInput): Promise<void> {
  await release(ctx, { orderId: order.id }, { all: incompleteOrderReasons.includes(reason) });
}

/** Stage 10 of `edit.commit`: releases removed promotions, adjusts the discount of those that stay, and counts new ones. */
export async function editOrder(ctx: Ctx, { order, promotions }: EditInput): Promise<void> {
  const { before, after, amounts } = promotions;
  const known = await findPromotions(ctx, [...before, ...after], order.id);
  await lockPromotions(ctx, [...known.keys()]);
  const removed = before.filter((id) => !after.includes(id));
  await release(ctx, { orderId: order.id }, { all: false, promotionIds: removed });
  const kept = after.filter((id) => before.includes(id));
  if (amounts) throwIfLost(await adjustUses(ctx, order.id, kept, amounts));
  const uses: PromotionUse[] = after.flatMap((promotionId) => {
    const found = known.get(promotionId);
    if (!found || before.includes(promotionId)) return [];
    const discount = { amount: amounts?.[promotionId] ?? 0, currency: order.currency };
    return [{ promotionId, ...found, discount, baseDiscount: discount }];
  });
  const buyer = { customerId: order.customerId, emailHash: emailHash(ctx, order.email) };
  const lost = await consume(ctx, { orderId: order.id, reference: null, buyer }, uses);
  if (lost) throwIfLost([lost]);
}

/** The given promotions that exist in this plugin, with the code that the order used before. */
async function findPromotions(
  ctx: Ctx,
  ids: readonly string[],
  orderId: string,
): Promise<Map<string, Pick<PromotionUse, 'name' | 'code' | 'codeId'>>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<{ promotionId: string; name: string; code: string | null; codeId: string | null }>(sql`
    select t.id as "promotionId", t.name, u.code, u.code_id as "codeId" from promotions_promotion t
    left join promotions_usage u on u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.order_id = ${orderId}
    where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ promotionId, ...rest }) => [promotionId, rest]));
}
