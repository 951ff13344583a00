import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  dispatch: job<{ endpointId: string }>('dispatch'),
};
