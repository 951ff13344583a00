import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkNotice,
  dayBounds,
  findSlots,
  groupByDate,
  hours,
  type Interval,
  minuteMs,
  type SlotRules,
  span,
  wallTime,
} from './index.ts';

const bucharest = 'Europe/Bucharest';
const at = (text: string): number => Date.parse(text);
const starts = (rules: SlotRules): string[] => findSlots(rules).map((slot) => span(slot).start.slice(11, 16));
const day = (from: string, to: string): Interval => ({ start: at(`2026-05-04T${from}Z`), end: at(`2026-05-04T${to}Z`) });

describe('slots', () => {
  it('keep the grid of the hours around busy times', () => {
    expect(starts({ windows: [day('09:00', '12:00')], busy: [day('09:40', '10:10')], durationMin: 30 })).toEqual([
      '09:00',
      '10:30',
      '11:00',
      '11:30',
    ]);
  });
  it('keep the grid after a break: it begins where the hours begin', () => {
    const open = hours({
      timeZone: 'UTC',
      weeklyHours: { mon: [{ start: '09:00', end: '12:00' }] },
      breaks: { mon: [{ start: '10:15', end: '10:20' }] },
    });
    expect(
      open
        .on('2026-05-04')
        .map(span)
        .map(({ start, end }) => [start.slice(11, 16), end.slice(11, 16)]),
    ).toEqual([
      ['09:00', '10:15'],
      ['10:20', '12:00'],
    ]);
    expect(starts({ windows: open.on('2026-05-04'), durationMin: 30 })).toEqual(['09:00', '09:30', '10:30', '11:00', '11:30']);
  });
  it('are adjacent to busy times, unless they have buffers', () => {
    const rules = { windows: [day('09:00', '12:00')], busy: [day('10:00', '11:00')], durationMin: 60 };
    expect(starts(rules)).toEqual(['09:00', '11:00']);
    expect(starts({ ...rules, buffers: { beforeMin: 5 } })).toEqual(['09:00']);
    expect(starts({ ...rules, buffers: { afterMin: 5 } })).toEqual(['11:00']);
    expect(starts({ ...rules, buffers: { turnoverMin: 5 } })).toEqual(['11:00']);
    // A buffer may stand outside the hours.
    expect(starts({ ...rules, busy: [], buffers: { beforeMin: 30, afterMin: 30 } })).toEqual(['09:00', '10:00', '11:00']);
  });
  it('lie between notice and advance, half-open', () => {
    const rules = { windows: [day('09:00', '13:00')], durationMin: 60, now: at('2026-05-04T09:00Z') };
    expect(starts({ ...rules, minNoticeMin: 60 })).toEqual(['10:00', '11:00', '12:00']);
    expect(starts({ ...rules, maxAdvanceMin: 120 })).toEqual(['09:00', '10:00']);
    expect(starts({ ...rules, from: at('2026-05-04T09:30Z'), until: at('2026-05-04T11:00Z') })).toEqual(['10:00']);
    const notice = { now: rules.now, minNoticeMin: 60, maxAdvanceMin: 120 };
    expect(checkNotice(at('2026-05-04T09:59:59.999Z'), notice)).toBe('too_soon');
    expect(checkNotice('2026-05-04T10:00:00.000Z', notice)).toBeUndefined();
    expect(checkNotice(at('2026-05-04T11:00Z'), notice)).toBe('too_far');
    expect(checkNotice(at('2036-05-04T11:00Z'), { now: rules.now })).toBeUndefined();
  });
  it('follow the local clock with align clock, not the UTC hour', () => {
    const kolkata = { windows: [{ start: at('2026-05-04T02:05Z'), end: at('2026-05-04T05:00Z') }], timeZone: 'Asia/Kolkata' };
    const local = (rules: SlotRules) => findSlots(rules).map((slot) => wallTime(span(slot).start, 'Asia/Kolkata'));
    expect(local({ ...kolkata, align: 'clock', durationMin: 60 })).toEqual(['08:00', '09:00']);
    expect(local({ ...kolkata, align: 'clock', durationMin: 60, intervalMin: 30 })).toEqual(['08:00', '08:30', '09:00', '09:30']);
    // 45 minutes have no place on a clock.
    expect(local({ ...kolkata, align: 'clock', durationMin: 45 })).toEqual(['07:35', '08:20', '09:05']);
    expect(local({ ...kolkata, align: 'window', durationMin: 60 })).toEqual(['07:35', '08:35']);
    expect(() => findSlots({ windows: [], align: 'clock', durationMin: 60 })).toThrow(RangeError);
  });
  it('follow the clock across a change of half an hour', () => {
    const zone = 'Australia/Lord_Howe';
    const open = hours({ timeZone: zone, weeklyHours: { sun: [{ start: '00:00', end: '05:00' }] } });
    const local = (date: string, align: 'window' | 'clock') =>
      findSlots({ windows: open.on(date), align, timeZone: zone, durationMin: 60 }).map((slot) =>
        wallTime(span(slot).start, zone),
      );
    // Back at 02:00 to 01:30, and forward at 02:00 to 02:30.
    expect(local('2026-04-05', 'window')).toEqual(['00:00', '01:00', '01:30', '02:30', '03:30']);
    expect(local('2026-04-05', 'clock')).toEqual(['00:00', '01:00', '02:00', '03:00', '04:00']);
    expect(local('2026-10-04', 'window')).toEqual(['00:00', '01:00', '02:30', '03:30']);
    expect(local('2026-10-04', 'clock')).toEqual(['00:00', '01:00', '03:00', '04:00']);
  });
  it('include both 03:30 of a repeated hour, an hour apart', () => {
    const open = hours({ timeZone: bucharest, weeklyHours: { sun: [{ start: '02:30', end: '05:00' }] } });
    const list = findSlots({ windows: open.on('2026-10-25'), durationMin: 60 });
    expect(list.map((slot) => [span(slot).start, wallTime(span(slot).start, bucharest)])).toEqual([
      ['2026-10-24T23:30:00.000Z', '02:30'],
      ['2026-10-25T00:30:00.000Z', '03:30'],
      ['2026-10-25T01:30:00.000Z', '03:30'],
    ]);
  });
  it('are 23, 24 and 25 in a day of New York too', () => {
    const open = hours({
      timeZone: 'America/New_York',
      weeklyHours: { sun: [{ start: '00:00', end: '24:00' }], mon: [{ start: '00:00', end: '24:00' }] },
    });
    const count = (date: string) => findSlots({ windows: open.on(date), durationMin: 60 }).length;
    expect([count('2026-03-08'), count('2026-03-09'), count('2026-11-01')]).toEqual([23, 24, 25]);
  });
  it('of a viewer’s days are complete for any two time zones', () => {
    const open = hours({
      timeZone: bucharest,
      weeklyHours: { mon: [{ start: '22:00', end: '02:00' }], tue: [{ start: '09:00', end: '11:00' }] },
    });
    for (const viewer of [
      'Pacific/Kiritimati',
      'Pacific/Pago_Pago',
      'Asia/Dubai',
      'America/New_York',
      'Asia/Kolkata',
      bucharest,
    ]) {
      const seen = new Map<string, number>();
      for (const date of ['2026-03-29', '2026-03-30', '2026-03-31', '2026-04-01']) {
        const { start, end } = dayBounds(date, date, viewer);
        const list = findSlots({ windows: open.between(start, end), durationMin: 60, from: start, until: end });
        for (const [of, some] of groupByDate(list, viewer)) {
          expect(of).toBe(date);
          for (const slot of some) seen.set(span(slot).start, (seen.get(span(slot).start) ?? 0) + 1);
        }
      }
      expect([...seen].sort()).toEqual(
        ['2026-03-30T19', '2026-03-30T20', '2026-03-30T21', '2026-03-30T22', '2026-03-31T06', '2026-03-31T07'].map((hour) => [
          `${hour}:00:00.000Z`,
          1,
        ]),
      );
    }
  });

  it('are exactly the starts that a search over every minute finds', () => {
    const minute = (n: number): number => at('2026-03-28T18:00Z') + n * minuteMs;
    const ranges = (count: number, longest: number) =>
      fc.array(
        fc.tuple(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 1, max: longest })).map(([start, length]) => ({
          start: minute(start),
          end: minute(start + length),
        })),
        { maxLength: count },
      );
    const number = (max: number, min = 0) => fc.integer({ min, max });
    fc.assert(
      fc.property(
        ranges(4, 400),
        ranges(6, 90),
        number(120, 1),
        number(90, 1),
        number(30),
        number(30),
        number(600),
        number(900),
        (windows, busy, durationMin, intervalMin, beforeMin, afterMin, notice, advance) => {
          const now = minute(0);
          const expected = new Set<number>();
          for (const window of windows)
            for (let start = window.start; start + durationMin * minuteMs <= window.end; start += intervalMin * minuteMs) {
              if (start < now + notice * minuteMs || start >= now + advance * minuteMs) continue;
              const from = start - beforeMin * minuteMs;
              const to = start + (durationMin + afterMin) * minuteMs;
              if (!busy.some((one) => one.start < to && from < one.end)) expected.add(start);
            }
          const found = findSlots({
            windows,
            busy,
            durationMin,
            intervalMin,
            buffers: { beforeMin, afterMin },
            now,
            minNoticeMin: notice,
            maxAdvanceMin: advance,
          });
          expect(found.map((slot) => slot.start)).toEqual([...expected].sort((a, b) => a - b));
          expect(found.every((slot) => slot.end - slot.start === durationMin * minuteMs)).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
