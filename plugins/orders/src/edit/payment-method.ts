import { type Orders, paymentMethodReason } from '@storeloom/commerce';
import { type Ctx, problem } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import { writeMove } from '../flows/transition.ts';
import type { OrderData } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { Order, order } from '../tables.ts';
import { pipeline } from './context.ts';
import { checkEditable, commitEdit } from './edit.ts';
import { priceWithMethod } from './price.ts';
import { writeEdit, writeRevision } from './write.ts';

type Request = Parameters<Orders['changePaymentMethod']>[1];

const pricesOf = ({ totals, surcharges, discounts }: PricedSheet): string =>
  JSON.stringify([
    totals.total,
    surcharges.map(({ code, lineSubtotal }) => [code, lineSubtotal]),
    discounts.map(({ source, amount }) => [source.id, amount]),
  ]);

async function reprice(ctx: Ctx, data: OrderData, { code, expectedTotal }: Request): Promise<void> {
  const { row } = data;
  const pricing = { ...data.pricing, context: { ...data.pricing.context, paymentMethod: code } };
  const edited = await priceWithMethod(ctx, data, code);
  if (pricesOf(edited.sheet) === pricesOf(data.sheet)) {
    await writeRevision(ctx, await ctx.em.findOneOrFail(Order, { id: row.id }), data.sheet, pricing, paymentMethodReason);
    return;
  }
  const { totals } = edited.sheet;
  await checkEditable(ctx, row, 'edited');
  if (totals.total !== row.total.amount && totals.total !== expectedTotal)
    throw problem('total_changed', {
      detail: 'The total of the order changes with the payment method. Review the new total and send it as expectedTotal.',
      totals: pipeline(ctx).view(
        { ...totals, tenders: totals.tenders.map((tender) => ({ ...tender, label: '' })) },
        row.currency,
      ),
    });
  const { after, changes } = await writeEdit(ctx, { ...data, pricing }, edited, paymentMethodReason);
  const outcome = await commitEdit(ctx, data, after, changes, { refund: false, reason: paymentMethodReason });
  await ctx.audit({
    entity: 'orders.order',
    entityId: row.id,
    action: 'orders.order.payment-method',
    before: { paymentMethod: row.paymentMethod, total: row.total },
    after: { paymentMethod: code, total: outcome.row.total },
  });
}

/**
 * Changes the method of the next payment of an unpaid order and reprices what depends on it: the fees of the method, and promotions with
 * a condition on it. A method that is paid later confirms the order.
 *
 * @throws 409 `total_changed` if the total changes and isn't `expectedTotal`; `invalid_transition` and `invoice_issued` if it changes and
 * the order can't be edited any more
 */
export async function changePaymentMethod(ctx: Ctx, id: string, request: Request): Promise<void> {
  const { code, paidLater } = request;
  const data = await lockOrder(ctx, id);
  if (data.row.paymentMethod === code && data.row.paidLater === paidLater) return;
  const changed = await ctx.rows(order).update(id, { paymentMethod: code, paidLater });
  if (data.row.paymentMethod !== code) await reprice(ctx, { ...data, row: { ...changed } }, request);
  const row = await ctx.rows(order).require(id, { lock: true });
  if (paidLater && row.status === 'pending') await writeMove(ctx, row, 'confirmed', paymentMethodReason);
}
