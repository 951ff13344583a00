import type { PaymentSubject } from '@storeloom/commerce';
import { job } from '@storeloom/plugin-sdk';

/** What the owner of a subject is asked about its captured money. */
export interface Settlement {
  for: PaymentSubject;
  reason: string;
  /** The owner gave the subject up. */
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
