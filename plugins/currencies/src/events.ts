import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `currencies.currency`. */
export const currencyEvents = entityEvents('currencies.currency', {
  created: { data: { id: f.id() } },
  updated: { data: { id: f.id() } },
});
