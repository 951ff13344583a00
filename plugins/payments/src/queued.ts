import type { PaymentSubject } from '@storeloom/commerce';
import { job } from '@storeloom/plugin-sdk';

/** Captured money that the owner of a subject accepts or refuses. */
export interface Settlement {
  for: PaymentSubject;
  reason: string;
  /** The owner has released the subject. */
  ended: boolean;
}

/** Jobs that are queued with data. */
export const queued = {
  capture: job<{ paymentId: string }>('capture'),
  void: job<{ paymentId: string }>('void'),
  recover: job<{ paymentId: string }>('recover'),
  refund: job<{ refundId: string }>('refund'),
  settle: job<Settlement>('settle'),
};
