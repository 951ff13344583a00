import { hamiltonBig } from './allocate.ts';
import { checkPpm, ppmUnit, roundHalfAway, roundingOf, toAmount } from './rounding.ts';

/** `gross`: prices contain the tax; `net`: it is added. */
export type PriceMode = 'gross' | 'net';

/**
 * One rate of tax on a category. `compound`: charged on the net amount plus the taxes before it in the list. `categoryCode` is the
 * UN/ECE 5305 code of the group (S, Z, E, AE, K, G, O); the first one given in a list counts, the default is S, or Z when all rates are 0.
 */
export interface TaxRate {
  ratePpm: number;
  name?: string;
  compound?: boolean;
  categoryCode?: string;
}

/** A list of rates made ready for calculation; the same rates give the same `key`, which is what a rate group is. Made by `rateSet`. */
export interface RateSet {
  readonly key: string;
  readonly rates: readonly TaxRate[];
  /** What is charged altogether, in ppm of the net amount (rounded; only compound rates can need it). */
  readonly ratePpm: number;
  readonly categoryCode: string;
  /** Exact charge of each rate and of all, over `den`. */
  readonly parts: readonly bigint[];
  readonly sum: bigint;
  readonly den: bigint;
}

/** The tax of one amount: all of it, and the share of each rate in the order of the list. */
export interface TaxAmount {
  tax: number;
  parts: number[];
}

/**
 * Prepares the rates of a category. No rates at all: a group at 0 ppm. `code` is its UN/ECE category where no rate names one.
 * A rate out of range: `RangeError`.
 */
export function rateSet(rates: readonly TaxRate[], code?: string): RateSet {
  const compounds = rates.filter((rate) => rate.compound).length;
  // Each compound rate multiplies by another fraction over a million; this denominator keeps all of them whole.
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
 * R3 on one amount in the price mode. Net: each rate rounded by itself. Gross: one tax with the sum of the rates, split over them by R4.
 * The other side is the remainder.
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

/** A tax over its rates by R4, weights being what each rate charges. */
export function splitTax(tax: number, set: RateSet): number[] {
  const size = BigInt(Math.abs(tax));
  return hamiltonBig(size, set.parts).map((share) => Number(tax < 0 ? -share : share) + 0);
}

/** The gross amount of a net one (R3, net mode). */
export function grossOf(net: number, set: RateSet): number {
  return toAmount(BigInt(net) + BigInt(taxOf(net, set, 'net').tax));
}

/** The net amount of a gross one (R3, gross mode): the tax is rounded, the net is the remainder. */
export function netOf(gross: number, set: RateSet): number {
  return gross - taxOf(gross, set, 'gross').tax;
}

/** How a tax came about, for the trace: the rate as a fraction of the amount in the price mode, and what rounding added to it. */
export function explainTax(amount: number, tax: number, set: RateSet, priceMode: PriceMode): { rate: string; rounding: string } {
  const den = priceMode === 'net' ? set.den : set.den + set.sum;
  return { rate: `${set.sum}/${den}`, rounding: roundingOf(BigInt(tax), BigInt(amount) * set.sum, den) };
}
