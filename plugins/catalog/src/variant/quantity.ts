import type { QuantityError, QuantityRule } from '@storeloom/commerce';

/**
 * Checks an ordered quantity of a variant, all its lines together: a whole number of at least `minPerOrder`, at most `maxPerOrder`, and a
 * multiple of `step`. Undefined when the quantity is valid.
 */
export function checkQuantity(rule: QuantityRule, quantity: number): QuantityError | undefined {
  const least = Math.max(1, rule.minPerOrder ?? 1);
  if (!Number.isSafeInteger(quantity) || quantity < least) return { code: 'too_small', message: `must be at least ${least}` };
  if (rule.maxPerOrder !== null && quantity > rule.maxPerOrder)
    return { code: 'too_big', message: `must be at most ${rule.maxPerOrder}` };
  if (rule.step !== null && quantity % rule.step !== 0)
    return { code: 'off_step', message: `must be a multiple of ${rule.step}` };
  return undefined;
}
