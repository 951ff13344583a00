import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  checkVat: job<{ number: string }>('checkVat'),
};
