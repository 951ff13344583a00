import { describe, expect, it } from 'vitest';
import { countryOfZone, dateIn, isCountry, memberStates, vatCountry } from './countries.ts';
import { isValidOn, publishedRates, standardRate } from './eu-rates.ts';

const of = (country: string, kind: string) =>
  publishedRates(country)
    .filter((rate) => rate.kind === kind)
    .map((rate) => rate.ratePpm);

describe('published rates', () => {
  // The standard rates of 2026.
  it.each(
    Object.entries({
      AT: 20,
      BE: 21,
      BG: 20,
      CY: 19,
      CZ: 21,
      DE: 19,
      DK: 25,
      EE: 24,
      ES: 21,
      FI: 25.5,
      FR: 20,
      GR: 24,
      HR: 25,
      HU: 27,
      IE: 23,
      IT: 22,
      LT: 21,
      LU: 17,
      LV: 21,
      MT: 18,
      NL: 21,
      PL: 23,
      PT: 23,
      RO: 21,
      SE: 25,
      SI: 22,
      SK: 23,
    }),
  )('%s has %d %%', (country, percent) => {
    expect(standardRate(country, '2026-11-27')?.ratePpm).toBe(percent * 10_000);
  });

  it.each([
    ['RO', '2025-07-31', 190_000, '2025-08-01', 210_000],
    ['EE', '2025-06-30', 220_000, '2025-07-01', 240_000],
    ['SK', '2024-12-31', 200_000, '2025-01-01', 230_000],
    ['FI', '2024-08-31', 240_000, '2024-09-01', 255_000],
    ['DE', '2020-12-31', 160_000, '2021-01-01', 190_000],
  ])('%s changes between two days', (country, last, before, first, after) => {
    expect(standardRate(country, last)).toMatchObject({ ratePpm: before, validTo: last });
    expect(standardRate(country, first)).toMatchObject({ ratePpm: after, validFrom: first });
  });

  it('covers every member state without gaps or two standard rates in one day', () => {
    expect(Object.keys(memberStates)).toHaveLength(27);
    for (const country of Object.keys(memberStates))
      for (const day of ['2015-12-31', '2016-01-01', '2020-07-01', '2024-12-31', '2026-11-27'])
        expect(publishedRates(country).filter((rate) => rate.kind === 'standard' && isValidOn(rate, day))).toHaveLength(1);
  });

  it('offers no regional rate, and none twice', () => {
    expect(of('AT', 'reduced')).toEqual([100_000, 130_000]);
    expect(of('FR', 'reduced')).toEqual([55_000, 100_000]);
    expect(of('FR', 'super_reduced')).toEqual([21_000]);
    expect(of('PT', 'reduced')).toEqual([60_000, 130_000]);
    expect(of('GR', 'reduced')).toEqual([]);
    expect(of('PL', 'super_reduced')).toEqual([]);
    expect(of('RO', 'reduced')).toEqual([110_000]);
    expect(publishedRates('US')).toEqual([]);
    expect(publishedRates('constructor')).toEqual([]);
  });
});

describe('countries', () => {
  it('dates a sale where the tax falls due', () => {
    // 2025-08-01 in Bucharest begins at 21:00 UTC of the day before.
    expect(dateIn('RO', '2025-07-31T20:59:59.999Z', 'UTC')).toBe('2025-07-31');
    expect(dateIn('RO', '2025-07-31T21:00:00.000Z', 'UTC')).toBe('2025-08-01');
    expect(dateIn('PT', '2025-07-31T21:00:00.000Z', 'UTC')).toBe('2025-07-31');
    expect(dateIn('XI', '2026-01-01T00:00:00.000Z', 'America/New_York')).toBe('2026-01-01');
    expect(dateIn('US', '2026-01-01T04:59:00.000Z', 'America/New_York')).toBe('2025-12-31');
  });

  it('knows codes and their two odd ones', () => {
    expect(['RO', 'GR', 'XI', 'US', 'CH'].every(isCountry)).toBe(true);
    expect(['EL', 'UK', 'ZZ', 'ro', 'R', '', 'ROU'].some(isCountry)).toBe(false);
    expect(vatCountry('GB', 'BT1 5GS')).toBe('XI');
    expect(vatCountry('GB', 'SW1A 1AA')).toBe('GB');
    expect(vatCountry('EL')).toBe('GR');
    expect(countryOfZone('Europe/Bucharest')).toBe('RO');
    expect(countryOfZone('Asia/Tokyo')).toBeUndefined();
  });
});
