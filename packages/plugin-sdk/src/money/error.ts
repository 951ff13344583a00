import { Problem, type ProblemExtra } from '../problem.ts';

/** What can be wrong with money that came from outside. Faults of the calling code are a `RangeError` instead. */
export type MoneyErrorCode = 'money_invalid' | 'currency_mismatch' | 'refund_exceeds_captured';

/**
 * A problem of this library: `money_invalid` and `currency_mismatch` answer 422, `refund_exceeds_captured {refundable}` 409.
 * It is a `Problem`, so a route may let it pass.
 */
export class MoneyError extends Problem {
  declare readonly code: MoneyErrorCode;
  constructor(code: MoneyErrorCode, detail: string, extra: ProblemExtra = {}) {
    super(code, { detail, ...extra });
    this.name = 'MoneyError';
  }
}

/** 422 `money_invalid`; with a pointer, `errors[0]` names the member. */
export function moneyInvalid(detail: string, pointer?: string): MoneyError {
  return new MoneyError(
    'money_invalid',
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, code: 'money_invalid', message: detail }] },
  );
}
