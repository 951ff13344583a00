import type { pricing } from '@storeloom/plugin-checkout/contract';
import type { customers } from '@storeloom/plugin-customers/contract';
import type { stock } from '@storeloom/plugin-inventory/contract';
import type { PaymentView, payments, RefundView } from '@storeloom/plugin-payments/contract';
import { type Ctx, token } from '@storeloom/plugin-sdk';
import type { shipping } from '@storeloom/plugin-shipping/contract';

/** Plugins that orders asks, by name only: each of them may be off. */
export const pricingToken = token<typeof pricing>('checkout:pricing');
export const paymentsToken = token<typeof payments>('payments:payments');
export const stockToken = token<typeof stock>('inventory:stock');
export const shippingToken = token<typeof shipping>('shipping:shipping');
export const customersToken = token<typeof customers>('customers:customers');

const thing = (orderId: string): { type: string; id: string } => ({ type: 'orders.order', id: orderId });

/** Payments of an order, newest first. */
export async function paymentsOf(ctx: Ctx, orderId: string, options: { lock?: boolean } = {}): Promise<PaymentView[]> {
  const service = ctx.use(paymentsToken);
  if (!service) return [];
  const found = await service.of(thing(orderId), options);
  return [...found].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? 1 : -1) : a.createdAt < b.createdAt ? 1 : -1));
}

/** Refunds that payments keeps for an order, oldest first. */
export async function paymentRefundsOf(ctx: Ctx, orderId: string): Promise<RefundView[]> {
  const service = ctx.use(paymentsToken);
  if (!service) return [];
  const found = await service.refundsOf(thing(orderId));
  return [...found].sort((a, b) => (a.createdAt === b.createdAt ? (a.id < b.id ? -1 : 1) : a.createdAt < b.createdAt ? -1 : 1));
}
