import { allocate } from './allocate.ts';
import { unitRuns } from './parts.ts';
import { explainTax, type PriceMode, type RateSet, splitTax, type TaxAmount, taxOf } from './tax-rate.ts';

/** Where tax is rounded: on the discounted line, on each unit of it, or on the sum of the tax group. Rule R3. */
export type TaxRoundingLevel = 'line' | 'unit' | 'rate_group';

/** One amount to tax: a discounted line, or the part of a shipping line or surcharge that one set of rates applies to. */
export interface TaxEntry {
  /** Id of the line, shipping line or surcharge. */
  id: string;
  /** Minor units in the price mode, after discounts. */
  amount: number;
  /** Number of units; 1 for shipping and surcharges. */
  quantity: number;
  /** Tax rates. */
  set: RateSet;
}

/** One rounding of a tax. Part of the trace (R18). */
export interface TaxStep {
  /** Rule that was applied. */
  rule: 'R3';
  /** Ids of the entries; several at the level `rate_group`. */
  ids: string[];
  /** Combined rate in parts per million. */
  ratePpm: number;
  /** VAT category of UN/ECE 5305. */
  categoryCode: string;
  /** Taxed amount in the price mode, in minor units. */
  base: number;
  /** How many times the rounding was made. */
  units: number;
  /** Rate as a fraction of the amount in the price mode. */
  rate: string;
  /** What rounding added, as a reduced fraction. */
  rounding: string;
  /** Tax of one unit, or of the group. */
  tax: number;
  /** Tax of each entry. */
  shares: number[];
}

/** A row of `taxSummary`, one for each tax group. Σ `base` + Σ `tax` is the total, tax included. */
export interface TaxSummaryRow {
  /** Combined rate in parts per million. */
  ratePpm: number;
  /** VAT category of UN/ECE 5305. */
  categoryCode: string;
  /** Net amount in minor units. */
  base: number;
  /** Tax in minor units. */
  tax: number;
}

/**
 * Calculates the tax of all entries; returns one `TaxAmount` for each, in their order. Appends each rounding to `steps` if given.
 * Rule R3.
 */
export function calculateTax(
  entries: readonly TaxEntry[],
  options: { priceMode: PriceMode; level: TaxRoundingLevel },
  steps?: TaxStep[],
): TaxAmount[] {
  if (options.level === 'rate_group') return byGroup(entries, options.priceMode, steps);
  return entries.map((entry) => {
    const runs = options.level === 'unit' ? unitRuns(entry.amount, entry.quantity) : [{ amount: entry.amount, count: 1 }];
    const total: TaxAmount = { tax: 0, parts: entry.set.parts.map(() => 0) };
    for (const run of runs) {
      const one = taxOf(run.amount, entry.set, options.priceMode);
      total.tax += one.tax * run.count;
      for (let i = 0; i < one.parts.length; i++) total.parts[i] = total.parts[i]! + one.parts[i]! * run.count;
      steps?.push(step([entry.id], run.amount, run.count, one.tax, [one.tax * run.count], entry.set, options.priceMode));
    }
    return total;
  });
}

function byGroup(entries: readonly TaxEntry[], priceMode: PriceMode, steps?: TaxStep[]): TaxAmount[] {
  const result: TaxAmount[] = entries.map(() => ({ tax: 0, parts: [] }));
  for (const positions of groupBySet(entries).values()) {
    const set = entries[positions[0]!]!.set;
    const weights = positions.map((position) => entries[position]!.amount);
    const base = weights.reduce((a, b) => a + b, 0);
    const group = taxOf(base, set, priceMode);
    // Net: each rate is rounded separately, so each is allocated separately. Gross: the tax is allocated, then split on each line.
    const spread = priceMode === 'net' ? group.parts.map((part) => allocate(part, weights)) : [];
    const taxes = priceMode === 'net' ? undefined : allocate(group.tax, weights);
    for (const [i, position] of positions.entries()) {
      const parts = taxes ? splitTax(taxes[i]!, set) : spread.map((shares) => shares[i]!);
      result[position] = { tax: taxes ? taxes[i]! : parts.reduce((a, b) => a + b, 0), parts };
    }
    steps?.push(
      step(
        positions.map((position) => entries[position]!.id),
        base,
        1,
        group.tax,
        positions.map((position) => result[position]!.tax),
        set,
        priceMode,
      ),
    );
  }
  return result;
}

/** Returns the indexes of the entries of each tax group, in order of first appearance. */
function groupBySet(entries: readonly TaxEntry[]): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const [position, entry] of entries.entries()) {
    const group = groups.get(entry.set.key);
    if (group) group.push(position);
    else groups.set(entry.set.key, [position]);
  }
  return groups;
}

function step(
  ids: string[],
  base: number,
  units: number,
  tax: number,
  shares: number[],
  set: RateSet,
  priceMode: PriceMode,
): TaxStep {
  return {
    rule: 'R3',
    ids,
    ratePpm: set.ratePpm,
    categoryCode: set.categoryCode,
    base,
    units,
    ...explainTax(base, tax, set, priceMode),
    tax,
    shares,
  };
}

/** Adds up rows by tax group, highest rate first. Groups without amounts are left out, unless there is no other. */
export function summarizeTax(rows: Iterable<TaxSummaryRow>): TaxSummaryRow[] {
  const groups = new Map<string, TaxSummaryRow>();
  for (const { ratePpm, categoryCode, base, tax } of rows) {
    const key = `${ratePpm} ${categoryCode}`;
    const group = groups.get(key);
    if (group) {
      group.base += base;
      group.tax += tax;
    } else {
      groups.set(key, { ratePpm, categoryCode, base, tax });
    }
  }
  const all = [...groups.values()].sort(compareRows);
  const due = all.filter((row) => row.base !== 0 || row.tax !== 0);
  return due.length > 0 ? due : all;
}

/** Orders tax groups independently of the order of the lines: by rate descending, then category (P4). */
export function compareRows(
  a: Pick<TaxSummaryRow, 'ratePpm' | 'categoryCode'>,
  b: Pick<TaxSummaryRow, 'ratePpm' | 'categoryCode'>,
): number {
  if (a.ratePpm !== b.ratePpm) return b.ratePpm - a.ratePpm;
  return a.categoryCode < b.categoryCode ? -1 : a.categoryCode > b.categoryCode ? 1 : 0;
}
