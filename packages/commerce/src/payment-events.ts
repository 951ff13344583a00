import { entityEvents, f } from '@storeloom/plugin-sdk';

const thing = f.object({ type: f.text(), id: f.id() });
const paymentData = {
  id: f.id(),
  for: thing,
  methodCode: f.text(),
  provider: f.text(),
  status: f.text(),
  amount: f.money(),
  authorizedAmount: f.int(),
  capturedAmount: f.int(),
  /** The money came after its payment had ended. */
  late: f.bool(),
  error: f.text().optional(),
};
const refundData = {
  id: f.id(),
  paymentId: f.id(),
  for: thing,
  amount: f.money(),
  method: f.text(),
  reason: f.text(),
};

/** Events of `payments.payment`. */
export const paymentEvents = entityEvents('payments.payment', {
  authorized: { public: true, title: 'Payment authorised', data: paymentData },
  captured: { public: true, title: 'Payment captured', data: paymentData },
  failed: { public: true, title: 'Payment failed', data: paymentData },
  repaired: {
    public: true,
    title: 'Payment reconciled with the provider',
    data: { ...paymentData, repair: f.text(), refund: f.money().optional() },
  },
});
/** Events of `payments.refund`. */
export const paymentRefundEvents = entityEvents('payments.refund', {
  succeeded: { public: true, title: 'Refund succeeded', data: refundData },
  failed: { public: true, title: 'Refund failed', data: { ...refundData, error: f.text().optional() } },
});
