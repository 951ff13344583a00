import { bail, type MoneyValue, service } from '@storeloom/plugin-sdk';
import type { RefundMethod } from './orders/order-states.ts';

/** States of a payment. */
export type PaymentState =
  | 'created'
  | 'requires_action'
  | 'authorized'
  | 'captured'
  | 'partially_captured'
  | 'voided'
  | 'failed'
  | 'expired'
  | 'cancelled';

/** A payment. `for` is what is paid: `{type: 'orders.order', id}`. Plain amounts in minor units of `amount.currency`. */
export interface PaymentView {
  id: string;
  for: { type: string; id: string };
  methodCode: string;
  provider: string;
  providerRef: string | null;
  status: PaymentState;
  amount: MoneyValue;
  authorizedAmount: number;
  capturedAmount: number;
  refundedAmount: number;
  /** The payment came late or twice and is returned: it doesn't pay for its purpose. */
  givenBack: boolean;
  expiresAt: string | null;
  error: string | null;
  clientSecret: string | null;
  redirectUrl: string | null;
  createdAt: string;
}

/** A refund of one payment. */
export interface RefundView {
  id: string;
  paymentId: string;
  amount: MoneyValue;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  reason: string;
  method: RefundMethod;
  /** `refundId` of the refund that it is part of, when it is spread over several payments. */
  groupId: string | null;
  providerRef: string | null;
  by: string | null;
  createdAt: string;
}

/**
 * Payments, for every plugin that sells. Provided by plugin payments. `start`, `startProvider` and `sync` call a provider and throw inside
 * a transaction: call them from `commitThen` or a route with `transaction: 'none'`.
 */
export interface Payments {
  /**
   * Creates a payment. A repeated call with the same purpose, amount and method returns the payment that waits for the buyer. Without
   * `methodCode`: the first enabled online method.
   * @throws Problem 501 `provider_not_configured`
   */
  start(request: {
    for: { type: string; id: string };
    amount: MoneyValue;
    email: string;
    description: string;
    methodCode?: string;
    returnUrl?: string;
    expiresAt?: string;
    /** Required to save an instrument or to pay by a saved one. */
    customerId?: string;
    saveInstrument?: boolean;
    /** Pays by a saved instrument, without the buyer (renewals). */
    instrumentId?: string;
  }): Promise<{ paymentId: string; status: PaymentState; url: string | null }>;
  status(paymentId: string): Promise<PaymentView | undefined>;
  /** Refunds a payment. Idempotent by `key`. */
  refund(request: { paymentId: string; amount: MoneyValue; reason: string; key: string }): Promise<RefundView>;
  /** Payments for a purpose. `lock`: for update. */
  of(purpose: { type: string; id: string }, options?: { lock?: boolean }): Promise<PaymentView[]>;
  /** Refunds of the payments for a purpose. */
  refundsOf(purpose: { type: string; id: string }): Promise<RefundView[]>;
  /** Enabled methods for a total, country and customer groups. */
  methods(filter: { total: MoneyValue; country?: string; customerGroupIds?: string[] }): Promise<
    {
      id: string;
      code: string;
      name: Record<string, string>;
      provider: string;
      online: boolean;
      paidLater: boolean;
      capture: 'auto' | 'manual';
      instructions: Record<string, string> | null;
      fee: { fixed: MoneyValue | null; percentBp: number | null } | null;
      /** Publishable key for the provider's form on the shop's page; null where the buyer is redirected to the provider. */
      clientKey: string | null;
    }[]
  >;
  /** Creates the next payment of an order after a failure, in the caller's transaction. `startProvider` calls the provider afterwards. */
  attempt(request: { orderId: string; methodCode: string; amount: MoneyValue; returnUrl: string | null }): Promise<PaymentView>;
  /**
   * Records money that staff took for an order without a provider (at a desk), in the caller's transaction: at most what is still due, and
   * never twice. Replaces the order's waiting payment; with a smaller amount, a waiting payment for the rest follows.
   * Returns the recorded amount. @throws Problem 501 `provider_not_configured` without an offline method
   */
  recordOffline(request: { orderId: string; amount: MoneyValue; reference: string; reason: string }): Promise<MoneyValue>;
  /** Calls the provider once for a `created` payment. Concurrent callers get the same result. */
  startProvider(paymentId: string): Promise<PaymentView>;
  /** Reads the provider's status and applies it, like its webhook. Idempotent. */
  sync(paymentId: string): Promise<PaymentView>;
  /** Saved instruments of a customer, the default one first, each with the enabled method that it pays with. */
  instruments(
    customerId: string,
  ): Promise<{ id: string; methodCode: string; brand: string; last4: string; expiry: string | null }[]>;
  /** Voids or cancels payments that aren't captured; `refund`: queues refunds of captured ones. In the caller's transaction. */
  release(purpose: { type: string; id: string }, options: { refund: boolean; reason: string }): Promise<void>;
}

/** Token of `Payments`. */
export const payments = service<Payments>('payments:payments');

/**
 * Policy for money that came for a cancelled order, or for one that is paid already. Tapped by the owner of the setting `latePayment`
 * (checkout). Without a tap: `refund`. Subjects that aren't orders are asked by `settlePayable`.
 */
export const lateMoney = bail<{ for: { type: string; id: string }; paymentId: string }, 'refund' | 'hold'>('payments:late-money');
