import type { ProblemType } from '@storeloom/plugin-sdk';

export const errors = {
  order_unpaid: { status: 409, title: 'The order is not paid' },
  order_has_shipments: { status: 409, title: 'Goods of the order have left' },
  quantity_below_shipped: { status: 409, title: 'The line cannot have so few units' },
  quantity_exceeds_unfulfilled: { status: 409, title: 'More than is left to be sent' },
  last_line: { status: 409, title: 'An order keeps at least one line' },
  invoice_issued: { status: 409, title: 'An invoice of the order stands at the tax authority' },
  nothing_to_invoice: { status: 409, title: 'There is nothing to invoice' },
  credit_exceeds_invoice: { status: 409, title: 'The credit is larger than the invoice' },
  method_unavailable: { status: 422, title: 'Money cannot be given back this way' },
} as const satisfies Record<string, ProblemType>;
