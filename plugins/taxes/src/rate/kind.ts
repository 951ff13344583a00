import { isValidOn, publishedRates, type RateKind } from './eu-rates.ts';

/** The kind of a rate in its country: zero, as published, or standard or reduced by category. */
export function rateKind(country: string, date: string, ratePpm: number, isDefault: boolean): RateKind {
  if (ratePpm === 0) return 'zero';
  const published = publishedRates(country).find((one) => isValidOn(one, date) && one.ratePpm === ratePpm);
  return published?.kind ?? (isDefault ? 'standard' : 'reduced');
}
