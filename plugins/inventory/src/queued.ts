import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  republishLevels: job<{ warehouseId: string; opened: boolean; after?: string }>('retell-levels'),
  backInStock: job<{ variantId: string; units: number | null; wasSoldOut: boolean }>('tell-waiting'),
};
