import type { Ctx } from '@storeloom/plugin-sdk';
import { type BlockedRange, readCounter } from '@storeloom/plugin-sdk/reserve';
import { epoch, hourMs, instant, interval, minuteMs, overlaps, type Span } from '@storeloom/plugin-sdk/time';
import { assignTables } from './assign.ts';
import { coverSlots } from './holds.ts';
import { settings } from './settings.ts';
import { type Asker, slotOf, stayFault } from './stay-rules.ts';
import type { DiningTable } from './table.ts';

/** Alternatives are sought this far before and after the request. */
const reachMs = 4 * hourMs;
const mostEachWay = 3;

/** The range around a stay in which other starts may be offered. */
export const reachOf = (blocked: Span): Span => ({
  start: instant(epoch(blocked.start) - reachMs),
  end: instant(epoch(blocked.end) + reachMs),
});

export interface Sought {
  startsAt: string;
  durationMin: number;
  partySize: number;
  /** Tables that must be used; empty: any. */
  tableIds: readonly string[];
  asker: Asker;
}

/**
 * Free starts near the requested one, at most three before and three after, in order; nothing is reserved. `busy`: blocked ranges of the
 * tables within `reachOf` the stay.
 */
export async function alternativesTo(
  ctx: Ctx,
  request: Sought,
  tables: readonly DiningTable[],
  busy: readonly BlockedRange[],
): Promise<string[]> {
  const { intervalMin, turnoverMin, maxCoversPerSlot } = ctx.settings(settings);
  // A party that doesn't fit into the empty restaurant never does.
  if (tables.length === 0 || (request.tableIds.length === 0 && assignTables(tables, request.partySize) === null)) return [];
  const step = intervalMin * minuteMs;
  const start = epoch(request.startsAt);
  const onGrid = epoch(slotOf(ctx, request.startsAt));
  const stay = request.durationMin * minuteMs;
  const blocks = stay + turnoverMin * minuteMs;
  const starts: number[] = [];
  for (let at = onGrid - Math.floor(reachMs / step) * step; at <= start + reachMs; at += step)
    if (at !== start && stayFault(ctx, { start: at, end: at + stay }, request.asker) === undefined) starts.push(at);
  if (starts.length === 0) return [];
  const slots = starts.map((at) => ({ slot: slotOf(ctx, instant(at)) }));
  const covers = maxCoversPerSlot === null ? [] : await readCounter(ctx, coverSlots, slots);
  const taken = busy.map(({ resource, ...range }) => ({ resource, range: interval(range) }));
  const fits = (at: number): boolean => {
    const reserved = covers[starts.indexOf(at)]?.reserved ?? 0;
    if (maxCoversPerSlot !== null && reserved + request.partySize > maxCoversPerSlot) return false;
    const blocked = { start: at, end: at + blocks };
    const gone = new Set(taken.filter(({ range }) => overlaps(range, blocked)).map(({ resource }) => resource));
    const free = tables.filter(({ id }) => !gone.has(id));
    if (request.tableIds.length > 0) return free.length === tables.length && tables.every(({ isActive }) => isActive);
    const offered = free.filter(
      ({ isReservable, isActive, occupancy }) => isReservable && isActive && occupancy !== 'out_of_service',
    );
    return assignTables(offered, request.partySize) !== null;
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
