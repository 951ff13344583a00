import { describe, expect, test } from 'vitest';
import { bounds, periodOf } from './quotas.ts';

describe('periods of a limit', () => {
  test('by the end of its name', () => {
    expect(['products', 'mailsPerMonth', 'callsPerDay', 'PerMonths'].map(periodOf)).toEqual([null, 'month', 'day', null]);
  });
  test('begin and end at midnight of the shop', () => {
    expect(bounds('month', '2026-10-31T22:30:00.000Z', 'Europe/Bucharest')).toEqual({
      start: '2026-10-31T22:00:00.000Z',
      end: '2026-11-30T22:00:00.000Z',
    });
    // The day on which clocks are put back has 25 hours.
    expect(bounds('day', '2026-10-25T10:00:00.000Z', 'Europe/Bucharest')).toEqual({
      start: '2026-10-24T21:00:00.000Z',
      end: '2026-10-25T22:00:00.000Z',
    });
  });
});
