import { domainError } from '../problem.ts';
import { epoch, type Instant, instant } from './instant.ts';

/** Half-open range `[start, end)` in milliseconds since 1970, for calculations. Back-to-back intervals don't overlap. */
export interface Interval {
  /** First millisecond. */
  readonly start: number;
  /** First millisecond after it. */
  readonly end: number;
}

/** Half-open range `[start, end)` of instants, as rows and responses have it. */
export interface Span {
  /** First instant. */
  start: Instant;
  /** First instant after it. */
  end: Instant;
}

/** Converts instants to milliseconds. */
export function interval({ start, end }: Readonly<Span>): Interval {
  return { start: epoch(start), end: epoch(end) };
}
/** Converts milliseconds to instants. */
export function span({ start, end }: Interval): Span {
  return { start: instant(start), end: instant(end) };
}

/**
 * Converts the range of a request body; `pointer` refers to its end.
 *
 * @throws Problem 422 `invalid_interval` unless `end` is after `start`
 */
export function parseInterval(given: Readonly<Span>, pointer: string): Interval {
  const read = interval(given);
  if (read.end <= read.start) throw domainError(pointer, 'invalid_interval', 'must be after the start');
  return read;
}

/** Returns true if two intervals have an instant in common. Back-to-back intervals don't. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end && a.start < a.end && b.start < b.end;
}

/** Returns true if `inner` lies within `outer`. */
export function contains(outer: Interval, inner: Interval): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

const length = ({ start, end }: Interval): number => Math.max(0, end - start);

/**
 * Returns the fewest intervals that cover the same time, in order: overlapping and adjacent ones are joined, empty ones removed.
 */
export function merge(intervals: readonly Interval[]): Interval[] {
  const sorted = intervals.filter((one) => one.end > one.start).sort((a, b) => a.start - b.start);
  const merged: { start: number; end: number }[] = [];
  let last: { start: number; end: number } | undefined;
  for (const { start, end } of sorted) {
    if (last && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push((last = { start, end }));
  }
  return merged;
}

/** Returns the time in `from` that is in none of `cuts`, merged. */
export function subtract(from: readonly Interval[], cuts: readonly Interval[]): Interval[] {
  const left: Interval[] = [];
  const gone = merge(cuts);
  let i = 0;
  for (const { start, end } of merge(from)) {
    let at = start;
    while (i < gone.length && (gone[i] as Interval).end <= start) i += 1;
    for (let j = i; j < gone.length && (gone[j] as Interval).start < end; j += 1) {
      const cut = gone[j] as Interval;
      if (cut.start > at) left.push({ start: at, end: cut.start });
      at = Math.max(at, cut.end);
    }
    if (at < end) left.push({ start: at, end });
  }
  return left;
}

/** Returns the time that is in both lists, merged. */
export function intersect(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  const left = merge(a);
  const right = merge(b);
  for (let i = 0, j = 0; i < left.length && j < right.length; ) {
    const one = left[i] as Interval;
    const two = right[j] as Interval;
    const start = Math.max(one.start, two.start);
    const end = Math.min(one.end, two.end);
    if (start < end) both.push({ start, end });
    if (one.end < two.end) i += 1;
    else j += 1;
  }
  return both;
}

/** Returns the part of an interval within another; undefined if there is none. */
export function clamp(one: Interval, within: Interval): Interval | undefined {
  const start = Math.max(one.start, within.start);
  const end = Math.min(one.end, within.end);
  return start < end ? { start, end } : undefined;
}

/** Returns the covered time in milliseconds; overlapping time counts once. */
export function coveredDuration(intervals: readonly Interval[]): number {
  return merge(intervals).reduce((total, one) => total + length(one), 0);
}

/** Time that a booking blocks around itself, in minutes. */
export interface Buffers {
  /** Preparation before the booking. */
  beforeMin?: number;
  /** Clean-up after the booking. */
  afterMin?: number;
  /** Turnover of the resource after the booking. */
  turnoverMin?: number;
}
/** Returns `[start − before, end + after + turnover)`. Buffers of adjacent bookings add up, since each blocks its own. */
export function blockedRange({ start, end }: Interval, { beforeMin = 0, afterMin = 0, turnoverMin = 0 }: Buffers): Interval {
  return { start: start - beforeMin * 60_000, end: end + (afterMin + turnoverMin) * 60_000 };
}
