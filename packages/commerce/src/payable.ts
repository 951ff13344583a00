import { bail, type MoneyValue, service } from '@storeloom/plugin-sdk';

/** What a payment is for: `<plugin>.<noun>` and an id of the plugin's own. */
export interface PaymentSubject {
  type: string;
  id: string;
}

/**
 * Assigns money that was captured for anything but an order. Payments call it after each capture, for late money, and before they give
 * money back, with their own rows locked; a tap locks its rows after that. A tap returns `accepted` when the money pays for its subject
 * (also when called again), `refused` when it has to go back, and undefined for subjects of other plugins.
 */
export const settlePayable = bail<{ for: PaymentSubject }, 'accepted' | 'refused'>('payments:payable.settle');

/** Input of `Payable.start`. */
export interface PayableRequest {
  for: PaymentSubject;
  amount: MoneyValue;
  email: string;
  description: string;
  /** When the subject is released again; the payment expires with it. */
  expiresAt: string | null;
  customerId: string | null;
  /** Where the payment page sends the buyer back. */
  returnUrl: string | null;
}

/**
 * Money for what isn't an order: a deposit, tickets, a donation. The plugin holds its resource, starts the payment, and learns through
 * `settlePayable` that the money is there.
 */
export interface Payable {
  /** For use before anything is held. @throws 501 `provider_not_configured` unless an enabled method takes the total online */
  requireOnline(total: MoneyValue): Promise<void>;
  /**
   * Starts the payment and returns the address of its page, null where none is needed. Calls a provider: outside any transaction
   * (`commitThen`). When it fails, `release` frees what is held.
   * @throws 503 `unavailable`, or the error of the provider
   */
  start(request: PayableRequest, release: () => Promise<unknown>): Promise<string | null>;
  /**
   * Ends open payments and gives back what was captured, unless `settlePayable` accepts it. Runs as a job after the commit, so that the
   * caller may hold locks of its own.
   */
  giveBack(subject: PaymentSubject, reason: string): Promise<void>;
  /** Gives back a part of what was captured; once a key. Without captured money nothing happens. */
  giveBackPart(subject: PaymentSubject, request: { amount: MoneyValue; reason: string; key: string }): Promise<void>;
}
/** Token of `Payable`. */
export const payable = service<Payable>('payments:payable');
