import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  shelfDue: job<Record<never, never>>('shelf-due'),
};
