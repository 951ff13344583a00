import { fulfillmentStates, type OrderStatus, orderStatuses } from '@storeloom/commerce';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fulfillmentMachine } from '../fulfillment/machine.ts';
import { allowedFor, checkMove, type OrderState, orderMachine } from './order-machine.ts';

/** The transitions of the specification; an order on hold returns to its previous status or is cancelled. */
const moves: Record<Exclude<OrderStatus, 'on_hold'>, OrderStatus[]> = {
  pending: ['confirmed', 'processing', 'on_hold', 'cancelled'],
  confirmed: ['processing', 'on_hold', 'cancelled', 'completed'],
  processing: ['shipped', 'on_hold', 'cancelled', 'completed'],
  shipped: ['delivered', 'processing'],
  delivered: ['completed'],
  completed: [],
  cancelled: [],
};

describe('the order’s machine', () => {
  it('allows exactly the transitions of the specification', () => {
    for (const [from, to] of Object.entries(moves))
      expect(allowedFor({ status: from as OrderStatus, previousStatus: null }).sort()).toEqual([...to].sort());
  });

  it('returns an order on hold to its previous status, or cancels it', () => {
    for (const previousStatus of ['pending', 'confirmed', 'processing'] as const)
      expect(allowedFor({ status: 'on_hold', previousStatus })).toEqual([previousStatus, 'cancelled']);
    expect(() => checkMove({ status: 'on_hold', previousStatus: 'pending' }, 'confirmed')).toThrow(
      expect.objectContaining({
        code: 'invalid_transition',
        extra: expect.objectContaining({ allowed: ['pending', 'cancelled'] }),
      }),
    );
  });

  it('P26: random walks stay in known states, never leave a final one, and never repeat a transition', () => {
    const verbs = fc.array(fc.constantFrom<OrderStatus>(...orderStatuses), { maxLength: 40 });
    fc.assert(
      fc.property(verbs, (walk) => {
        let order: OrderState = { status: 'pending', previousStatus: null };
        const effects: string[] = [];
        for (const to of walk) {
          const from = order.status;
          let outcome: 'move' | 'repeat' | 'refused';
          try {
            outcome = checkMove(order, to);
          } catch (error) {
            expect(error).toMatchObject({ code: 'invalid_transition' });
            outcome = 'refused';
          }
          expect(outcome === 'repeat').toBe(from === to);
          if (outcome !== 'move') continue;
          expect(['completed', 'cancelled']).not.toContain(from);
          effects.push(to);
          order = { status: to, previousStatus: to === 'on_hold' ? from : null };
          expect(orderStatuses).toContain(order.status);
        }
        for (const final of ['completed', 'cancelled'])
          expect(effects.filter((each) => each === final).length).toBeLessThanOrEqual(1);
        if (effects.includes('cancelled')) expect(effects).not.toContain('completed');
      }),
      { numRuns: 500 },
    );
  });

  it('reaches every state from pending', () => {
    const seen = new Set<OrderStatus>(['pending']);
    for (const status of seen) for (const next of orderMachine.allowed(status)) seen.add(next);
    expect([...seen].sort()).toEqual([...orderStatuses].sort());
  });
});

describe('the parcel’s machine', () => {
  it('allows exactly the transitions of the specification', () => {
    const expected: Record<string, string[]> = {
      pending: ['packed', 'shipped', 'cancelled'],
      packed: ['shipped', 'cancelled'],
      shipped: ['delivered', 'failed_delivery'],
      failed_delivery: ['shipped', 'returned_to_sender'],
      delivered: [],
      returned_to_sender: [],
      cancelled: [],
    };
    for (const state of fulfillmentStates) expect(fulfillmentMachine.allowed(state).sort()).toEqual(expected[state]?.sort());
  });
});
