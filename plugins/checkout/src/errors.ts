import type { ProblemType } from '@storeloom/plugin-sdk';

/** Domain codes that checkout answers with. Those that a tap throws are declared by the tap's plugin. */
export const errors = {
  cart_empty: { status: 409, title: 'Cart is empty' },
  cart_converted: { status: 409, title: 'Cart already ordered' },
  total_changed: { status: 409, title: 'Total changed' },
  promotion_changed: { status: 409, title: 'Promotion no longer applies' },
  min_order_not_met: { status: 409, title: 'Minimum order value not reached' },
  no_shipping_method: { status: 409, title: 'No shipping method available' },
  shipping_method_required: { status: 422, title: 'Shipping method required' },
  shipping_method_unavailable: { status: 409, title: 'Shipping method unavailable' },
  tender_unavailable: { status: 422, title: 'Tender unavailable' },
  one_click_not_ready: { status: 409, title: 'One-click purchase not set up' },
  not_recoverable: { status: 409, title: 'Cart not recoverable' },
} as const satisfies Record<string, ProblemType>;
