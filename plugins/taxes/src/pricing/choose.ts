import type { CivilDate } from '@storeloom/plugin-sdk/time';
import type { CategoryKind, UneceCode } from '../rate/category.ts';
import { isValidOn, type PublishedRate, standardRate } from '../rate/eu-rates.ts';

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

const normalizeText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase();
const normalizePostalCode = (postalCode: string): string => postalCode.replace(/[\s-]/g, '').toUpperCase();

/**
 * How specifically a rate matches a place; undefined: it doesn't. A longer postal code ranks above a shorter one, any postal code
 * above a region.
 */
function specificityOf(rate: RateRow, place: Place): number | undefined {
  if (rate.country !== place.country) return undefined;
  let specificity = 0;
  if (rate.region !== null) {
    if (normalizeText(rate.region) !== normalizeText(place.region ?? '')) return undefined;
    specificity += 1;
  }
  if (rate.postalCode !== null) {
    const prefix = normalizePostalCode(rate.postalCode);
    if (!normalizePostalCode(place.postalCode ?? '').startsWith(prefix)) return undefined;
    specificity += 2 * prefix.length;
  }
  return specificity;
}

/** The rates of a category valid on a day at a place: for each priority the most specific one, in order of priority. */
export function ratesAt(rates: readonly RateRow[], categoryId: string, place: Place, date: CivilDate): RateRow[] {
  const best = new Map<number, { rate: RateRow; specificity: number }>();
  for (const rate of rates) {
    if (rate.categoryId !== categoryId || !isValidOn(rate, date)) continue;
    const specificity = specificityOf(rate, place);
    if (specificity === undefined) continue;
    const other = best.get(rate.priority);
    if (!other || specificity > other.specificity) best.set(rate.priority, { rate, specificity });
  }
  return [...best.values()].map(({ rate }) => rate).sort((a, b) => a.priority - b.priority);
}

export interface CategoryTax {
  rates: { ratePpm: number; name: string; compound?: boolean }[];
  /** UN/ECE 5305. */
  code: UneceCode;
  /** The shop's rates; empty for a published rate, and for 0 without a rate. */
  rows: RateRow[];
  published: PublishedRate | null;
}

export const noTax = (code: UneceCode): CategoryTax => ({ rates: [{ ratePpm: 0, name: '' }], code, rows: [], published: null });

const taxOfRates = (rows: RateRow[], code: UneceCode | null): CategoryTax => {
  const isTaxed = rows.some((row) => row.ratePpm > 0);
  return {
    rates: rows.map(({ ratePpm, name, compound }) => ({ ratePpm, name, ...(compound ? { compound } : {}) })),
    // The code must match the rate: S above 0, another one for 0, or invoices are wrong.
    code: isTaxed ? 'S' : code === null || code === 'S' ? 'Z' : code,
    rows,
    published: null,
  };
};

/**
 * The tax of a category at a place: its own rates; 0 if its code requires it; the rates of the default category; the published
 * standard rate of the member state; otherwise 0.
 */
export function taxOfCategory(
  rates: readonly RateRow[],
  category: CategoryRow | undefined,
  fallback: CategoryRow | undefined,
  place: Place,
  date: CivilDate,
): CategoryTax {
  if (category) {
    const categoryRates = ratesAt(rates, category.id, place, date);
    if (categoryRates.length > 0) return taxOfRates(categoryRates, category.uneceCode);
    if (category.uneceCode !== null && category.uneceCode !== 'S') return noTax(category.uneceCode);
  }
  if (fallback && fallback.id !== category?.id) {
    const defaultRates = ratesAt(rates, fallback.id, place, date);
    if (defaultRates.length > 0) return taxOfRates(defaultRates, fallback.uneceCode);
  }
  const published = standardRate(place.country, date);
  if (!published) return noTax('O');
  const { ratePpm } = published;
  return { rates: [{ ratePpm, name: `${String(ratePpm / 10_000)} %` }], code: 'S', rows: [], published };
}
