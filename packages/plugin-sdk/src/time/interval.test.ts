import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  blockedRange,
  clamp,
  contains,
  coveredDuration,
  type Interval,
  intersect,
  interval,
  merge,
  overlaps,
  parseInterval,
  span,
  subtract,
} from './index.ts';

const one = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12 }))
  .map(([start, length]): Interval => ({ start, end: start + length }));
const some = fc.array(one, { maxLength: 12 });
/** The truth that the algebra must match: the single instants that a set holds. */
const points = (intervals: readonly Interval[]): Set<number> => {
  const held = new Set<number>();
  for (const { start, end } of intervals) for (let at = start; at < end; at += 1) held.add(at);
  return held;
};
const isTidy = (intervals: readonly Interval[]): boolean =>
  intervals.every(({ start, end }, i) => start < end && (i === 0 || (intervals[i - 1] as Interval).end < start));

describe('interval algebra', () => {
  it('merge keeps every instant, in as few intervals as can say it', () => {
    fc.assert(
      fc.property(some, (a) => {
        const merged = merge(a);
        expect(points(merged)).toEqual(points(a));
        expect(isTidy(merged)).toBe(true);
        expect(merge(merged)).toEqual(merged);
        expect(coveredDuration(a)).toBe(points(a).size);
      }),
    );
  });
  it('subtract leaves what is in the first and not in the second', () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const left = subtract(a, b);
        expect(points(left)).toEqual(points(a).difference(points(b)));
        expect(isTidy(left)).toBe(true);
      }),
    );
  });
  it('intersect holds what is in both, and with subtract makes up the whole', () => {
    fc.assert(
      fc.property(some, some, (a, b) => {
        const both = intersect(a, b);
        expect(points(both)).toEqual(points(a).intersection(points(b)));
        expect(isTidy(both)).toBe(true);
        expect(intersect(b, a)).toEqual(both);
        expect(merge([...both, ...subtract(a, b)])).toEqual(merge(a));
      }),
    );
  });
  it('overlaps, contains and clamp agree with the instants', () => {
    fc.assert(
      fc.property(one, one, (a, b) => {
        const shared = points([a]).intersection(points([b]));
        expect(overlaps(a, b)).toBe(shared.size > 0);
        expect(overlaps(b, a)).toBe(overlaps(a, b));
        expect(points([clamp(a, b)].filter((c) => c !== undefined))).toEqual(shared);
        if (b.end > b.start) expect(contains(a, b)).toBe(points([b]).isSubsetOf(points([a])));
      }),
    );
  });
  it('changes none of its arguments', () => {
    const a = Object.freeze([Object.freeze({ start: 5, end: 9 }), Object.freeze({ start: 0, end: 6 })]);
    expect(merge(a)).toEqual([{ start: 0, end: 9 }]);
    expect(subtract(a, a)).toEqual([]);
    expect(intersect(a, a)).toEqual([{ start: 0, end: 9 }]);
  });
  it('lets intervals be adjacent', () => {
    const nine = { start: '2026-05-04T09:00:00.000Z', end: '2026-05-04T10:00:00.000Z' };
    const ten = { start: nine.end, end: '2026-05-04T11:00:00.000Z' };
    expect(overlaps(interval(nine), interval(ten))).toBe(false);
    expect(merge([interval(ten), interval(nine)]).map(span)).toEqual([{ start: nine.start, end: ten.end }]);
  });
  it('rejects an end that is not after the start', () => {
    const at = '2026-05-04T09:00:00.000Z';
    for (const end of [at, '2026-05-04T08:59:59.999Z'])
      expect(() => parseInterval({ start: at, end }, '/end')).toThrow(
        expect.objectContaining({
          code: 'invalid_interval',
          extra: expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/end' })] }),
        }),
      );
    // 09:00Z and 11:30+02:00 are compared as instants, not as text.
    expect(parseInterval({ start: '2026-05-04T09:00:00Z', end: '2026-05-04T11:30:00+02:00' }, '/end')).toMatchObject({
      end: Date.parse('2026-05-04T09:30:00Z'),
    });
  });
  it('rejects a civil date as instant', () => {
    expect(() => interval({ start: '2026-05-04', end: '2026-05-05' })).toThrow(RangeError);
  });
  it('adds up the buffers of adjacent bookings, and a turnover after them only', () => {
    const hour = 3_600_000;
    expect(blockedRange({ start: 10 * hour, end: 11 * hour }, { beforeMin: 15, afterMin: 30, turnoverMin: 60 })).toEqual({
      start: 9.75 * hour,
      end: 12.5 * hour,
    });
  });
});
