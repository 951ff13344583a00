import type { ProblemType } from '@storeloom/plugin-sdk';

export const errors = {
  promotion_in_use: { status: 409, title: 'Promotion in use' },
  coupon_expired: { status: 422, title: 'Discount code expired' },
  coupon_not_started: { status: 422, title: 'Discount code not yet valid' },
  coupon_usage_limit: { status: 422, title: 'Discount code used up' },
  coupon_customer_limit: { status: 422, title: 'Customer limit of the discount code reached' },
  coupon_min_not_met: { status: 422, title: 'Minimum for the discount code not reached' },
  coupon_not_eligible: { status: 422, title: 'Discount code not applicable' },
} as const satisfies Record<string, ProblemType>;
