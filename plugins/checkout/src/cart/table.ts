import { f, type RowOf, type Shape, type TableRow, table } from '@storeloom/plugin-sdk';
import { addressFields } from '../address.ts';

/** One line as the buyer entered it. Prices are not stored, because each view calculates them. */
const cartLineFields = {
  id: f.id(),
  kind: f.text({ max: 60 }),
  variantId: f.id().optional(),
  data: f.json().optional(),
  quantity: f.int({ min: 1 }),
  options: f.json().optional(),
  custom: f.json().optional(),
  /** Shown when the item is no longer sold. */
  title: f.text({ max: 500 }),
} satisfies Shape;
export type CartLine = RowOf<typeof cartLineFields>;

export const tenderTypes = ['gift_card', 'store_credit', 'loyalty_points'] as const;
const tenderFields = {
  type: f.oneOf(tenderTypes),
  code: f.text({ max: 100 }).optional(),
  amount: f.int({ min: 1 }).optional(),
} satisfies Shape;

const cartStates = ['open', 'locked', 'converted', 'abandoned', 'merged', 'expired'] as const;
export type CartStatus = (typeof cartStates)[number];

/** A cart is one row, so that adding a line takes one locked read and one write. */
export const cart = table(
  'cart',
  {
    /** `one_click`: created for one order, hidden from the buyer and from recovery. */
    kind: f.oneOf(['cart', 'one_click']).default('cart'),
    status: f.oneOf(cartStates).default('open'),
    tokenHash: f.text({ max: 64 }).optional(),
    /** The token, encrypted with the installation's key. Needed because a customer's cart is found without its token but returns it. */
    tokenSealed: f.text({ max: 400 }).optional(),
    currency: f.text({ min: 3, max: 3 }),
    locale: f.text({ max: 20 }),
    customerId: f.ref('customers.customer').optional(),
    email: f.email().optional(),
    lines: f.list(f.object(cartLineFields)),
    codes: f.list(f.text({ max: 60 })),
    tenders: f.list(f.object(tenderFields)),
    shippingAddress: f.object(addressFields).optional(),
    shippingMethodId: f.id().optional(),
    /** The payment method and the country that the buyer intends, until the order names them. */
    paymentMethod: f.text({ max: 60 }).optional(),
    country: f.text({ max: 2 }).optional(),
    /** `{rate, rateId}` from the tenant's currency, fixed when the cart's currency was set. */
    fx: f.json<Fx>().optional(),
    /** Total at the last change, for recovery. */
    value: f.money(),
    /** The active order of this cart. */
    orderId: f.id().optional(),
    orderToken: f.text({ max: 400 }).optional(),
    /** The cart that a merged cart is part of, or that its visitor started after ordering. */
    mergedInto: f.id().optional(),
    lastActivityAt: f.instant(),
    lockedAt: f.instant().optional(),
    convertedAt: f.instant().optional(),
    /** When the unpaid order is cancelled. */
    paymentDueAt: f.instant().optional(),
    metadata: f.json().optional(),
  },
  {
    uniques: [
      {
        fields: ['customerId'],
        where: "kind = 'cart' and status in ('open', 'locked', 'abandoned') and customer_id is not null",
      },
      { fields: ['tokenHash'] },
    ],
    indexes: [
      { name: 'checkout_cart_activity_idx', fields: ['status', 'lastActivityAt'] },
      { name: 'checkout_cart_customer_idx', fields: ['customerId', 'convertedAt'], where: 'customer_id is not null' },
      { fields: ['email'], where: 'email is not null' },
      { name: 'checkout_cart_order_idx', fields: ['orderId'], where: 'order_id is not null' },
      { name: 'checkout_cart_payment_due_idx', fields: ['paymentDueAt'], where: 'payment_due_at is not null' },
    ],
  },
);
export type CartRow = TableRow<typeof cart>;

export interface Fx {
  rate: string;
  rateId: string | null;
}
export function fxOf(row: { fx: Fx | null }): Fx | undefined {
  return row.fx ?? undefined;
}
