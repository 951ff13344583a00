import type { OrderView } from '@storeloom/commerce';
import { uuidv7 } from '@storeloom/plugin-sdk';

/** The part of a pricing context that payments reads. */
export const context = (more: Record<string, unknown> = {}) => ({
  purpose: 'place',
  currency: 'RON',
  locale: 'en',
  paymentMethod: 'card',
  billingAddress: { country: 'RO' },
  codes: [],
  facts: {},
  ...more,
});

/** Hook input of an order placed by a method, with the id of its payment. */
export function placing(order: OrderView, methodCode: string, more: Record<string, unknown> = {}) {
  const id = uuidv7();
  return {
    id,
    input: {
      context: context({ paymentMethod: methodCode }),
      orderId: order.id,
      email: 'buyer@example.org',
      customerId: null,
      expiresAt: '2099-01-01T00:00:00.000Z',
      results: { orders: { number: order.number, token: 't' } },
      payment: {
        id,
        methodCode,
        amount: order.total,
        returnUrl: 'https://a.localhost/done',
        saveInstrument: false,
        instrumentId: null,
        ...more,
      },
    },
  };
}
