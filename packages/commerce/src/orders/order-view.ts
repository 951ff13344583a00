import type { Address } from '@storeloom/plugin-sdk/people';
import type { FulfillmentStatus, OrderStatus, PaymentStatus } from './order-states.ts';

/** An order line as other plugins see it. Amounts in minor units of the order's currency. */
export interface OrderLineView {
  id: string;
  kind: string;
  variantId: string | null;
  productId: string | null;
  sku: string | null;
  title: string;
  quantity: number;
  unitPrice: number;
  lineSubtotal: number;
  discountTotal: number;
  tax: number;
  total: number;
  taxLines: { ratePpm: number; amount: number; name: string }[];
  ships: boolean;
  weightG: number;
  children: { variantId: string; quantity: number; title: string; sku: string }[] | null;
  data: Record<string, unknown> | null;
  options: Record<string, string> | null;
  quantityFulfilled: number;
  quantityShipped: number;
  quantityDelivered: number;
  quantityReturned: number;
  quantityCancelled: number;
  quantityRefunded: number;
}

export interface OrderView {
  id: string;
  number: string;
  status: OrderStatus;
  paymentStatus: PaymentStatus;
  fulfillmentStatus: FulfillmentStatus;
  channel: string;
  customerId: string | null;
  email: string;
  phone: string | null;
  currency: string;
  priceMode: 'gross' | 'net';
  billingAddress: Address;
  shippingAddress: Address | null;
  shippingMethodId: string | null;
  total: number;
  amountDue: number;
  captured: number;
  refunded: number;
  /** What refunds gave back for parts that cost less by now: it pays for nothing else. Told by `get`; nothing where there is none. */
  refundedBeyond?: number;
  placedAt: string;
  cartId: string | null;
  draftId: string | null;
  /** Language of the buyer's mails and documents. */
  locale: string;
  /** Paid by what is no payment: gift cards, store credit, points as money. */
  tendered: number;
  /** Why it is on hold (`late_payment`, `payment_mismatch`, `tax_check`, or a text of staff), and the state it goes back to. */
  holdReason: string | null;
  previousStatus: OrderStatus | null;
  /** Code of the payment method that the buyer chose; null when nothing was due. */
  paymentMethod: string | null;
  /** Ids of the promotions that stand on the order. */
  promotionIds: string[];
  lines: OrderLineView[];
}
