/** A general price of a variant and since when it holds, oldest first. `compareAt` is the price it was said to be reduced from. */
export interface HistoryEntry {
  price: number;
  compareAt: number | null;
  from: string;
}

const windowMs = 30 * 24 * 60 * 60 * 1000;

function isReduced({ price, compareAt }: HistoryEntry): boolean {
  return compareAt !== null && compareAt > price;
}

/** When the reduction that holds now began: further reductions without a pause belong to it. Undefined: none holds. */
export function reductionStart(history: readonly HistoryEntry[]): string | undefined {
  let start: string | undefined;
  for (let i = history.length - 1; i >= 0 && isReduced(history[i]!); i--) start = history[i]!.from;
  return start;
}

/**
 * The lowest price that held at any time in the 30 days before `start` (Directive 98/6/EC, article 6a, as amended by 2019/2161): not the
 * last 30 days. Undefined when the thing had no price then.
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
 * `lowestPrice30d` of a variant. `since` is when a reduction began that the history doesn't know (a catalogue promotion); without it the
 * history's own reduction counts. Undefined when nothing is reduced, or nothing was sold before.
 */
export function lowestPrice30d(history: readonly HistoryEntry[], since?: string): number | undefined {
  const own = reductionStart(history);
  const start = since === undefined ? own : own === undefined || since < own ? since : own;
  return start === undefined ? undefined : lowestBefore(history, start);
}
