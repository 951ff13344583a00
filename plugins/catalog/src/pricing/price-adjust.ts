import { exponentOf, mulRatio, roundHalfAway } from '@storeloom/plugin-sdk/money';

/** `99` ends the price just below a whole unit of the currency (12.99, 1.990 KWD), `00` on one. */
export type PriceEnding = 'none' | '99' | '00';

/** A change of many prices at once: by a share in basis points, or by an amount in minor units. Negative lowers. */
export type Adjustment = { percentBp: number } | { amount: number };

/**
 * The price after a bulk adjustment, in minor units. A percentage is rounded half away from zero first, then the ending is applied: the
 * nearest price that ends so. In a currency without decimals the endings count the last two digits (1,299 ¥). Never negative by an
 * ending; a negative result of the adjustment itself is given back as it is, for the caller to refuse.
 */
export function adjustedPrice(price: number, currency: string, change: Adjustment, ending: PriceEnding): number {
  const moved = 'amount' in change ? price + change.amount : price + mulRatio(price, change.percentBp, 10_000);
  if (ending === 'none' || moved < 0) return moved;
  const exponent = exponentOf(currency);
  const unit = exponent === 0 ? 100 : 10 ** exponent;
  const whole = (amount: number): number => Number(roundHalfAway(BigInt(amount), BigInt(unit))) * unit;
  if (ending === '00') return whole(moved);
  // 1 % of a unit below it: 0.01, 0.010.
  const step = unit / 100;
  return Math.max(whole(moved + step) - step, unit - step);
}
