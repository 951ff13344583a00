import { holdsOn, publishedRates, type RateKind } from './eu-rates.ts';

/** What a rate is in its country: 0, the standard rate, or one below it. */
export function rateKind(country: string, date: string, ratePpm: number, isDefault: boolean): RateKind {
  if (ratePpm === 0) return 'zero';
  const published = publishedRates(country).find((one) => holdsOn(one, date) && one.ratePpm === ratePpm);
  return published?.kind ?? (isDefault ? 'standard' : 'reduced');
}
