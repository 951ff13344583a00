import { f } from '@storeloom/plugin-sdk';

export const settings = {
  /** Sources of the automatic rates. */
  sources: f.list(f.oneOf(['bnr', 'ecb']), { max: 2 }).default(['bnr']),
  bnrUrl: f.url().default('https://www.bnr.ro/nbrfxrates.xml'),
  ecbUrl: f.url().default('https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml'),
  /** Rates older than this are used with a warning. */
  maxAgeHours: f.int({ min: 1, max: 24 * 365 }).default(72),
};
