import type { ProblemType } from '@storeloom/plugin-sdk';

export const errors = {
  payment_method_unavailable: { status: 422, title: 'The payment method is not available' },
  refund_exceeds_captured: { status: 409, title: 'More than can be given back' },
} as const satisfies Record<string, ProblemType>;
