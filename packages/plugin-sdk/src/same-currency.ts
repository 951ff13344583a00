import type { MoneyValue } from './field.ts';
import { invalid } from './problem.ts';

/**
 * Checks that the amounts of a row, by property, have one currency. Null and undefined amounts are left out.
 *
 * @throws Problem 422 `currency_mismatch` with the pointer of the first amount in another currency
 * @example checkSameCurrency({ price, freeOver });
 */
export function checkSameCurrency(amounts: Readonly<Record<string, MoneyValue | null | undefined>>): void {
  const [first, ...others] = Object.entries(amounts).flatMap(([name, money]) => (money ? [{ name, money }] : []));
  for (const { name, money } of others)
    if (money.currency !== first?.money.currency)
      throw invalid(
        `/${name}/currency`,
        'currency_mismatch',
        `must be in ${first?.money.currency}, the currency of ${first?.name}`,
      );
}
