import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  publish: job<{ entity: string; id: string }>('publish'),
};
