import { f } from '@storeloom/plugin-sdk';

export const settings = {
  /** How long a buyer waits for a carrier's price. */
  quoteTimeoutMs: f.int({ min: 200, max: 5000 }).default(2500),
  /** How long staff wait for an AWB, a label or the steps of a parcel. */
  carrierTimeoutMs: f.int({ min: 1000, max: 60_000 }).default(20_000),
  /** Steps of parcels under way are asked for again after this long. */
  trackEveryMinutes: f.int({ min: 5, max: 1440 }).default(60),
};
