import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  checkVat: job<{ number: string }>('checkVat'),
  proveVat: job<{ orderId: string; number: string; attempt: number }>('proveVat'),
};
