import { describe, expect, it } from 'vitest';
import { paysLater } from './payment/due.ts';
import { newestFirst } from './payment/waiting-order.ts';
import { recoveryDays } from './stats.ts';

describe('recovery figures', () => {
  it('contain every day, with zeros for days without events', () => {
    const days = recoveryDays(
      [
        { date: '2026-11-02', what: 'abandoned', n: 3, value: 900 },
        { date: '2026-11-02', what: 'reminded', n: 2, value: 0 },
        { date: '2026-11-03', what: 'recovered', n: 1, value: 400 },
      ],
      ['2026-11-01', '2026-11-02', '2026-11-03'],
    );
    expect(
      days.map((day) => [day.date, day.abandoned, day.abandonedValue, day.reminded, day.recovered, day.recoveredValue]),
    ).toEqual([
      ['2026-11-01', 0, 0, 0, 0, 0],
      ['2026-11-02', 3, 900, 2, 0, 0],
      ['2026-11-03', 0, 0, 0, 1, 400],
    ]);
  });
});

describe('payments of an order', () => {
  it('are due later on delivery and by invoice, but not by bank transfer', () => {
    expect(paysLater({ paidLater: true, provider: 'cod' })).toBe(true);
    expect(paysLater({ paidLater: true, provider: 'bank_transfer' })).toBe(false);
    expect(paysLater({ paidLater: false, provider: 'payment-a' })).toBe(false);
  });

  it('are sorted newest first, then by id', () => {
    const made = (id: string, createdAt: string) => ({ id, createdAt }) as Parameters<typeof newestFirst>[0][number];
    expect(newestFirst([made('a', '1'), made('b', '2'), made('c', '2')]).map((each) => each.id)).toEqual(['c', 'b', 'a']);
  });
});
