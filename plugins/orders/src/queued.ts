import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  mail: job<{ template: 'packing' | 'edited'; orderId: string; fulfillmentId?: string; key: string }>('mail'),
  complete: job<{ after?: string }>('complete'),
};
