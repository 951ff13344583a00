import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `checkout.cart`. */
export const cartEvents = entityEvents('checkout.cart', {
  abandoned: {
    public: true,
    title: 'Cart abandoned',
    data: { cartId: f.id(), email: f.email().optional(), customerId: f.id().optional(), value: f.money() },
  },
  recovered: {
    public: true,
    title: 'Abandoned cart recovered by an order',
    data: { cartId: f.id(), orderId: f.id() },
  },
  converted: { public: true, title: 'Cart converted to an order', data: { cartId: f.id(), orderId: f.id() } },
});
/** Events of `checkout.draft`. */
export const draftEvents = entityEvents('checkout.draft', {
  link_sent: { public: true, title: 'Payment link of a draft order created', data: { draftId: f.id() } },
  completed: { public: true, title: 'Draft order completed', data: { draftId: f.id(), orderId: f.id() } },
});
