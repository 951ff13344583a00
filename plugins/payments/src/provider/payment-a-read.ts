import { isCurrency } from '@storeloom/plugin-sdk/money';
import { ProviderError, type ProviderPayment, type ProviderRefund, type ProviderStatus } from './adapter.ts';
import { type Charge, fromProvider, type Intent, type RefundObject, type Session, shortCode } from './payment-a-api.ts';

/** ISO 4217 code; an unknown currency is an invalid response. */
function currencyOf(text: string): string {
  const currency = text.toUpperCase();
  if (!isCurrency(currency))
    throw new ProviderError('unavailable', 'provider_unavailable', 'The provider returned an unknown currency');
  return currency;
}

function statusOf(intent: Intent): ProviderStatus {
  switch (intent.status) {
    case 'succeeded':
      return 'captured';
    case 'requires_capture':
      return intent.amount_received > 0 ? 'partially_captured' : 'authorized';
    case 'canceled':
      return 'cancelled';
    case 'requires_payment_method':
      return intent.last_payment_error ? 'failed' : 'requires_action';
    default:
      return 'requires_action';
  }
}

export function chargeOf(intent: Intent): Charge | undefined {
  return typeof intent.latest_charge === 'object' && intent.latest_charge !== null ? intent.latest_charge : undefined;
}

/** A saved instrument needs the provider's customer too. */
function instrumentOf(intent: Intent): ProviderPayment['instrument'] {
  const { payment_method: method, customer } = intent;
  if (typeof method !== 'object' || method === null || !method.card || !customer) return null;
  const { brand, last4, exp_month, exp_year } = method.card;
  return {
    token: JSON.stringify({ customer, paymentMethod: method.id }),
    brand,
    last4,
    expiry: `${exp_year}-${String(exp_month).padStart(2, '0')}`,
  };
}

export function readRefund(refund: RefundObject, currency: string): ProviderRefund {
  const status =
    refund.status === 'succeeded'
      ? 'succeeded'
      : refund.status === 'failed'
        ? 'failed'
        : refund.status === 'canceled'
          ? 'cancelled'
          : 'pending';
  return { ref: refund.id, refundId: refund.metadata?.refundId ?? null, amount: fromProvider(refund.amount, currency), status };
}

export function readIntent(intent: Intent): ProviderPayment {
  const currency = currencyOf(intent.currency);
  const amount = (value: number): number => fromProvider(value, currency);
  return {
    ref: intent.id,
    paymentId: intent.metadata?.paymentId ?? null,
    status: statusOf(intent),
    amount: amount(intent.amount),
    currency,
    authorized: amount(intent.status === 'canceled' ? intent.amount_received : intent.amount_capturable + intent.amount_received),
    captured: amount(intent.amount_received),
    refunds: (chargeOf(intent)?.refunds?.data ?? []).map((refund) => readRefund(refund, currency)),
    error: intent.last_payment_error ? shortCode(intent.last_payment_error.decline_code ?? intent.last_payment_error.code) : null,
    clientSecret: intent.client_secret,
    redirectUrl: intent.next_action?.redirect_to_url?.url ?? null,
    instrument: instrumentOf(intent),
  };
}

export function readSession(session: Session): ProviderPayment {
  const currency = currencyOf(session.currency);
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent : null;
  const unpaid: ProviderPayment = {
    ref: session.id,
    paymentId: session.metadata?.paymentId ?? null,
    status: session.status === 'expired' ? 'expired' : 'requires_action',
    amount: fromProvider(session.amount_total, currency),
    currency,
    authorized: 0,
    captured: 0,
    refunds: [],
    error: null,
    clientSecret: null,
    redirectUrl: session.status === 'open' ? session.url : null,
    instrument: null,
  };
  if (!intent) return unpaid;
  const paid = readIntent(intent);
  // The buyer may try another card on the hosted page: a declined card isn't final while the page is open.
  const isPending = paid.status === 'requires_action' || paid.status === 'failed';
  const status = isPending && session.status !== 'complete' ? unpaid.status : paid.status;
  return { ...paid, ref: unpaid.ref, paymentId: unpaid.paymentId, status, clientSecret: null, redirectUrl: unpaid.redirectUrl };
}
