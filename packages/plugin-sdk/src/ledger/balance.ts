import type { MoneyValue } from '../field.ts';
import { money, sumMoney } from '../money/money.ts';

/** An entry of an account: a hotel folio, a restaurant check, a tab. */
export interface AccountEntry {
  /** Charges and refunds raise the balance, payments lower it. */
  readonly kind: 'charge' | 'payment' | 'refund';
  /** Positive amount, in the currency of the account. */
  readonly amount: MoneyValue;
}
/** Totals of an account, in the currency of what is due. */
export interface AccountBalance {
  /** Payments less refunds. */
  paid: MoneyValue;
  /** Sum of the charges. */
  charges: MoneyValue;
  /** Amount due plus charges, less what is paid. Negative when too much is paid. */
  balance: MoneyValue;
}

/**
 * Returns the totals of an account.
 *
 * @param due price of what the account is for, without its charges
 * @throws Problem 422 `currency_mismatch` for an entry in another currency, 422 `money_invalid` for a sum beyond the range of money
 */
export function computeBalance(due: MoneyValue, entries: readonly AccountEntry[]): AccountBalance {
  const { currency } = due;
  const sumOf = (kind: AccountEntry['kind']): number =>
    sumMoney(
      entries.filter((entry) => entry.kind === kind).map(({ amount }) => amount),
      currency,
    ).amount;
  const charges = sumOf('charge');
  const paid = sumOf('payment') - sumOf('refund');
  return {
    paid: money(paid, currency),
    charges: money(charges, currency),
    balance: money(due.amount + charges - paid, currency),
  };
}
