import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRestock, type RestockLine } from './restock.ts';

const line = (more: Partial<RestockLine>): RestockLine => ({
  ships: true,
  quantity: 3,
  quantityFulfilled: 0,
  quantityShipped: 0,
  quantityDelivered: 0,
  quantityReturned: 0,
  quantityCancelled: 0,
  quantityRestocked: 0,
  quantityRefunded: 0,
  ...more,
});

describe('planRestock', () => {
  it('releases units outside parcels before shipped ones', () => {
    const part = line({ quantityFulfilled: 1, quantityShipped: 1 });
    expect(planRestock(part, { restocked: 2 })).toEqual({ unshipped: 2, shipped: 0 });
    expect(planRestock(part, { restocked: 3 })).toEqual({ unshipped: 2, shipped: 1 });
  });
  it('cancels refunded units that haven’t shipped, also without restock', () => {
    expect(planRestock(line({}), { restocked: 0, kept: 2 })).toEqual({ unshipped: 2, shipped: 0 });
    expect(planRestock(line({ quantityFulfilled: 1 }), { restocked: 0, kept: 2 })).toEqual({ unshipped: 2, shipped: 0 });
    expect(planRestock(line({ quantityFulfilled: 1 }), { restocked: 0, kept: 3 })).toBeUndefined();
  });
  it('leaves shipped units with the buyer before it cancels others, if they aren’t restocked', () => {
    const part = line({ quantityFulfilled: 1, quantityShipped: 1 });
    expect(planRestock(part, { restocked: 0, kept: 1 })).toEqual({ unshipped: 0, shipped: 0 });
    expect(planRestock(part, { restocked: 0, kept: 2 })).toEqual({ unshipped: 1, shipped: 0 });
    expect(planRestock({ ...part, quantityRefunded: 1 }, { restocked: 0, kept: 1 })).toEqual({ unshipped: 1, shipped: 0 });
    expect(planRestock(part, { restocked: 2, kept: 1 })).toEqual({ unshipped: 2, shipped: 0 });
  });
  it('cancels no units that don’t ship, and none of a cancelled line', () => {
    expect(planRestock(line({ ships: false }), { restocked: 0, kept: 2 })).toEqual({ unshipped: 0, shipped: 0 });
    expect(planRestock(line({ quantityCancelled: 3 }), { restocked: 0, kept: 2 })).toEqual({ unshipped: 0, shipped: 0 });
  });
  it('refuses units in a parcel', () => {
    expect(planRestock(line({ quantityFulfilled: 2 }), { restocked: 2 })).toBeUndefined();
  });
  it('C47, B20: restocks a unit once', () => {
    expect(planRestock(line({ quantity: 1, quantityCancelled: 1 }), { restocked: 1 })).toBeUndefined();
    expect(
      planRestock(line({ quantity: 1, quantityFulfilled: 1, quantityShipped: 1, quantityRestocked: 1 }), { restocked: 1 }),
    ).toBeUndefined();
  });
  it('P20: restocks each unit at most once, in any partition', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.nat(9),
        fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 9 }),
        (quantity, s, wishes) => {
          const shipped = Math.min(s, quantity);
          let state = line({ quantity, quantityFulfilled: shipped, quantityShipped: shipped });
          let back = 0;
          for (const selection of wishes) {
            const plan = planRestock(state, { restocked: selection });
            if (!plan) continue;
            back += selection;
            state = {
              ...state,
              quantityCancelled: state.quantityCancelled + plan.unshipped,
              quantityRestocked: state.quantityRestocked + plan.shipped,
            };
          }
          expect(back).toBeLessThanOrEqual(quantity);
          expect(state.quantityRestocked).toBeLessThanOrEqual(state.quantityShipped);
          expect(state.quantityCancelled + state.quantityFulfilled).toBeLessThanOrEqual(quantity);
        },
      ),
    );
  });
});
