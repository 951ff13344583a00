import { f, type RowOf, type Shape, type TableRow, table } from '@storeloom/plugin-sdk';

/** One line as the buyer put it in; prices are never stored with it. */
const cartLineFields = {
  id: f.id(),
  kind: f.text({ max: 60 }),
  variantId: f.id().optional(),
  data: f.json().optional(),
  quantity: f.int({ min: 1 }),
  options: f.json().optional(),
  custom: f.json().optional(),
  /** Shown when what it names is gone. */
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

/** A whole cart is one row: adding a line is one read under the row lock and one write. */
export const cart = table('cart', {
  /** `one_click`: made for one order, never shown nor recovered. */
  kind: f.oneOf(['cart', 'one_click']).default('cart'),
  status: f.oneOf(cartStates).default('open'),
  tokenHash: f.text({ max: 64 }).optional(),
  /** The token under the installation's key: a customer's cart is found without it, and still has to show it. */
  tokenSealed: f.text({ max: 400 }).optional(),
  currency: f.text({ min: 3, max: 3 }),
  locale: f.text({ max: 20 }),
  customerId: f.ref('customers.customer').optional(),
  email: f.email().optional(),
  lines: f.list(f.object(cartLineFields)),
  codes: f.list(f.text({ max: 60 })),
  tenders: f.list(f.object(tenderFields)),
  shippingAddress: f.json().optional(),
  shippingMethodId: f.id().optional(),
  /** `{rate, rateId}` from the tenant's currency, fixed when the cart took its currency. */
  fx: f.json().optional(),
  /** Total when it was last changed, for recovery. */
  value: f.money(),
  /** The order that was placed from it and is alive. */
  orderId: f.id().optional(),
  orderToken: f.text({ max: 400 }).optional(),
  mergedInto: f.id().optional(),
  lastActivityAt: f.instant(),
  lockedAt: f.instant().optional(),
  convertedAt: f.instant().optional(),
  /** When the waiting order is cancelled if it isn't paid. */
  paymentDueAt: f.instant().optional(),
  metadata: f.json().optional(),
});
export type CartRow = TableRow<typeof cart>;

export interface Fx {
  rate: string;
  rateId: string | null;
}
export function fxOf(row: { fx: Record<string, unknown> | null }): Fx | undefined {
  return row.fx === null ? undefined : (row.fx as unknown as Fx);
}
