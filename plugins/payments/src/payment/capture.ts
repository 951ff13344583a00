import type { OrderView, shipCommit } from '@storeloom/commerce';
import { type Ctx, f, type TableRow, type TapFn, table } from '@storeloom/plugin-sdk';
import { maxAmount } from '@storeloom/plugin-sdk/money';
import { queued } from '../queued.ts';
import { isAuthorized, orderPayments, type PaymentRow } from './payment.ts';
import { type ShipmentShare, type ShippedLine, shareAmount, shareOf } from './shipment-share.ts';

/** A share of an authorised payment, captured when goods ship. */
export const capture = table(
  'capture',
  {
    paymentId: f.id(),
    fulfillmentId: f.id(),
    lines: f.list(f.object({ lineId: f.id(), quantity: f.int({ min: 0 }) })),
    /** Null: the remaining amount. */
    amount: f.int({ min: 0, max: maxAmount }).optional(),
    final: f.bool(),
    /** `deferred`: the card allows only one capture, so this share is captured with the last one. */
    status: f.oneOf(['pending', 'succeeded', 'deferred', 'failed', 'cancelled']),
    error: f.text({ max: 100 }).optional(),
  },
  {
    uniques: [{ fields: ['paymentId', 'fulfillmentId'] }],
    indexes: [{ name: 'payments_capture_pending_idx', fields: ['createdAt'], where: "status = 'pending'" }],
  },
);
export type CaptureRow = TableRow<typeof capture>;

const requestedAmount = (rows: readonly CaptureRow[]): number =>
  rows.filter((row) => row.status !== 'failed' && row.status !== 'cancelled').reduce((sum, row) => sum + (row.amount ?? 0), 0);

async function queueCapture(
  ctx: Ctx,
  row: PaymentRow,
  share: ShipmentShare,
  shipment: { fulfillmentId: string; lines: ShippedLine[]; before: readonly CaptureRow[] },
): Promise<void> {
  const amount = share.last ? null : shareAmount(row.amount.amount, share, requestedAmount(shipment.before));
  await ctx.rows(capture).insert({
    paymentId: row.id,
    fulfillmentId: shipment.fulfillmentId,
    lines: shipment.lines,
    amount,
    final: share.last,
    status: amount === 0 ? 'succeeded' : 'pending',
  });
  await ctx.audit({
    entity: 'payments.payment',
    entityId: row.id,
    action: 'payments.payment.capture',
    extra: {
      amount: amount === null ? 'rest' : { amount, currency: row.amount.currency },
      fulfillmentId: shipment.fulfillmentId,
    },
  });
  if (amount !== 0) await ctx.enqueue(queued.capture, { paymentId: row.id }, { key: row.id });
}

/** Authorised payments that are captured on shipment, each with its captures. */
async function capturesOf(ctx: Ctx, orderId: string): Promise<{ row: PaymentRow; before: CaptureRow[] }[]> {
  const payments = await orderPayments(ctx, orderId);
  const authorized = payments.filter((row) => row.capture === 'manual' && isAuthorized(row));
  if (authorized.length === 0) return [];
  const captures = await ctx.rows(capture).find({ paymentId: authorized.map((row) => row.id) }, { orderBy: ['id'] });
  return authorized.map((row) => ({ row, before: captures.filter((one) => one.paymentId === row.id) }));
}

/** ship.commit: captures the share of each shipment, and the remaining amount with the last one. A shipment counts once. */
export const captureShipment: TapFn<typeof shipCommit> = async (ctx, { order, lines, fulfillmentId }) => {
  for (const { row, before } of await capturesOf(ctx, order.id)) {
    if (before.some((one) => one.fulfillmentId === fulfillmentId || one.final)) continue;
    const share = shareOf(
      order.lines,
      before.flatMap((one) => one.lines),
      lines,
    );
    await queueCapture(ctx, row, share, { fulfillmentId, lines, before });
  }
};

const shippingStatuses: readonly OrderView['status'][] = ['pending', 'confirmed', 'processing', 'on_hold'];

/** Captures the remaining amount of an edited order whose remaining units have all shipped, and voids the rest of its authorisation. */
export async function captureRest(ctx: Ctx, { id, status, lines }: OrderView): Promise<void> {
  const goods = lines.filter(({ ships }) => ships);
  const isShipped =
    goods.some(({ quantityShipped }) => quantityShipped > 0) &&
    goods.every(({ quantity, quantityCancelled, quantityShipped }) => quantityShipped >= quantity - quantityCancelled);
  if (!isShipped || !shippingStatuses.includes(status)) return;
  for (const { row, before } of await capturesOf(ctx, id)) {
    if (before.some((one) => one.final)) continue;
    // No fulfilment is the last one: the order's id stands for it.
    await queueCapture(ctx, row, { to: 1, total: 1, last: true }, { fulfillmentId: id, lines: [], before });
  }
}
