import { describe, expect, it } from 'vitest';
import { matchRefunds, outcomeOf, type PaymentRefund } from './refund-match.ts';

const theirs = (id: string, paymentId: string, amount: number, at: string): PaymentRefund => ({
  id,
  paymentId,
  amount: { amount },
  status: 'pending',
  createdAt: `2026-01-0${at}`,
});
const own = (id: string, at: string, ...parts: [string, number][]) => ({
  id,
  createdAt: `2026-01-0${at}`,
  allocations: parts.map(([paymentId, amount]) => ({ type: 'payment' as const, paymentId, amount })),
});

describe('matchRefunds', () => {
  it('finds the refund of the same id first', () => {
    const found = matchRefunds([own('r', '1', ['p', 5])], [theirs('x', 'p', 5, '1'), theirs('r', 'p', 5, '1')]);
    expect(found.get('r')?.map((each) => each.id)).toEqual(['r']);
  });
  it('finds each part once, and leaves what came before to edits and cancels', () => {
    const found = matchRefunds(
      [own('one', '2', ['p', 5], ['q', 7]), own('two', '3', ['p', 5])],
      [theirs('edit', 'p', 5, '1'), theirs('a', 'p', 5, '2'), theirs('b', 'q', 7, '2'), theirs('c', 'p', 5, '3')],
    );
    expect(found.get('one')?.map((each) => each.id)).toEqual(['a', 'b']);
    expect(found.get('two')?.map((each) => each.id)).toEqual(['c']);
  });
});

describe('outcomeOf', () => {
  it('waits for every part, and leaves a mixed end to a person', () => {
    expect(outcomeOf([{ status: 'succeeded' }], 2)).toBeUndefined();
    expect(outcomeOf([{ status: 'succeeded' }, { status: 'pending' }], 2)).toBeUndefined();
    expect(outcomeOf([{ status: 'succeeded' }, { status: 'succeeded' }], 2)).toBe('succeeded');
    expect(outcomeOf([{ status: 'failed' }, { status: 'cancelled' }], 2)).toBe('failed');
    expect(outcomeOf([{ status: 'failed' }, { status: 'succeeded' }], 2)).toBeUndefined();
  });
});
