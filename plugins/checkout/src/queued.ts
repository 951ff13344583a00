import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  remind: job<{ abandonedId: string; abandonedAt: string; step: number }>('remind'),
};
