import { describe, expect, it } from 'vitest';
import { type HistoryEntry, lowestBefore, lowestPrice30d, reductionStart } from './omnibus.ts';

const at = (day: string): string => `${day}T00:00:00.000Z`;
const entry = (day: string, price: number, compareAt: number | null = null): HistoryEntry => ({
  price,
  compareAt,
  from: at(day),
});

describe('lowestPrice30d', () => {
  it('uses the 30 days before the reduction, not the last 30 days', () => {
    const history = [entry('2026-01-01', 9000), entry('2026-02-01', 12000), entry('2026-03-20', 10000, 12000)];
    // On 1 May the reduction is 42 days old: the last 30 days contain only 10000.
    expect(lowestPrice30d(history)).toBe(12000);
  });
  it('includes a price that ended within the window', () => {
    expect(lowestPrice30d([entry('2026-01-01', 9000), entry('2026-03-01', 12000), entry('2026-03-20', 10000, 12000)])).toBe(9000);
    // The first price ended exactly at the start of the window, so it doesn't count.
    expect(lowestBefore([entry('2026-01-01', 9000), entry('2026-02-18', 12000)], at('2026-03-20'))).toBe(12000);
    expect(lowestBefore([entry('2026-01-01', 9000), entry('2026-02-19', 12000)], at('2026-03-20'))).toBe(9000);
  });
  it('treats consecutive reductions as one', () => {
    const history = [entry('2026-01-01', 12000), entry('2026-03-01', 10000, 12000), entry('2026-03-10', 8000, 12000)];
    expect(reductionStart(history)).toBe(at('2026-03-01'));
    expect(lowestPrice30d(history)).toBe(12000);
  });
  it('treats a reduction after a pause as new and includes the earlier sale price', () => {
    const history = [
      entry('2026-01-01', 12000),
      entry('2026-02-20', 8000, 12000),
      entry('2026-02-25', 12000),
      entry('2026-03-10', 9000, 12000),
    ];
    expect(reductionStart(history)).toBe(at('2026-03-10'));
    expect(lowestPrice30d(history)).toBe(8000);
  });
  it('is undefined without a reduction or without an earlier price', () => {
    expect(lowestPrice30d([entry('2026-01-01', 12000)])).toBeUndefined();
    expect(lowestPrice30d([entry('2026-01-01', 12000, 12000)])).toBeUndefined();
    expect(lowestPrice30d([entry('2026-01-01', 9000, 12000)])).toBeUndefined();
    expect(lowestPrice30d([])).toBeUndefined();
  });
  it('accepts the start of a promotion that the history does not contain', () => {
    const history = [entry('2026-01-01', 9000), entry('2026-02-01', 12000)];
    expect(lowestPrice30d(history, at('2026-02-10'))).toBe(9000);
    expect(lowestPrice30d(history, at('2026-04-10'))).toBe(12000);
    // The earlier start counts.
    expect(lowestPrice30d([...history, entry('2026-02-05', 11000, 12000)], at('2026-04-10'))).toBe(9000);
  });
});
