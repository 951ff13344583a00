import { exponentOf, mulRatio, roundHalfAway } from '@storeloom/plugin-sdk/money';

/** `99` sets the price to 1 % of a unit below a whole unit of the currency (12.99, 1.990 KWD), `00` to a whole unit. */
export type PriceEnding = 'none' | '99' | '00';

/** A bulk price change, in basis points or in minor units. Negative values reduce the price. */
export type Adjustment = { percentBp: number } | { amount: number };

/**
 * The price after a bulk adjustment, in minor units. Rounds a percentage half away from zero, then selects the nearest price with the
 * ending. In a currency without decimals the ending is the last two digits (1,299 ¥). The ending never makes a price negative; returns
 * a negative adjusted price unchanged, for the caller to reject.
 */
export function adjustedPrice(price: number, currency: string, change: Adjustment, ending: PriceEnding): number {
  const adjusted = 'amount' in change ? price + change.amount : price + mulRatio(price, change.percentBp, 10_000);
  if (ending === 'none' || adjusted < 0) return adjusted;
  const exponent = exponentOf(currency);
  const unit = exponent === 0 ? 100 : 10 ** exponent;
  const whole = (amount: number): number => Number(roundHalfAway(BigInt(amount), BigInt(unit))) * unit;
  if (ending === '00') return whole(adjusted);
  // 1 % of a unit: 0.01, or 0.010 with three decimals.
  const step = unit / 100;
  return Math.max(whole(adjusted + step) - step, unit - step);
}
