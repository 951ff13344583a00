import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderPayment } from '../provider/adapter.ts';
import { isFinal, isMismatch, nextState } from './apply.ts';
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
const reported = (status: ProviderPayment['status'], more: Partial<ProviderPayment> = {}): ProviderPayment => ({
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

describe('the provider report', () => {
  it('causes only transitions of the machine, and never an earlier state', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ status: fc.constantFrom(...words), captured: fc.integer({ min: 0, max: 100 }) })),
        (said) => {
          let current = row();
          let most = 0;
          for (const word of said) {
            // The provider's amounts only increase too.
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

  it('has the same result in any order, once the money is captured', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...words, ...words], { minLength: 1, maxLength: 14 }), (said) => {
        // The state is read for every event, so every event after the capture sees the capture.
        let current = row();
        const taken = said.indexOf('captured');
        for (const [i, word] of said.entries()) {
          const now =
            taken !== -1 && i >= taken
              ? reported('captured', { captured: 100 })
              : reported(word === 'captured' ? 'requires_action' : word);
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
      nextState(
        row({ status, ...more }),
        reported(word, { captured: more && 'capturedAmount' in more ? more.capturedAmount : 0 }),
      ),
    ).toBe(expected);
  });

  it('changes a final payment only by captured money', () => {
    for (const status of ['failed', 'expired', 'cancelled'] as const) {
      expect(isFinal(row({ status }))).toBe(true);
      expect(nextState(row({ status }), reported('captured', { captured: 100 }))).toBe('captured');
    }
    expect(nextState(row({ status: 'voided' }), reported('captured', { captured: 100 }))).toBeUndefined();
  });
});

describe('a mismatch', () => {
  it('is another amount, currency or payment, once money is authorised or captured', () => {
    const paid = { status: 'captured', authorized: 100, captured: 100 } as const;
    expect(isMismatch(row(), reported('captured', paid))).toBe(false);
    for (const wrong of [
      { amount: 99 },
      { currency: 'EUR' },
      { paymentId: 'q' },
      { captured: 99 },
      { captured: 101 },
      { captured: 99.5 },
    ])
      expect(isMismatch(row(), reported('captured', { ...paid, ...wrong })), JSON.stringify(wrong)).toBe(true);
    expect(isMismatch(row(), reported('requires_action', { amount: 99 }))).toBe(false);
    // Shares of an authorisation are smaller than the intent.
    expect(isMismatch(row({ capture: 'manual' }), reported('captured', { ...paid, captured: 60 }))).toBe(false);
  });
});
