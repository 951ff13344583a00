import { bail, type MoneyValue, service } from '@storeloom/plugin-sdk';

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
  /** The money wasn't the thing's (it came late, or twice) and goes back: it pays nothing. */
  givenBack: boolean;
  expiresAt: string | null;
  error: string | null;
  clientSecret: string | null;
  redirectUrl: string | null;
  createdAt: string;
}

export interface RefundView {
  id: string;
  paymentId: string;
  amount: MoneyValue;
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  reason: string;
  method: string;
  /** `refundId` of the flow that asked for it: parts of one refund over several payments share it. */
  groupId: string | null;
  providerRef: string | null;
  by: string | null;
  createdAt: string;
}

/**
 * For every plugin that takes money. `start`, `startProvider` and `sync` call a provider: not inside a transaction (`commitThen`,
 * `transaction: 'none'`); they throw there.
 */
export interface Payments {
  /** Again for the same thing, amount and method: the payment that waits for the buyer already. */
  start(request: {
    for: { type: string; id: string };
    amount: MoneyValue;
    email: string;
    description: string;
    methodCode?: string;
    returnUrl?: string;
    expiresAt?: string;
    /** Who pays; needed to keep an instrument or to pay by one. */
    customerId?: string;
    saveInstrument?: boolean;
    /** Pays by a kept instrument, without the buyer (renewals). */
    instrumentId?: string;
  }): Promise<{ paymentId: string; status: PaymentState; url: string | null }>;
  status(paymentId: string): Promise<PaymentView | undefined>;
  refund(request: { paymentId: string; amount: MoneyValue; reason: string; key: string }): Promise<RefundView>;
  of(thing: { type: string; id: string }, options?: { lock?: boolean }): Promise<PaymentView[]>;
  refundsOf(thing: { type: string; id: string }): Promise<RefundView[]>;
  /** Enabled methods for a context; 422 `payment_method_unavailable` by the caller when the code isn't among them. */
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
      /** Publishable key for the provider's form on the shop's own page; null where the buyer is sent to the provider. */
      clientKey: string | null;
    }[]
  >;
  /** New attempt for an order after a failure. In the caller's transaction; provider call by `paymentStart` after it. */
  attempt(request: { orderId: string; methodCode: string; amount: MoneyValue; returnUrl: string | null }): Promise<PaymentView>;
  /** Calls the provider once for a `created` payment, outside any transaction; racing callers get the same answer. */
  startProvider(paymentId: string): Promise<PaymentView>;
  /** Asks the provider and applies what it says (idempotent beside the webhook). */
  sync(paymentId: string): Promise<PaymentView>;
  /** Saved instruments of a customer, the default one first, each with the enabled method it pays with. */
  instruments(
    customerId: string,
  ): Promise<{ id: string; methodCode: string; brand: string; last4: string; expiry: string | null }[]>;
  /** Voids or cancels what isn't captured; queues refunds of what is. In the caller's transaction. */
  release(thing: { type: string; id: string }, options: { refund: boolean; reason: string }): Promise<void>;
}

export const payments = service<Payments>('payments:payments');

/**
 * Policy for money that came for a cancelled order, or for one that is paid already. Tapped by the owner of the setting `latePayment`
 * (checkout). Without a tap: `refund`. Subjects that aren't orders are asked by `settlePayable`.
 */
export const lateMoney = bail<{ for: { type: string; id: string }; paymentId: string }, 'refund' | 'hold'>('payments:late-money');
