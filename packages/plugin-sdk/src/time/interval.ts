import { domainError } from '../problem.ts';
import { epoch, type Instant, instant } from './instant.ts';

/** Half-open `[start, end)` in milliseconds since 1970: what calculations use. Back-to-back intervals don't touch each other. */
export interface Interval {
  readonly start: number;
  readonly end: number;
}

/** Half-open `[start, end)` in instants: what rows and answers hold. */
export interface Span {
  start: Instant;
  end: Instant;
}

export function interval({ start, end }: Readonly<Span>): Interval {
  return { start: epoch(start), end: epoch(end) };
}
export function span({ start, end }: Interval): Span {
  return { start: instant(start), end: instant(end) };
}

/** Of a body: 422 `invalid_interval` unless `end` is later than `start`. `pointer` is that of the end. */
export function parseInterval(given: Readonly<Span>, pointer: string): Interval {
  const read = interval(given);
  if (read.end <= read.start) throw domainError(pointer, 'invalid_interval', 'must lie after the start');
  return read;
}

/** Whether two intervals share an instant. Ends that meet don't. */
export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.end && b.start < a.end && a.start < a.end && b.start < b.end;
}

/** Whether `inner` lies wholly inside `outer`. */
export function contains(outer: Interval, inner: Interval): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

const length = ({ start, end }: Interval): number => Math.max(0, end - start);

/** What is covered, as few intervals as can say it, in order: overlapping and adjoining ones become one, empty ones go. */
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

/** What is in `from` and in none of `cuts`, merged. */
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

/** What is in both, merged. */
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

/** The part of an interval that lies within another; undefined when none does. */
export function clamp(one: Interval, within: Interval): Interval | undefined {
  const start = Math.max(one.start, within.start);
  const end = Math.min(one.end, within.end);
  return start < end ? { start, end } : undefined;
}

/** Covered time in milliseconds; what is covered twice counts once. */
export function coveredDuration(intervals: readonly Interval[]): number {
  return merge(intervals).reduce((total, one) => total + length(one), 0);
}

/** What a booking blocks, in minutes around it. A turnover of the resource stands after it only. */
export interface Buffers {
  beforeMin?: number;
  afterMin?: number;
  turnoverMin?: number;
}
/** `[start − before, end + after + turnover)`. Buffers of two neighbours add up, since each blocks its own. */
export function blockedRange({ start, end }: Interval, { beforeMin = 0, afterMin = 0, turnoverMin = 0 }: Buffers): Interval {
  return { start: start - beforeMin * 60_000, end: end + (afterMin + turnoverMin) * 60_000 };
}
