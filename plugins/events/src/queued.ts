import { job } from '@storeloom/plugin-sdk';

export type News = 'moved' | 'postponed' | 'cancelled';

/** Jobs that are queued with data. */
export const queued = {
  tell: job<{ eventId: string; news: News; sequence: number }>('tell'),
  cancelled: job<{ eventId: string }>('cancelled'),
};
