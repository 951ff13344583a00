import type { shipCommit } from '@storeloom/commerce';
import { type Ctx, f, type TableRow, type TapFn, table } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { queued } from '../queued.ts';
import { isReserved, orderPayments, type PaymentRow } from './payment.ts';
import { type Share, type Shipped, shareAmount, shareOf } from './shipment-share.ts';

/** A share of a reserved payment, to be taken because goods shipped. */
export const capture = table('capture', {
  paymentId: f.id(),
  fulfillmentId: f.id(),
  lines: f.list(f.object({ lineId: f.id(), quantity: f.int({ min: 0 }) })),
  /** Null: the rest. */
  amount: f.int({ min: 0, max: maxAmount }).optional(),
  final: f.bool(),
  /** `deferred`: the card gives its money only once, so this share comes with the last one. */
  status: f.oneOf(['pending', 'succeeded', 'deferred', 'failed', 'cancelled']),
  error: f.text({ max: 100 }).optional(),
});
export type CaptureRow = TableRow<typeof capture>;

const asked = (rows: readonly CaptureRow[]): number =>
  rows.filter((row) => row.status !== 'failed' && row.status !== 'cancelled').reduce((sum, row) => sum + (row.amount ?? 0), 0);

async function queue(
  ctx: Ctx,
  row: PaymentRow,
  share: Share,
  of: { fulfillmentId: string; lines: Shipped[]; before: readonly CaptureRow[] },
): Promise<void> {
  const amount = share.last ? null : shareAmount(row.amount.amount, share, asked(of.before));
  await ctx.rows(capture).insert({
    paymentId: row.id,
    fulfillmentId: of.fulfillmentId,
    lines: of.lines,
    amount,
    final: share.last,
    status: amount === 0 ? 'succeeded' : 'pending',
  });
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.capture',
    extra: { amount: amount === null ? 'rest' : { amount, currency: row.amount.currency }, fulfillmentId: of.fulfillmentId },
  });
  if (amount !== 0) await ctx.enqueue(queued.capture, { paymentId: row.id }, { key: row.id });
}

/** ship.commit: each shipment takes its share of what was reserved, the last one the rest. A shipment counts once. */
export const captureShipment: TapFn<typeof shipCommit> = async (ctx, { order, lines, fulfillmentId }) => {
  const payments = await orderPayments(ctx, order.id);
  const reserved = payments.filter((row) => row.capture === 'manual' && isReserved(row));
  if (reserved.length === 0) return;
  const ids = reserved.map((row) => row.id);
  const captures = await ctx.rows(capture).find({ paymentId: ids }, { orderBy: ['id'] });
  for (const row of reserved) {
    const before = captures.filter((one) => one.paymentId === row.id);
    if (before.some((one) => one.fulfillmentId === fulfillmentId || one.final)) continue;
    const share = shareOf(
      order.lines,
      before.flatMap((one) => one.lines),
      lines,
    );
    await queue(ctx, row, share, { fulfillmentId, lines, before });
  }
};
