import { bail, series } from '@storeloom/plugin-sdk';
import type { Priced } from './priced.ts';
import type { PricingContext } from './pricing-context.ts';

/** An order that is being placed, as taps of `placeCheck` and `placeCommit` receive it. */
export interface PlaceInput {
  context: PricingContext;
  /** Null for an order without a cart (draft, B2B, subscription). `status` is the one before placing. */
  cart: { id: string; customerId: string | null; status: 'open' | 'abandoned' } | null;
  draftId: string | null;
  /** The signed-in customer, or the record with the buyer's e-mail address. */
  customerId: string | null;
  orderId: string;
  /** Line ids are new for each attempt and become the ids of the order's lines. */
  priced: Priced;
  /** Until when an unpaid order keeps its reservations; null when it doesn't wait for a payment. */
  expiresAt: string | null;
  consents: { terms: boolean; marketing?: boolean; age?: boolean } | null;
  note: string | null;
  poNumber: string | null;
  email: string;
  phone: string | null;
  /** The payment to create; null when nothing is due. `amount` in minor units. */
  payment: {
    id: string;
    methodCode: string;
    provider: string;
    /** The provider is called after the commit. */
    online: boolean;
    /** The order is confirmed before it is paid (on delivery, on account). */
    paidLater: boolean;
    amount: number;
    returnUrl: string | null;
    saveInstrument: boolean;
    instrumentId: string | null;
  } | null;
  ip: string | null;
  userAgent: string | null;
  /** Results that taps of `placeCommit` leave for the taps after them. */
  results: PlaceResults;
  /** Set by a tap: the order starts on hold for this reason. */
  hold: { reason: string } | null;
}

/** Results by plugin: `orders` the number and token, `inventory` a `PlacedStock`. */
export interface PlaceResults {
  /** The plain order token is part of the response and of order e-mails only. */
  orders?: { number: string; token: string };
  [plugin: string]: unknown;
}

// Longer than the database's limits (3 s for a lock, 5 s for a statement), whose errors are clearer than a missed deadline.
const place = { deadline: 20_000 };

/** Step 12: taps check whether the order can be placed and throw the problem that the buyer sees. They only read. */
export const placeCheck = series<PlaceInput>('checkout:place.check', place);

/** Step 13: taps write their part of the order, in one transaction. */
export const placeCommit = series<PlaceInput>('checkout:place.commit', place);

/** Step 15: calls the payment provider, after the commit and outside any transaction. The payment id is the idempotency key. */
export const paymentStart = bail<
  { orderId: string; paymentId: string },
  { status: string; providerRef?: string; clientSecret?: string; redirectUrl?: string }
>('checkout:payment.start', place);
