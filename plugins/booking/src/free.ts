import { checkNotice, contains, epoch, findSlots, type Hours, type Instant, type Interval } from '@storeloom/plugin-sdk/time';
import type { Service } from './service.ts';
import type { Session } from './session.ts';

export interface FreeStart extends Interval {
  /** Seats left, for group services. */
  readonly seats?: number;
}
export interface Plan {
  service: Pick<
    Service,
    | 'id'
    | 'durationMin'
    | 'bufferBeforeMin'
    | 'bufferAfterMin'
    | 'slotIntervalMin'
    | 'slotAlign'
    | 'capacity'
    | 'minNoticeMin'
    | 'maxAdvanceDays'
  >;
  turnoverMin: number;
  hours: Hours;
  /** Taken times, buffers included. */
  busy: readonly Interval[];
  /** Sessions that customers may join. */
  sessions?: readonly Session[];
  from: Instant | number;
  until: Instant | number;
  /** Without it the notice period doesn't apply. */
  now?: Instant | number;
}

/** Possible starts with one member of staff: free starts of the grid, and sessions of the service with seats left. */
export function freeStarts({ service, turnoverMin, hours, busy, sessions = [], from, until, now }: Plan): FreeStart[] {
  const { durationMin, slotIntervalMin, minNoticeMin, maxAdvanceDays, capacity } = service;
  const start = typeof from === 'number' ? from : epoch(from);
  const end = typeof until === 'number' ? until : epoch(until);
  // A slot may begin within the range and end after it.
  const windows = hours.between(start, end + durationMin * 60_000);
  const notice = {
    minNoticeMin,
    ...(maxAdvanceDays === null ? {} : { maxAdvanceMin: maxAdvanceDays * 1440 }),
  };
  const free = findSlots({
    windows,
    busy,
    durationMin,
    intervalMin: slotIntervalMin ?? durationMin,
    align: service.slotAlign,
    timeZone: hours.timeZone,
    buffers: { beforeMin: service.bufferBeforeMin, afterMin: service.bufferAfterMin, turnoverMin },
    from: start,
    until: end,
    ...(now === undefined ? {} : { now, ...notice }),
  });
  if (capacity === 1) return free;
  const open = sessions.filter(
    (one) =>
      one.serviceId === service.id &&
      one.seats < capacity &&
      one.start >= start &&
      one.start < end &&
      (now === undefined || checkNotice(one.start, { now, ...notice }) === undefined) &&
      windows.some((window) => contains(window, one)),
  );
  return [
    ...free.map(({ start, end }) => ({ start, end, seats: capacity })),
    ...open.map(({ start, end, seats }) => ({ start, end, seats: capacity - seats })),
  ].sort((a, b) => a.start - b.start);
}

/** Merges the starts of several members of staff: each instant once, with the most seats left. */
export function mergeStarts(lists: readonly (readonly FreeStart[])[]): FreeStart[] {
  if (lists.length === 1) return [...(lists[0] as FreeStart[])];
  const byStart = new Map<number, FreeStart>();
  for (const list of lists)
    for (const one of list) {
      const known = byStart.get(one.start);
      if (known === undefined || (known.seats ?? 1) < (one.seats ?? 1)) byStart.set(one.start, one);
    }
  return [...byStart.values()].sort((a, b) => a.start - b.start);
}
