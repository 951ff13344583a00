import { type CivilDate, civilDateOf } from './civil.ts';
import { dayMs, epoch, type Instant, minuteMs } from './instant.ts';
import { type Buffers, type Interval, merge } from './interval.ts';
import { offsetAt } from './zone.ts';

/** Input of `findSlots`. */
export interface SlotRules {
  /** Open time. A slot lies entirely within a window; its grid begins at `origin`, by default the start of the window. */
  windows: readonly (Interval & { readonly origin?: number })[];
  /** Blocked ranges of other bookings, their buffers included. */
  busy?: readonly Interval[];
  /** Length of a slot in elapsed minutes, ≥ 1. */
  durationMin: number;
  /** Elapsed minutes between two starts. Default: the duration. */
  intervalMin?: number;
  /**
   * `window` (default): the grid begins at the start of the hours. `clock`: grids of 5, 10, 15, 30 and 60 minutes follow the wall
   * clock of `timeZone`; other grids begin at the start of the hours.
   */
  align?: 'window' | 'clock';
  /** IANA time zone of `align: 'clock'`. */
  timeZone?: string;
  /** Time that the slot would block around itself; it can extend beyond the window. */
  buffers?: Buffers;
  /** Current time. If given, `now + minNoticeMin ≤ start < now + maxAdvanceMin`. */
  now?: Instant | number;
  /** Minimum notice in minutes. */
  minNoticeMin?: number;
  /** Maximum advance booking in minutes. */
  maxAdvanceMin?: number;
  /** Earliest start. */
  from?: Instant | number;
  /** Starts are before this instant. */
  until?: Instant | number;
}

/** Why a start isn't bookable: less than the minimum notice, or beyond the maximum advance. */
export type NoticeViolation = 'too_soon' | 'too_far';
/** Returns why a start isn't bookable by the notice rules of `findSlots`, for the request that books it; undefined if it is. */
export function checkNotice(
  start: Instant | number,
  { now, minNoticeMin = 0, maxAdvanceMin }: { now: Instant | number; minNoticeMin?: number; maxAdvanceMin?: number | undefined },
): NoticeViolation | undefined {
  const { least, most } = noticeBounds(ms(now, 0), minNoticeMin, maxAdvanceMin);
  const at = ms(start, 0);
  return at < least ? 'too_soon' : at >= most ? 'too_far' : undefined;
}
function noticeBounds(now: number, minNoticeMin: number, maxAdvanceMin: number | undefined): { least: number; most: number } {
  return {
    least: now + minNoticeMin * minuteMs,
    most: maxAdvanceMin === undefined ? Number.POSITIVE_INFINITY : now + maxAdvanceMin * minuteMs,
  };
}

const clockGrids = new Set([5, 10, 15, 30, 60]);
const ms = (at: Instant | number | undefined, without: number): number =>
  at === undefined ? without : typeof at === 'number' ? at : epoch(at);

/**
 * Returns the free slots in order, each once. Reads no locks: check availability again when booking.
 *
 * @throws RangeError for a duration or interval ≤ 0, or `align: 'clock'` without a time zone
 */
export function findSlots(rules: SlotRules): Interval[] {
  const { durationMin, intervalMin = durationMin, buffers = {}, minNoticeMin = 0 } = rules;
  if (!(durationMin > 0 && intervalMin > 0)) throw new RangeError('a slot needs a duration and an interval');
  const duration = durationMin * minuteMs;
  const step = intervalMin * minuteMs;
  const before = (buffers.beforeMin ?? 0) * minuteMs;
  const after = duration + ((buffers.afterMin ?? 0) + (buffers.turnoverMin ?? 0)) * minuteMs;
  const notice =
    rules.now === undefined
      ? { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }
      : noticeBounds(ms(rules.now, 0), minNoticeMin, rules.maxAdvanceMin);
  const least = Math.max(notice.least, ms(rules.from, Number.NEGATIVE_INFINITY));
  const most = Math.min(notice.most, ms(rules.until, Number.POSITIVE_INFINITY));
  const zone = rules.align === 'clock' && clockGrids.has(intervalMin) ? rules.timeZone : undefined;
  if (rules.align === 'clock' && rules.timeZone === undefined) throw new RangeError("align: 'clock' needs a time zone");
  /** Returns the first instant on the wall-clock grid, not before `at`. */
  const onClock = (at: number): number => {
    let snapped = at;
    // If clocks go back by half an hour, a snapped start can be off the grid again.
    for (let tries = 0; zone !== undefined && tries < 3; tries += 1) {
      const over = (((snapped + offsetAt(snapped, zone)) % step) + step) % step;
      if (over === 0) break;
      snapped += step - over;
    }
    return snapped;
  };

  const blocked = merge(rules.busy ?? []);
  const found: Interval[] = [];
  // Slots of windows that don't overlap are already in order and unique.
  let last = Number.NEGATIVE_INFINITY;
  let inOrder = true;
  for (const { start, end, origin = start } of rules.windows) {
    const first = Math.max(start, least);
    let at = onClock(first <= origin ? origin : origin + Math.ceil((first - origin) / step) * step);
    // A snapped start can be one step earlier, so snap again from the first instant.
    if (zone !== undefined && first > origin) at = onClock(first);
    let next = firstAfter(blocked, at - before);
    while (at + duration <= end && at < most) {
      while (next < blocked.length && (blocked[next] as Interval).end <= at - before) next += 1;
      const block = blocked[next];
      if (!block || block.start >= at + after) {
        found.push({ start: at, end: at + duration });
        if (at <= last) inOrder = false;
        last = at;
      }
      at = onClock(at + step);
    }
  }
  if (inOrder) return found;
  found.sort((a, b) => a.start - b.start);
  return found.filter((one, i) => i === 0 || one.start !== (found[i - 1] as Interval).start);
}

/** Returns the index of the first of merged intervals that ends after an instant. */
function firstAfter(intervals: readonly Interval[], at: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle] as Interval).end <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Groups intervals by the civil date on which they begin in a time zone; dates in order, empty ones left out. */
export function groupByDate<T extends Interval>(items: readonly T[], timeZone: string): Map<CivilDate, T[]> {
  const groups = new Map<CivilDate, T[]>();
  let day = Number.NaN;
  let group: T[] = [];
  for (const item of [...items].sort((a, b) => a.start - b.start)) {
    const of = Math.floor((item.start + offsetAt(item.start, timeZone)) / dayMs);
    if (of !== day) {
      day = of;
      const date = civilDateOf(of);
      group = groups.get(date) ?? [];
      groups.set(date, group);
    }
    group.push(item);
  }
  return groups;
}
