import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `checkout.cart`. */
export const cartEvents = entityEvents('checkout.cart', {
  abandoned: {
    public: true,
    title: 'A cart was left behind',
    data: { cartId: f.id(), email: f.email().optional(), customerId: f.id().optional(), value: f.money() },
  },
  recovered: {
    public: true,
    title: 'The buyer of a cart left behind has ordered',
    data: { cartId: f.id(), orderId: f.id() },
  },
  converted: { public: true, title: 'A cart became an order', data: { cartId: f.id(), orderId: f.id() } },
});
/** Events of `checkout.draft`. */
export const draftEvents = entityEvents('checkout.draft', {
  link_sent: { public: true, title: 'A draft order got a link', data: { draftId: f.id() } },
  completed: { public: true, title: 'A draft order was bought', data: { draftId: f.id(), orderId: f.id() } },
});
