import { f } from '@storeloom/plugin-sdk';

export const settings = {
  /** Timeout of a rate request to a carrier during checkout. */
  quoteTimeoutMs: f.int({ min: 200, max: 5000 }).default(2500),
  /** Timeout of carrier requests for AWBs, labels and tracking. */
  carrierTimeoutMs: f.int({ min: 1000, max: 60_000 }).default(20_000),
  /** Minimum interval between tracking requests for a parcel in transit. */
  trackEveryMinutes: f.int({ min: 5, max: 1440 }).default(60),
};
