import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  erase: job<{ customerId: string }>('erase'),
  export: job<{ customerId: string }>('export'),
};
