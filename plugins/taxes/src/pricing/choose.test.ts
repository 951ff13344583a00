import { describe, expect, it } from 'vitest';
import { type CategoryRow, type RateRow, ratesAt, taxOfCategory } from './choose.ts';

let ids = 0;
const row = (more: Partial<RateRow>): RateRow => ({
  id: String(++ids),
  country: 'RO',
  categoryId: 'std',
  ratePpm: 210_000,
  name: 'TVA',
  region: null,
  postalCode: null,
  priority: 0,
  compound: false,
  validFrom: '2020-01-01',
  validTo: null,
  ...more,
});
const category = (id: string, more: Partial<CategoryRow> = {}): CategoryRow => ({
  id,
  code: id,
  name: id,
  kind: 'goods',
  isDefault: id === 'std',
  uneceCode: null,
  ...more,
});
const std = category('std');
const ro = { country: 'RO' };

describe('the rates of a place and day', () => {
  it('holds from its first to its last day', () => {
    const rates = [row({ ratePpm: 190_000, validTo: '2025-07-31' }), row({ validFrom: '2025-08-01' })];
    const on = (date: string) => ratesAt(rates, 'std', ro, date).map((one) => one.ratePpm);
    expect([on('2025-07-31'), on('2025-08-01'), on('2019-12-31')]).toEqual([[190_000], [210_000], []]);
  });

  it('is that of the most specific place', () => {
    const rates = [
      row({ country: 'ES', ratePpm: 210_000 }),
      row({ country: 'ES', ratePpm: 70_000, region: 'Canarias' }),
      row({ country: 'ES', ratePpm: 30_000, postalCode: '35' }),
      row({ country: 'ES', ratePpm: 10_000, postalCode: '3500' }),
    ];
    const at = (place: { region?: string; postalCode?: string }) =>
      ratesAt(rates, 'std', { country: 'ES', ...place }, '2026-01-01').map((one) => one.ratePpm);
    expect(at({ postalCode: '28001' })).toEqual([210_000]);
    expect(at({ region: ' CANÁRIAS ' })).toEqual([70_000]);
    expect(at({ region: 'Canarias', postalCode: '35010' })).toEqual([30_000]);
    expect(at({ postalCode: '35 001' })).toEqual([10_000]);
    expect(at({ postalCode: '3' })).toEqual([210_000]);
  });

  it('are all those of different priority, in order, each by its own place', () => {
    const rates = [
      row({ country: 'US', ratePpm: 45_000, priority: 2, compound: true, region: 'NY' }),
      row({ country: 'US', ratePpm: 40_000, priority: 1 }),
      row({ country: 'US', ratePpm: 41_000, priority: 1, region: 'NY' }),
    ];
    const found = ratesAt(rates, 'std', { country: 'US', region: 'ny' }, '2026-01-01');
    expect(found.map(({ ratePpm, compound }) => [ratePpm, compound])).toEqual([
      [41_000, false],
      [45_000, true],
    ]);
  });
});

describe('what a category is charged', () => {
  const charge = (rates: RateRow[], of: CategoryRow | undefined, place = ro) =>
    taxOfCategory(rates, of, std, place, '2026-11-27');

  it('its own rates, else those of the default category, else the published one', () => {
    const reduced = category('red');
    expect(charge([row({}), row({ categoryId: 'red', ratePpm: 110_000 })], reduced)).toMatchObject({
      rates: [{ ratePpm: 110_000 }],
      code: 'S',
    });
    expect(charge([row({ ratePpm: 200_000 })], reduced).rates).toEqual([{ ratePpm: 200_000, name: 'TVA' }]);
    expect(charge([], reduced)).toMatchObject({ rates: [{ ratePpm: 210_000 }], rows: [], published: { country: 'RO' } });
    expect(charge([], undefined)).toMatchObject({ rates: [{ ratePpm: 210_000 }] });
    expect(charge([], reduced, { country: 'US' })).toMatchObject({ rates: [{ ratePpm: 0 }], code: 'O' });
  });

  it('nothing where its code says so, but a rate of its own wins', () => {
    const exempt = category('ins', { uneceCode: 'E' });
    expect(charge([row({})], exempt)).toMatchObject({ rates: [{ ratePpm: 0 }], code: 'E' });
    expect(charge([row({ categoryId: 'ins', ratePpm: 50_000 })], exempt)).toMatchObject({
      code: 'S',
      rates: [{ ratePpm: 50_000 }],
    });
    expect(charge([row({ categoryId: 'ins', ratePpm: 0 })], exempt)).toMatchObject({ code: 'E', rates: [{ ratePpm: 0 }] });
    expect(charge([row({ ratePpm: 0 })], std)).toMatchObject({ code: 'Z' });
    expect(charge([row({ ratePpm: 0 })], category('std', { uneceCode: 'S' }))).toMatchObject({ code: 'Z' });
  });
});
