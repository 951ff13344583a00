import { type PaymentView, payments, type RefundView } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';

const subjectOf = (orderId: string): { type: string; id: string } => ({ type: 'orders.order', id: orderId });

/** Payments of an order, newest first. */
export async function paymentsOf(ctx: Ctx, orderId: string, options: { lock?: boolean } = {}): Promise<PaymentView[]> {
  const service = ctx.use(payments);
  if (!service) return [];
  const found = await service.of(subjectOf(orderId), options);
  return [...found].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1));
}

/** Refunds of an order in payments, oldest first. */
export async function paymentRefundsOf(ctx: Ctx, orderId: string): Promise<RefundView[]> {
  const service = ctx.use(payments);
  if (!service) return [];
  const found = await service.refundsOf(subjectOf(orderId));
  return [...found].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1));
}
