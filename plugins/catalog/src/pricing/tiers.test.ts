import { describe, expect, it } from 'vitest';
import { tier as plainTier } from '../../test/tier.ts';
import { increasingStep, type Tier, type TierContext } from './tiers.ts';

const context: TierContext = {
  variantId: 'v',
  listPrice: 1000,
  currency: 'RON',
  baseCurrency: 'RON',
  convert: (money) => money.amount,
};
const tier = (minQuantity: number, amount: number, more: Partial<Tier> = {}): Tier =>
  plainTier(minQuantity, { id: `${minQuantity}:${amount}`, price: { amount, currency: 'RON' }, ...more });

describe('increasingStep', () => {
  it('accepts prices that decrease or stay equal', () => {
    expect(increasingStep([], context)).toBeUndefined();
    expect(increasingStep([tier(3, 900), tier(2, 950), tier(9, 900)], context)).toBeUndefined();
    expect(increasingStep([tier(2, 1000)], context)).toBeUndefined();
  });
  it('returns the tier that is more expensive than the one below, starting from the list price', () => {
    expect(increasingStep([tier(2, 1001)], context)?.id).toBe('2:1001');
    expect(increasingStep([tier(2, 800), tier(3, 900)], context)?.id).toBe('3:900');
  });
  it('returns a later tier that a new tier makes more expensive', () => {
    expect(increasingStep([tier(5, 900), tier(2, 850)], context)?.id).toBe('5:900');
  });
  it('accepts tiers with allowIncreasing', () => {
    expect(increasingStep([tier(2, 1200, { allowIncreasing: true }), tier(3, 1100)], context)).toBeUndefined();
  });
  it('compares the tiers of one variant: a variant tier replaces the product tier', () => {
    expect(increasingStep([tier(2, 2000), tier(2, 900, { variantId: 'v' })], context)).toBeUndefined();
  });
});
