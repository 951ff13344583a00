import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  /** Ids of products. */
  products: job<{ ids: string[] }>('products'),
  words: job<Record<never, never>>('words'),
  reindex: job<Record<never, never>>('reindex'),
};
