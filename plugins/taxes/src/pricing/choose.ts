import type { CivilDate } from '@storeloom/plugin-sdk/time';
import type { CategoryKind, UneceCode } from '../rate/category.ts';
import { holdsOn, type PublishedRate, standardRate } from '../rate/eu-rates.ts';

export interface CategoryRow {
  id: string;
  code: string;
  name: string;
  kind: CategoryKind;
  isDefault: boolean;
  uneceCode: UneceCode | null;
}
export interface RateRow {
  id: string;
  country: string;
  categoryId: string;
  ratePpm: number;
  name: string;
  region: string | null;
  postalCode: string | null;
  priority: number;
  compound: boolean;
  validFrom: CivilDate;
  validTo: CivilDate | null;
}
export interface Place {
  country: string;
  region?: string | null;
  postalCode?: string | null;
}

const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();
const compact = (postalCode: string): string => postalCode.replace(/[\s-]/g, '').toUpperCase();

/** How closely a rate's place fits: undefined where it doesn't; a longer postal code beats a shorter one, any beats a region. */
function closenessOf(rate: RateRow, place: Place): number | undefined {
  if (rate.country !== place.country) return undefined;
  let closeness = 0;
  if (rate.region !== null) {
    if (plain(rate.region) !== plain(place.region ?? '')) return undefined;
    closeness += 1;
  }
  if (rate.postalCode !== null) {
    const prefix = compact(rate.postalCode);
    if (!compact(place.postalCode ?? '').startsWith(prefix)) return undefined;
    closeness += 2 * prefix.length;
  }
  return closeness;
}

/** The rates of a category that hold on a day at a place: for each priority the one of the most specific place, in order. */
export function ratesAt(rates: readonly RateRow[], categoryId: string, place: Place, date: CivilDate): RateRow[] {
  const best = new Map<number, { rate: RateRow; closeness: number }>();
  for (const rate of rates) {
    if (rate.categoryId !== categoryId || !holdsOn(rate, date)) continue;
    const closeness = closenessOf(rate, place);
    if (closeness === undefined) continue;
    const other = best.get(rate.priority);
    if (!other || closeness > other.closeness) best.set(rate.priority, { rate, closeness });
  }
  return [...best.values()].map(({ rate }) => rate).sort((a, b) => a.priority - b.priority);
}

export interface Charge {
  rates: { ratePpm: number; name: string; compound?: boolean }[];
  /** UN/ECE 5305. */
  code: UneceCode;
  /** The shop's own rows behind it; none for a published rate, and for 0 without one. */
  rows: RateRow[];
  published: PublishedRate | null;
}

export const noTax = (code: UneceCode): Charge => ({ rates: [{ ratePpm: 0, name: '' }], code, rows: [], published: null });

const ofRows = (rows: RateRow[], code: UneceCode | null): Charge => {
  const taxed = rows.some((row) => row.ratePpm > 0);
  return {
    rates: rows.map(({ ratePpm, name, compound }) => ({ ratePpm, name, ...(compound ? { compound } : {}) })),
    // A code of 0 on a rate above 0 would make every invoice wrong, and the other way round.
    code: taxed ? 'S' : code === null || code === 'S' ? 'Z' : code,
    rows,
    published: null,
  };
};

/**
 * What a category is charged at a place: its own rates; nothing where its code says so; the rates of the default category; the standard
 * rate of the member state as published; nothing.
 */
export function chargeOf(
  rates: readonly RateRow[],
  category: CategoryRow | undefined,
  fallback: CategoryRow | undefined,
  place: Place,
  date: CivilDate,
): Charge {
  if (category) {
    const own = ratesAt(rates, category.id, place, date);
    if (own.length > 0) return ofRows(own, category.uneceCode);
    if (category.uneceCode !== null && category.uneceCode !== 'S') return noTax(category.uneceCode);
  }
  if (fallback && fallback.id !== category?.id) {
    const general = ratesAt(rates, fallback.id, place, date);
    if (general.length > 0) return ofRows(general, fallback.uneceCode);
  }
  const published = standardRate(place.country, date);
  if (!published) return noTax('O');
  const { ratePpm } = published;
  return { rates: [{ ratePpm, name: `${String(ratePpm / 10_000)} %` }], code: 'S', rows: [], published };
}
