import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  cancelAwb: job<{ provider: string; awbNumber: string }>('cancel-awb'),
};
