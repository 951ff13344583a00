import type { CancelInput, EditInput } from '@storeloom/commerce';
import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { consume, type Use } from '../placing/consume.ts';
import { refuse } from '../placing/place.ts';
import { emailHash } from '../placing/usage.ts';
import { adjust } from '../pricing/adjust.ts';
import { lockPromotions, release } from './release.ts';

/** The order never came about: its buyer goes back to the cart, or didn't pay in time. All it held is free again. */
const neverPlaced: readonly string[] = ['payment_timeout', 'superseded'];

/** Stage 10 of `cancel.commit`. */
export async function cancelOrder(ctx: Ctx, { order, reason }: CancelInput): Promise<void> {
  await release(ctx, { orderId: order.id }, { all: neverPlaced.includes(reason) });
}

/** Stage 10 of `edit.commit`: promotions that came or went with an edit, and what those that stay are worth now. */
export async function editOrder(ctx: Ctx, { order, promotions }: EditInput): Promise<void> {
  const { before, after, amounts } = promotions;
  const known = await promotionsAmong(ctx, [...before, ...after], order.id);
  await lockPromotions(ctx, [...known.keys()]);
  const gone = before.filter((id) => !after.includes(id));
  await release(ctx, { orderId: order.id }, { all: false, promotionIds: gone });
  const stay = after.filter((id) => before.includes(id));
  if (amounts) refuse(await adjust(ctx, order.id, stay, amounts));
  const uses: Use[] = after.flatMap((promotionId) => {
    const found = known.get(promotionId);
    if (!found || before.includes(promotionId)) return [];
    const discount = { amount: amounts?.[promotionId] ?? 0, currency: order.currency };
    return [{ promotionId, ...found, discount, baseDiscount: discount }];
  });
  const who = { customerId: order.customerId, emailHash: emailHash(ctx, order.email) };
  const lost = await consume(ctx, { orderId: order.id, reference: null, who }, uses);
  if (lost) refuse([lost]);
}

/** Those that are ours, with the code that the order used before. */
async function promotionsAmong(
  ctx: Ctx,
  ids: readonly string[],
  orderId: string,
): Promise<Map<string, Pick<Use, 'name' | 'code' | 'codeId'>>> {
  if (ids.length === 0) return new Map();
  const rows = await ctx.db.rows<{ promotionId: string; name: string; code: string | null; codeId: string | null }>(sql`
    select t.id as "promotionId", t.name, u.code, u.code_id as "codeId" from promotions_promotion t
    left join promotions_usage u on u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.order_id = ${orderId}
    where t.tenant_id = ${ctx.tenant.id} and t.id = any(${ids}::uuid[])`);
  return new Map(rows.map(({ promotionId, ...rest }) => [promotionId, rest]));
}
