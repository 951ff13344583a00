import type { ProblemType } from '@storeloom/plugin-sdk';

/** Why a code can't be used, and what a used promotion refuses. */
export const errors = {
  promotion_in_use: { status: 409, title: 'The promotion was used' },
  coupon_expired: { status: 422, title: 'The code has expired' },
  coupon_not_started: { status: 422, title: 'The code is not valid yet' },
  coupon_usage_limit: { status: 422, title: 'The code is used up' },
  coupon_customer_limit: { status: 422, title: 'The code was used as often as one customer may' },
  coupon_min_not_met: { status: 422, title: 'The minimum for the code is not reached' },
  coupon_not_eligible: { status: 422, title: 'The code does not apply here' },
} as const satisfies Record<string, ProblemType>;
