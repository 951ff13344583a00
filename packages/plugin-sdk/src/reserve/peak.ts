/** Half-open range `[start, end)` of instants, civil dates or numbers; all of one kind, since they are compared directly. */
export interface Bounds<T extends string | number = string> {
  /** First value. */
  readonly start: T;
  /** First value after it. */
  readonly end: T;
}

/**
 * Returns the largest quantity in use at any time within a window: the required size of a pool. Consecutive uses are not added
 * up. `quantity` is 1 if absent.
 */
export function peakUsage<T extends string | number>(
  spans: Iterable<Bounds<T> & { readonly quantity?: number }>,
  window: Bounds<T>,
): number {
  if (window.start >= window.end) return 0;
  const steps: { at: T; change: number }[] = [];
  for (const { start, end, quantity = 1 } of spans) {
    if (start >= end || start >= window.end || end <= window.start) continue;
    steps.push({ at: start, change: quantity }, { at: end, change: -quantity });
  }
  // What ends at a time is free before what starts then.
  steps.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.change - b.change));
  let used = 0;
  let peak = 0;
  for (const { change } of steps) {
    used += change;
    if (used > peak) peak = used;
  }
  return peak;
}
