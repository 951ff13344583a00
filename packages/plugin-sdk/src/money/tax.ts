import { allocate } from './allocate.ts';
import { unitRuns } from './parts.ts';
import { explainTax, type PriceMode, type RateSet, splitTax, type TaxAmount, taxOf } from './tax-rate.ts';

/** Where tax is rounded (R3): on the discounted line, on each unit of it, or on the sum of the rate group. */
export type TaxRoundingLevel = 'line' | 'unit' | 'rate_group';

/** One amount to be taxed: a discounted line, or the part of a shipping line or surcharge that one rate group takes. */
export interface TaxEntry {
  id: string;
  /** Minor units in the price mode, after discounts. */
  amount: number;
  /** Units that the amount stands for; 1 for shipping and surcharges. */
  quantity: number;
  set: RateSet;
}

/** One rounding that was made, for the trace: `base` in the price mode, `units` times; at `rate_group` with the ids that share it. */
export interface TaxStep {
  rule: 'R3';
  ids: string[];
  ratePpm: number;
  categoryCode: string;
  base: number;
  units: number;
  rate: string;
  rounding: string;
  tax: number;
  shares: number[];
}

/** A row of `taxSummary`: one a rate group. Σ `base` + Σ `tax` is what is paid with tax. */
export interface TaxSummaryRow {
  ratePpm: number;
  categoryCode: string;
  base: number;
  tax: number;
}

/** R3 for all entries at once, one `TaxAmount` an entry in their order; `steps` gets each rounding when given. */
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
    // Net: each rate is rounded by itself, so each is spread by itself. Gross: the one tax is spread, then split on each line.
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

/** Positions of the entries of each rate group, groups in order of appearance. */
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

/**
 * Adds rows up, one a rate group, highest rate first. Groups in which nothing is due are left out, unless there is nothing else.
 */
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

/** Order of rate groups wherever they are listed or share a remainder: it doesn't depend on the order of the lines (P4). */
export function compareRows(
  a: Pick<TaxSummaryRow, 'ratePpm' | 'categoryCode'>,
  b: Pick<TaxSummaryRow, 'ratePpm' | 'categoryCode'>,
): number {
  if (a.ratePpm !== b.ratePpm) return b.ratePpm - a.ratePpm;
  return a.categoryCode < b.categoryCode ? -1 : a.categoryCode > b.categoryCode ? 1 : 0;
}
