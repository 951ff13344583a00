import type { Ctx } from '@storeloom/plugin-sdk';
import { type BlockedRange, readCounter } from '@storeloom/plugin-sdk/reserve';
import { epoch, hourMs, instant, interval, minuteMs, overlaps, type Span } from '@storeloom/plugin-sdk/time';
import { assignTables } from './assign.ts';
import { coverSlots } from './holds.ts';
import { settings } from './settings.ts';
import { type Asker, slotOf, stayFault } from './stay-rules.ts';
import type { DiningTable } from './table.ts';

/** How far around the wish is looked. */
const reachMs = 4 * hourMs;
const mostEachWay = 3;

/** The time around a stay within which other starts could be offered: what is busy in it is asked once. */
export const reachOf = (blocked: Span): Span => ({
  start: instant(epoch(blocked.start) - reachMs),
  end: instant(epoch(blocked.end) + reachMs),
});

export interface Sought {
  startsAt: string;
  durationMin: number;
  partySize: number;
  /** The one set of tables that will do; none: whatever the assignment finds. */
  tableIds: readonly string[];
  asker: Asker;
}

/**
 * Starts near a wish that could be had of these tables, at most three before and three after, in order: advice, without a promise.
 * `busy`: what blocks the tables within `reachOf` the stay.
 */
export async function alternativesTo(
  ctx: Ctx,
  wish: Sought,
  tables: readonly DiningTable[],
  busy: readonly BlockedRange[],
): Promise<string[]> {
  const { intervalMin, turnoverMin, maxCoversPerSlot } = ctx.settings(settings);
  // A party that has no room in an empty house has none at any time.
  if (tables.length === 0 || (wish.tableIds.length === 0 && assignTables(tables, wish.partySize) === null)) return [];
  const step = intervalMin * minuteMs;
  const start = epoch(wish.startsAt);
  const onGrid = epoch(slotOf(ctx, wish.startsAt));
  const stay = wish.durationMin * minuteMs;
  const blocks = stay + turnoverMin * minuteMs;
  const starts: number[] = [];
  for (let at = onGrid - Math.floor(reachMs / step) * step; at <= start + reachMs; at += step)
    if (at !== start && stayFault(ctx, { start: at, end: at + stay }, wish.asker) === undefined) starts.push(at);
  if (starts.length === 0) return [];
  const slots = starts.map((at) => ({ slot: slotOf(ctx, instant(at)) }));
  const covers = maxCoversPerSlot === null ? [] : await readCounter(ctx, coverSlots, slots);
  const taken = busy.map(({ resource, ...range }) => ({ resource, range: interval(range) }));
  const fits = (at: number): boolean => {
    const reserved = covers[starts.indexOf(at)]?.reserved ?? 0;
    if (maxCoversPerSlot !== null && reserved + wish.partySize > maxCoversPerSlot) return false;
    const blocked = { start: at, end: at + blocks };
    const gone = new Set(taken.filter(({ range }) => overlaps(range, blocked)).map(({ resource }) => resource));
    const free = tables.filter(({ id }) => !gone.has(id));
    if (wish.tableIds.length > 0) return free.length === tables.length && tables.every(({ isActive }) => isActive);
    const offered = free.filter(
      ({ isReservable, isActive, occupancy }) => isReservable && isActive && occupancy !== 'out_of_service',
    );
    return assignTables(offered, wish.partySize) !== null;
  };
  const nearest = (side: readonly number[]): number[] => {
    const found: number[] = [];
    for (const at of side) {
      if (found.length === mostEachWay) break;
      if (fits(at)) found.push(at);
    }
    return found;
  };
  const before = nearest(starts.filter((at) => at < start).reverse());
  const after = nearest(starts.filter((at) => at > start));
  return [...before.reverse(), ...after].map(instant);
}
