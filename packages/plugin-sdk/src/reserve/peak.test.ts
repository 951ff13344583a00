import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Bounds, peakUsage } from './peak.ts';

const span = (start: number, end: number, quantity = 1): Bounds<number> & { quantity: number } => ({ start, end, quantity });

test('consecutive uses need one place', () => {
  // A pool of four: three and three, one after the other.
  expect(peakUsage([span(0, 5, 3), span(6, 9, 3)], { start: 0, end: 9 })).toBe(3);
  expect(peakUsage([span(5, 10, 4)], { start: 0, end: 30 })).toBe(4);
});

test('back-to-back ranges do not overlap, in any order', () => {
  expect(peakUsage([span(5, 9), span(0, 5)], { start: 0, end: 9 })).toBe(1);
  expect(
    peakUsage(
      [
        { start: '2026-07-10', end: '2026-07-12' },
        { start: '2026-07-12', end: '2026-07-14' },
      ],
      { start: '2026-07-01', end: '2026-08-01' },
    ),
  ).toBe(1);
});

test('only the window counts, and half-open at both ends', () => {
  expect(peakUsage([span(0, 3, 5), span(9, 12, 5), span(2, 10)], { start: 3, end: 9 })).toBe(1);
  expect(peakUsage([], { start: 0, end: 1 })).toBe(0);
  expect(peakUsage([span(4, 4, 9), span(6, 5, 9)], { start: 0, end: 9 })).toBe(0);
});

test('equals the greatest count over all moments', () => {
  const moment = fc.integer({ min: 0, max: 24 });
  const spans = fc.array(fc.tuple(moment, moment, fc.integer({ min: 1, max: 4 })), { maxLength: 20 });
  fc.assert(
    fc.property(spans, moment, moment, (list, from, to) => {
      let most = 0;
      for (let at = from; at < to; at++)
        most = Math.max(
          most,
          list.reduce((sum, [start, end, quantity]) => sum + (start <= at && at < end ? quantity : 0), 0),
        );
      const given = list.map(([start, end, quantity]) => span(start, end, quantity));
      expect(peakUsage(given, { start: from, end: to })).toBe(most);
    }),
  );
});
