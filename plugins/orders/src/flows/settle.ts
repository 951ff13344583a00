import { type SettleInput, settleCommit } from '@storeloom/commerce';
import { type Ctx, sql, type TapFn, uuidv7 } from '@storeloom/plugin-sdk';
import { loadRevision, type OrderRow } from '../load.ts';
import { lockOrder } from '../lock.ts';
import { order } from '../tables.ts';
import { moneyFigures, refreshFigures } from '../view/figures.ts';
import { orderView } from '../view/view.ts';
import { isCovered } from './states.ts';
import { writeMove } from './transition.ts';

const latePayment = 'late_payment';

/** Whether the payment is captured or authorised. */
const isSettling = (status: string): boolean => ['authorized', 'captured', 'partially_captured'].includes(status);

/** Records the state of a payment. False if it was reported before, by webhook, confirm-payment or the job. */
async function recordPaymentState(ctx: Ctx, row: OrderRow, payment: SettleInput['payment']): Promise<boolean> {
  const inserted = await ctx.db.run(sql`
    insert into orders_settlement (tenant_id, id, order_id, payment_id, status, captured_amount_amount, captured_amount_currency, authorized_amount_amount, authorized_amount_currency, created_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${row.id}, ${payment.id}, ${payment.status}, ${payment.capturedAmount}, ${row.currency}, ${payment.authorizedAmount}, ${row.currency}, ${ctx.clock.now()})
    on conflict on constraint orders_settlement_key do nothing`);
  return inserted === 1;
}

/**
 * Settles an order after a change of a payment. Effects run once per state of the payment. For a cancelled order only the amounts are
 * updated; payments refunds the money.
 */
export async function settleOrder(ctx: Ctx, id: string, payment: SettleInput['payment'], reason: string): Promise<void> {
  const data = await lockOrder(ctx, id);
  const { row } = data;
  if (!isSettling(payment.status) || row.status === 'cancelled' || !(await recordPaymentState(ctx, row, payment))) {
    await refreshFigures(ctx, row);
    return;
  }
  const lines = data.lines.map(({ id: lineId, quantity, quantityCancelled }) => ({
    lineId,
    quantity: quantity - quantityCancelled,
  }));
  await ctx.call(settleCommit, {
    order: orderView(data),
    lines: lines.filter((line) => line.quantity > 0),
    payment,
    late: null,
    reason,
  });
}

async function refreshed(ctx: Ctx, id: string) {
  const row = await refreshFigures(ctx, await ctx.rows(order).require(id, { lock: true }));
  return { row, ...(await loadRevision(ctx, id, row.revision)) };
}

/** settle.commit, stage 70: updates amounts and confirms a pending order. Without stock the order goes on hold. */
export const settleTap: TapFn<typeof settleCommit> = async (ctx: Ctx, input: SettleInput) => {
  const { row, sheet } = await refreshed(ctx, input.order.id);
  if (input.late?.impossible) {
    if (['pending', 'confirmed', 'processing'].includes(row.status)) await writeMove(ctx, row, 'on_hold', latePayment);
    return;
  }
  const total = row.total.amount + sheet.totals.cashRounding;
  if (!isCovered({ total, tendered: row.tendered.amount, ...(await moneyFigures(ctx, row)) })) return;
  if (row.status === 'pending') await writeMove(ctx, row, 'confirmed', input.reason);
  // Stays on hold, but returns to `confirmed` when staff release it.
  else if (row.status === 'on_hold' && row.previousStatus === 'pending')
    await ctx.rows(order).update(row.id, { previousStatus: 'confirmed' });
};
