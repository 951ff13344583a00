import { f, type Shape } from '@storeloom/plugin-sdk';

export const settings = {
  /** How long an order waits for its online payment before it is cancelled and the cart opens again. */
  paymentWindowMinutes: f.int({ min: 1, max: 1440 }).default(15),
  /** How long an order waits for a bank transfer. */
  offlinePaymentDays: f.int({ min: 1, max: 60 }).default(5),
  /** What happens to a payment that arrives after its order can no longer be fulfilled. */
  latePayment: f.oneOf(['refund', 'hold']).default('refund'),
  /** Days without activity after which a cart expires. */
  cartTtlDays: f.int({ min: 1, max: 365 }).default(30),
  /** Minimum value of the items after discounts, without shipping. */
  minOrderTotal: f.money({ min: 0 }).optional(),
  /** Whether visitors may place orders without signing in. */
  guestCheckout: f.bool().default(true),
} satisfies Shape;
