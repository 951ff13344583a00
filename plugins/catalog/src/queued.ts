import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  /** Ids of variants. */
  stock: job<{ ids: string[] }>('stock'),
  changeDue: job<{ productId: string }>('change-due'),
};
