import type { ProblemType } from '@storeloom/plugin-sdk';

export const errors = {
  order_unpaid: { status: 409, title: 'Order unpaid' },
  order_has_shipments: { status: 409, title: 'Order has shipments' },
  quantity_below_shipped: { status: 409, title: 'Quantity below shipped quantity' },
  quantity_exceeds_unfulfilled: { status: 409, title: 'Quantity exceeds unfulfilled quantity' },
  last_line: { status: 409, title: 'Last line of the order' },
  invoice_issued: { status: 409, title: 'Invoice submitted to the tax authority' },
  nothing_to_invoice: { status: 409, title: 'Nothing to invoice' },
  credit_exceeds_invoice: { status: 409, title: 'Credit exceeds the invoice' },
  method_unavailable: { status: 422, title: 'Refund method unavailable' },
} as const satisfies Record<string, ProblemType>;
