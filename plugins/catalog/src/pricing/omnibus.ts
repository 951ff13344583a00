/** A general price of a variant, effective from `from`. Histories list the oldest entry first. */
export interface HistoryEntry {
  price: number;
  compareAt: number | null;
  from: string;
}

const windowMs = 30 * 24 * 60 * 60 * 1000;

function isReduced({ price, compareAt }: HistoryEntry): boolean {
  return compareAt !== null && compareAt > price;
}

/** Start of the current reduction. Consecutive reduced prices are one reduction. Undefined: the price isn't reduced. */
export function reductionStart(history: readonly HistoryEntry[]): string | undefined {
  let start: string | undefined;
  for (let i = history.length - 1; i >= 0 && isReduced(history[i]!); i--) start = history[i]!.from;
  return start;
}

/**
 * The lowest price in effect during the 30 days before `start`, which aren't the last 30 days (Directive 98/6/EC, article 6a, as amended
 * by Directive (EU) 2019/2161). Undefined: the variant had no price in that period.
 */
export function lowestBefore(history: readonly HistoryEntry[], start: string): number | undefined {
  const end = Date.parse(start);
  const begin = end - windowMs;
  let lowest: number | undefined;
  for (const [i, entry] of history.entries()) {
    const from = Date.parse(entry.from);
    const to = history[i + 1] ? Date.parse(history[i + 1]!.from) : Number.POSITIVE_INFINITY;
    if (from < end && to > begin && (lowest === undefined || entry.price < lowest)) lowest = entry.price;
  }
  return lowest;
}

/**
 * `lowestPrice30d` of a variant. `since` is the start of a catalogue promotion, which the history doesn't contain; the earlier of `since`
 * and the reduction in the history counts. Undefined: no reduction, or no price before it.
 */
export function lowestPrice30d(history: readonly HistoryEntry[], since?: string): number | undefined {
  const recorded = reductionStart(history);
  const start = since === undefined ? recorded : recorded === undefined || since < recorded ? since : recorded;
  return start === undefined ? undefined : lowestBefore(history, start);
}
