import { job } from '@storeloom/plugin-sdk';

/** Jobs that are queued with data. */
export const queued = {
  changeDue: job<{ productId: string }>('change-due'),
};
