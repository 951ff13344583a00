import { addDays, type CivilDate } from '@storeloom/plugin-sdk/time';
import data from '../../data/eu-vat-rates.json' with { type: 'json' };

export type RateKind = 'standard' | 'reduced' | 'super_reduced' | 'parking' | 'zero';
export interface PublishedRate {
  country: string;
  kind: RateKind;
  ratePpm: number;
  validFrom: CivilDate;
  validTo: CivilDate | null;
}

interface CountryRates {
  standard: readonly { ratePpm: number; from: string }[];
  others: readonly { kind: string; ratePpm: number; from: string }[];
}
const ratesByCountry: Readonly<Record<string, CountryRates>> = { ...data.memberStates, ...data.territories };

/** Date of the published rates; after `snapshotMaxAgeDays` they must be verified. */
export const snapshotDate: CivilDate = data.snapshot;
export const snapshotMaxAgeDays = 180;

/** All published rates of a country, the standard ones with their periods. */
export function publishedRates(country: string): PublishedRate[] {
  const rates = Object.hasOwn(ratesByCountry, country) ? ratesByCountry[country] : undefined;
  if (!rates) return [];
  const standard = rates.standard.map(({ ratePpm, from }, i): PublishedRate => {
    const next = rates.standard[i + 1];
    return { country, kind: 'standard', ratePpm, validFrom: from, validTo: next ? addDays(next.from, -1) : null };
  });
  const others = rates.others.map(({ kind, ratePpm, from }): PublishedRate => {
    return { country, kind: kind as RateKind, ratePpm, validFrom: from, validTo: null };
  });
  return [...standard, ...others];
}

export function isValidOn({ validFrom, validTo }: { validFrom: CivilDate; validTo: CivilDate | null }, date: CivilDate): boolean {
  return validFrom <= date && (validTo === null || date <= validTo);
}

export function standardRate(country: string, date: CivilDate): PublishedRate | undefined {
  return publishedRates(country).find((rate) => rate.kind === 'standard' && isValidOn(rate, date));
}
