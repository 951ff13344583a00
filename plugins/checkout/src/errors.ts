import type { ProblemType } from '@storeloom/plugin-sdk';

/** Domain codes that checkout answers with. Those that a tap throws are declared by the tap's plugin. */
export const errors = {
  cart_empty: { status: 409, title: 'There is nothing in it' },
  cart_converted: { status: 409, title: 'The cart has become an order' },
  total_changed: { status: 409, title: 'The total has changed' },
  promotion_changed: { status: 409, title: 'A promotion does not apply any more' },
  min_order_not_met: { status: 409, title: 'The order is below the minimum' },
  no_shipping_method: { status: 409, title: 'No shipping method serves this order' },
  shipping_method_required: { status: 422, title: 'A shipping method is needed' },
  shipping_method_unavailable: { status: 409, title: 'The shipping method does not serve this order' },
  tender_unavailable: { status: 422, title: 'This cannot be paid with' },
  one_click_not_ready: { status: 409, title: 'One-click buying needs something saved first' },
  not_recoverable: { status: 409, title: 'The cart cannot be recovered' },
} as const satisfies Record<string, ProblemType>;
