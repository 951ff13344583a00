import { type CivilDate, civilDateOf } from './civil.ts';
import { dayMs, epoch, type Instant, minuteMs } from './instant.ts';
import { type Buffers, type Interval, merge } from './interval.ts';
import { offsetAt } from './zone.ts';

export interface SlotRules {
  /** Where a slot must lie wholly. `origin`, else the window's start, is where its grid begins. */
  windows: readonly (Interval & { readonly origin?: number })[];
  /** What blocks: the stored ranges of others, their own buffers included. */
  busy?: readonly Interval[];
  /** Elapsed minutes, ≥ 1. */
  durationMin: number;
  /** Between two starts, in elapsed minutes; the duration where none is given. */
  intervalMin?: number;
  /**
   * `window` (default): the grid begins where the hours begin. `clock`: grids of 5, 10, 15, 30 and 60 minutes stand on the local clock of
   * `timeZone`; others stay on the window's.
   */
  align?: 'window' | 'clock';
  timeZone?: string;
  /** What the slot itself would block around it; need not lie inside the window. */
  buffers?: Buffers;
  /** `now + minNotice ≤ start < now + maxAdvance`, where `now` is given. */
  now?: Instant | number;
  minNoticeMin?: number;
  maxAdvanceMin?: number;
  /** Starts wanted, half-open. */
  from?: Instant | number;
  until?: Instant | number;
}

/** Why a start may not be taken: the bounds that `slots` keeps, for the request that takes one. */
export type NoticeViolation = 'too_soon' | 'too_far';
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

/** Free starts in order, each once: advice without a lock. What is taken meanwhile is found out when it is reserved. */
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
  if (rules.align === 'clock' && rules.timeZone === undefined) throw new RangeError('a grid on the clock needs a time zone');
  /** The first instant from `at` on that stands on the clock's grid. */
  const onClock = (at: number): number => {
    let snapped = at;
    // A clock put back by half an hour can take a snapped start off the grid again: once more then.
    for (let tries = 0; zone !== undefined && tries < 3; tries += 1) {
      const over = (((snapped + offsetAt(snapped, zone)) % step) + step) % step;
      if (over === 0) break;
      snapped += step - over;
    }
    return snapped;
  };

  const blocked = merge(rules.busy ?? []);
  const found: Interval[] = [];
  // Windows that don't overlap come in order: there is nothing to sort then, and no start is there twice.
  let last = Number.NEGATIVE_INFINITY;
  let inOrder = true;
  for (const { start, end, origin = start } of rules.windows) {
    const first = Math.max(start, least);
    let at = onClock(first <= origin ? origin : origin + Math.ceil((first - origin) / step) * step);
    // A snapped start may lie a step before: clocks are looked at from the first instant on.
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

/** The first of merged intervals that ends after an instant. */
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

/** Groups by the civil date on which each begins in a viewer's zone; dates in order, those without any left out. */
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
