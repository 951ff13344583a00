import { hamiltonBig } from './allocate.ts';
import { checkPpm, ppmUnit, roundHalfAway, roundingOf, toAmount } from './rounding.ts';

/** `gross`: prices contain the tax. `net`: the tax is added. */
export type PriceMode = 'gross' | 'net';

/** One rate of a tax category. */
export interface TaxRate {
  /** Rate in parts per million, 0..1000000 (21 % = 210000). */
  ratePpm: number;
  /** Name on documents. */
  name?: string;
  /** True if it is charged on the net amount plus the taxes before it in the list. */
  compound?: boolean;
  /**
   * VAT category of UN/ECE 5305 (S, Z, E, AE, K, G, O). The first one in a list applies; the default is S, or Z if all rates are
   * 0.
   */
  categoryCode?: string;
}

/** A list of rates prepared for calculation by `rateSet`. */
export interface RateSet {
  /** The same for the same rates: identifies a tax group. */
  readonly key: string;
  /** Rates as given. */
  readonly rates: readonly TaxRate[];
  /** Combined rate in parts per million of the net amount, rounded if rates compound. */
  readonly ratePpm: number;
  /** VAT category of UN/ECE 5305. */
  readonly categoryCode: string;
  /** Exact charge of each rate, over `den`. */
  readonly parts: readonly bigint[];
  /** Exact charge of all rates, over `den`. */
  readonly sum: bigint;
  /** Common denominator of `parts` and `sum`. */
  readonly den: bigint;
}

/** The tax of one amount, in minor units. */
export interface TaxAmount {
  /** Sum of the taxes. */
  tax: number;
  /** Tax of each rate, in the order of the list. */
  parts: number[];
}

/**
 * Prepares the rates of a tax category. An empty list is a group at 0 ppm. `code` is its UN/ECE 5305 category if no rate has one.
 *
 * @throws RangeError for a rate out of range
 */
export function rateSet(rates: readonly TaxRate[], code?: string): RateSet {
  const compounds = rates.filter((rate) => rate.compound).length;
  // Each compound rate multiplies by another fraction over a million: with this denominator all of them are integers.
  const den = ppmUnit ** BigInt(compounds + 1);
  const parts: bigint[] = [];
  let sum = 0n;
  for (const rate of rates) {
    const base = rate.compound ? den + sum : den;
    const part = (base * BigInt(checkPpm(rate.ratePpm))) / ppmUnit;
    parts.push(part);
    sum += part;
  }
  const ratePpm = Number(roundHalfAway(sum * ppmUnit, den));
  const categoryCode = rates.find((rate) => rate.categoryCode !== undefined)?.categoryCode ?? code ?? (sum > 0n ? 'S' : 'Z');
  const key = JSON.stringify([categoryCode, ...rates.map((rate) => (rate.compound ? -rate.ratePpm : rate.ratePpm))]);
  return { key, rates, ratePpm, categoryCode, parts, sum, den };
}

/**
 * Calculates the tax of one amount in the price mode. Net: each rate is rounded separately. Gross: one tax with the sum of the
 * rates, split over them (R4). The other side of the amount is the remainder. Rule R3.
 */
export function taxOf(amount: number, set: RateSet, priceMode: PriceMode): TaxAmount {
  const size = BigInt(amount);
  if (priceMode === 'net') {
    const parts = set.parts.map((part) => toAmount(roundHalfAway(size * part, set.den)));
    return { tax: parts.reduce((a, b) => a + b, 0), parts };
  }
  const tax = roundHalfAway(size * set.sum, set.den + set.sum);
  if (set.parts.length <= 1) return { tax: toAmount(tax), parts: set.parts.map(() => toAmount(tax)) };
  return { tax: toAmount(tax), parts: splitTax(toAmount(tax), set) };
}

/** Splits a tax over its rates (R4), weighted by what each rate charges. */
export function splitTax(tax: number, set: RateSet): number[] {
  const size = BigInt(Math.abs(tax));
  return hamiltonBig(size, set.parts).map((share) => Number(tax < 0 ? -share : share) + 0);
}

/** Returns the gross amount of a net amount in minor units (R3, net mode). */
export function grossOf(net: number, set: RateSet): number {
  return toAmount(BigInt(net) + BigInt(taxOf(net, set, 'net').tax));
}

/**
 * Returns the net amount of a gross amount in minor units: the tax is rounded, the net amount is the remainder (R3, gross mode).
 */
export function netOf(gross: number, set: RateSet): number {
  return gross - taxOf(gross, set, 'gross').tax;
}

/**
 * Returns the rate as a fraction of the amount in the price mode, and what rounding added to the tax. Part of the trace (R18).
 */
export function explainTax(amount: number, tax: number, set: RateSet, priceMode: PriceMode): { rate: string; rounding: string } {
  const den = priceMode === 'net' ? set.den : set.den + set.sum;
  return { rate: `${set.sum}/${den}`, rounding: roundingOf(BigInt(tax), BigInt(amount) * set.sum, den) };
}
