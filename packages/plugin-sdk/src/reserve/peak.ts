/** Half-open `[start, end)`. Instants as the wire writes them, civil dates, or numbers, but one kind only: they are compared as they stand. */
export interface Range<T extends string | number = string> {
  readonly start: T;
  readonly end: T;
}

/**
 * The most that is in use at any one time within `[start, end)`: what a pool must hold, where the sum over the whole window would count
 * things twice that follow each other. Back-to-back doesn't overlap. `quantity` is 1 where there is none.
 */
export function peakUsage<T extends string | number>(
  spans: Iterable<Range<T> & { readonly quantity?: number }>,
  window: Range<T>,
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
