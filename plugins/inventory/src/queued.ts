import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  retellLevels: job<{ warehouseId: string; opened: boolean; after?: string }>('retell-levels'),
  tellWaiting: job<{ variantId: string; units: number | null; turned: boolean }>('tell-waiting'),
};
