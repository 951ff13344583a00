import { Problem, type ProblemExtra } from '../problem.ts';

/** Problem codes of this library. A programming error is a `RangeError` instead. */
export type MoneyErrorCode = 'money_invalid' | 'currency_mismatch' | 'refund_exceeds_captured';

/**
 * The problem that this library throws for invalid input: `money_invalid` and `currency_mismatch` are answered with 422,
 * `refund_exceeds_captured {refundable}` with 409. A route handler can let it propagate.
 */
export class MoneyError extends Problem {
  /** Code of the problem. */
  declare readonly code: MoneyErrorCode;
  constructor(code: MoneyErrorCode, detail: string, extra: ProblemExtra = {}) {
    super(code, { detail, ...extra });
    this.name = 'MoneyError';
  }
}

/** Returns a 422 `money_invalid`; with a pointer, `errors[0]` refers to the field. */
export function moneyInvalid(detail: string, pointer?: string): MoneyError {
  return new MoneyError(
    'money_invalid',
    detail,
    pointer === undefined ? {} : { errors: [{ pointer, code: 'money_invalid', message: detail }] },
  );
}
