import { job } from '@storeloom/plugin-sdk';

export const queued = {
  remind: job<{ abandonedId: string; abandonedAt: string; step: number }>('remind'),
};
