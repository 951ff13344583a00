import { expect, it } from 'vitest';
import { maxAmount } from '../money/index.ts';
import { type AccountEntry, computeBalance } from './balance.ts';

const ron = (amount: number) => ({ amount, currency: 'RON' });
const entry = (kind: AccountEntry['kind'], amount: number): AccountEntry => ({ kind, amount: ron(amount) });

it('a balance is what is due and charged, less payments, plus refunds', () => {
  const entries = [entry('charge', 2500), entry('payment', 20_000), entry('refund', 500), entry('payment', 1000)];
  expect(computeBalance(ron(40_000), entries)).toEqual({ paid: ron(20_500), charges: ron(2500), balance: ron(22_000) });
  expect(computeBalance(ron(1000), [])).toEqual({ paid: ron(0), charges: ron(0), balance: ron(1000) });
  expect(computeBalance(ron(1000), [entry('payment', 1500)]).balance).toEqual(ron(-500));
});

it('refuses another currency, and sums beyond the range of money', () => {
  const euros: AccountEntry = { kind: 'payment', amount: { amount: 1, currency: 'EUR' } };
  expect(() => computeBalance(ron(1000), [euros])).toThrow(expect.objectContaining({ code: 'currency_mismatch' }));
  expect(() => computeBalance(ron(maxAmount), [entry('charge', 1)])).toThrow(expect.objectContaining({ code: 'money_invalid' }));
});
