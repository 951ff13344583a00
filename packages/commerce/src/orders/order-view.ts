import type { Address } from '@storeloom/plugin-sdk/people';
import type { FulfillmentStatus, OrderStatus, PaymentStatus } from './order-states.ts';

/** An order line. Amounts in minor units of the order's currency. */
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

/** An order. Amounts in minor units of its currency. */
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
  /** Refunded amount above what the refunded parts cost now, which pays for nothing else. Set by `get` where it isn't 0. */
  refundedBeyond?: number;
  placedAt: string;
  cartId: string | null;
  draftId: string | null;
  /** Language of the buyer's e-mails and documents. */
  locale: string;
  /** Paid by tenders: gift cards, store credit, points. */
  tendered: number;
  /** Reason of the hold: `late_payment`, `payment_mismatch`, `tax_check`, or a text of staff. */
  holdReason: string | null;
  /** The status that an order on hold returns to. */
  previousStatus: OrderStatus | null;
  /** Code of the chosen payment method; null when nothing was due. */
  paymentMethod: string | null;
  /** Ids of the promotions that apply to the order. */
  promotionIds: string[];
  lines: OrderLineView[];
}
