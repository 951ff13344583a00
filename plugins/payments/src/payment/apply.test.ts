import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderPayment } from '../provider/adapter.ts';
import { hasEnded, isMismatch, nextState } from './apply.ts';
import { machine, type PaymentRow } from './payment.ts';

const row = (more: Partial<PaymentRow> = {}): PaymentRow =>
  ({
    id: 'p',
    status: 'created',
    amount: { amount: 100, currency: 'RON' },
    intentAmount: 100,
    authorizedAmount: 0,
    capturedAmount: 0,
    capture: 'auto',
    released: null,
    ...more,
  }) as PaymentRow;
const truth = (status: ProviderPayment['status'], more: Partial<ProviderPayment> = {}): ProviderPayment => ({
  ref: 'r',
  paymentId: 'p',
  status,
  amount: 100,
  currency: 'RON',
  authorized: 0,
  captured: 0,
  refunds: [],
  error: null,
  clientSecret: null,
  redirectUrl: null,
  instrument: null,
  ...more,
});
const words = ['requires_action', 'authorized', 'partially_captured', 'captured', 'failed', 'expired', 'cancelled'] as const;

describe('what the provider says', () => {
  it('only makes moves that the machine has, and never leaves a state for one before it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ status: fc.constantFrom(...words), captured: fc.integer({ min: 0, max: 100 }) })),
        (said) => {
          let current = row();
          let most = 0;
          for (const word of said) {
            // Amounts only grow on the provider's side too.
            most = Math.max(most, word.captured);
            const to = nextState(current, { status: word.status, captured: most });
            if (to === undefined) continue;
            const steps =
              to === 'partially_captured' && ['created', 'requires_action'].includes(current.status)
                ? ['authorized' as const, to]
                : [to];
            for (const step of steps) {
              expect(machine.check(current.status, step)).toBe('move');
              current = { ...current, status: step };
            }
            current = { ...current, capturedAmount: Math.max(current.capturedAmount, most) };
          }
        },
      ),
    );
  });

  it('ends alike in whatever order it comes, once the money is taken', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...words, ...words], { minLength: 1, maxLength: 14 }), (said) => {
        // The provider is asked afresh for every event: whoever comes after the capture hears of the capture.
        let current = row();
        const taken = said.indexOf('captured');
        for (const [i, word] of said.entries()) {
          const now =
            taken !== -1 && i >= taken
              ? truth('captured', { captured: 100 })
              : truth(word === 'captured' ? 'requires_action' : word);
          const to = nextState(current, now);
          if (to !== undefined) current = { ...current, status: to };
        }
        if (taken !== -1 && current.status !== 'voided') expect(current.status).toBe('captured');
      }),
    );
  });

  it.each([
    ['authorized', 'cancelled', { released: 'refund' as const }, 'voided'],
    ['authorized', 'cancelled', {}, 'expired'],
    ['partially_captured', 'cancelled', { capturedAmount: 40 }, 'voided'],
    ['captured', 'cancelled', {}, undefined],
    ['captured', 'failed', {}, undefined],
    ['authorized', 'requires_action', {}, undefined],
    ['created', 'expired', {}, 'cancelled'],
    ['cancelled', 'requires_action', {}, undefined],
    ['failed', 'authorized', {}, undefined],
  ] as const)('of a payment that is %s, %s %j leads to %s', (status, word, more, expected) => {
    expect(
      nextState(row({ status, ...more }), truth(word, { captured: more && 'capturedAmount' in more ? more.capturedAmount : 0 })),
    ).toBe(expected);
  });

  it('moves an ended payment by money only', () => {
    for (const status of ['failed', 'expired', 'cancelled'] as const) {
      expect(hasEnded(row({ status }))).toBe(true);
      expect(nextState(row({ status }), truth('captured', { captured: 100 }))).toBe('captured');
    }
    expect(nextState(row({ status: 'voided' }), truth('captured', { captured: 100 }))).toBeUndefined();
  });
});

describe('a mismatch', () => {
  it('is another amount, currency or payment, once money is there', () => {
    const paid = { status: 'captured', authorized: 100, captured: 100 } as const;
    expect(isMismatch(row(), truth('captured', paid))).toBe(false);
    for (const wrong of [
      { amount: 99 },
      { currency: 'EUR' },
      { paymentId: 'q' },
      { captured: 99 },
      { captured: 101 },
      { captured: 99.5 },
    ])
      expect(isMismatch(row(), truth('captured', { ...paid, ...wrong })), JSON.stringify(wrong)).toBe(true);
    expect(isMismatch(row(), truth('requires_action', { amount: 99 }))).toBe(false);
    // Shares of a reservation are smaller than the intent.
    expect(isMismatch(row({ capture: 'manual' }), truth('captured', { ...paid, captured: 60 }))).toBe(false);
  });
});
