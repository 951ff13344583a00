import { bail, series } from '@storeloom/plugin-sdk';
import type { Priced } from './priced.ts';
import type { PricingContext } from './pricing-context.ts';

export interface PlaceInput {
  context: PricingContext;
  /** Null for an order that has no cart (draft, B2B, subscription). */
  /** `status` before it was placed. */
  cart: { id: string; customerId: string | null; status: 'open' | 'abandoned' } | null;
  draftId: string | null;
  /** The customer's record that the order belongs to: who is signed in, or who was found or made by e-mail. */
  customerId: string | null;
  orderId: string;
  /** The ids of its lines are new for each placing: they are the ids of the order's lines. */
  priced: Priced;
  /** Until when an unpaid order holds what it took; null when it waits for nobody's payment. */
  expiresAt: string | null;
  consents: { terms: boolean; marketing?: boolean; age?: boolean } | null;
  note: string | null;
  poNumber: string | null;
  email: string;
  phone: string | null;
  /** Payment to be made; null when nothing is due. */
  payment: {
    id: string;
    methodCode: string;
    provider: string;
    /** A provider is called after the commit. */
    online: boolean;
    /** The order confirms without being paid (on delivery, on account). */
    paidLater: boolean;
    amount: number;
    returnUrl: string | null;
    saveInstrument: boolean;
    instrumentId: string | null;
  } | null;
  ip: string | null;
  userAgent: string | null;
  /** Filled by taps of place.commit for those after them, by plugin: `results.orders = {number, token}`, inventory the split. */
  results: PlaceResults;
  /** Set by a tap: the order starts on hold, with the reason. */
  hold: { reason: string } | null;
}

export interface PlaceResults {
  /** The plain order token stands in the answer of `place` and in order mails, nowhere else. */
  orders?: { number: string; token: string };
  [plugin: string]: unknown;
}

// Longer than the database's own limits (a lock is waited for 3 s, a statement runs 5 s): those end a wait with a clear answer.
/** Reads only; throws the problem that a buyer should see. */
export const placeCheck = series<PlaceInput>('checkout:place.check', { deadline: 20_000 });

/** Writes with ctx.db, in the transaction. */
export const placeCommit = series<PlaceInput>('checkout:place.commit', { deadline: 20_000 });

/** After the commit, outside any transaction. The adapter gets the payment id as its idempotency key. */
export const paymentStart = bail<
  { orderId: string; paymentId: string },
  { status: string; providerRef?: string; clientSecret?: string; redirectUrl?: string }
>('checkout:payment.start', { deadline: 20_000 });
