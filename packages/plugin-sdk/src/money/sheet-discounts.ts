import type { DiscountInput, DiscountResult } from './discount-types.ts';
import type { PriceState } from './sheet-price.ts';
import type { AppliedDiscount } from './sheet-types.ts';

/** Returns the entries with these ids in sheet order, or all without ids. An unknown id is a `RangeError`. */
export function pick<T extends { state: PriceState }>(all: readonly T[], ids: readonly string[] | undefined): readonly T[] {
  if (ids === undefined) return all;
  const wanted = new Set(ids);
  const picked = all.filter(({ state }) => wanted.delete(state.id));
  if (wanted.size > 0) throw new RangeError(`the sheet has no line ${[...wanted].join(', ')}`);
  return picked;
}

/** Converts the result of a discount for its owner. */
export function applied(input: DiscountInput, result: DiscountResult): AppliedDiscount {
  const shares = result.lines.filter((line) => line.amount > 0).map(({ id, amount }) => ({ id, amount }));
  return {
    source: input.source,
    code: input.code ?? null,
    name: input.name,
    target: input.target,
    amount: result.amount,
    shares,
  };
}

export function copyDiscount(discount: AppliedDiscount): AppliedDiscount {
  return { ...discount, source: { ...discount.source }, shares: discount.shares.map((share) => ({ ...share })) };
}

/** Returns the ids of the lines that a discount selects; undefined if it applies to all. */
export function namedLines(input: DiscountInput): readonly string[] | undefined {
  if (input.lineIds) return input.lineIds;
  if ('shares' in input) return input.shares.map((share) => share.lineId);
  return 'each' in input ? input.each.units?.map((unit) => unit.lineId) : undefined;
}
