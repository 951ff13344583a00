import { entityEvents, f } from '@storeloom/plugin-sdk';

/** Events of `customers.customer`. */
export const customerEvents = entityEvents('customers.customer', {
  created: { public: true, title: 'Customer created', data: { id: f.id(), email: f.email() } },
  updated: { public: true, title: 'Customer updated', data: { id: f.id() } },
  erased: { public: true, title: "A customer's data was erased", data: { id: f.id() } },
});
/** Events of `customers.consent`. */
export const consentEvents = entityEvents('customers.consent', {
  changed: {
    public: true,
    title: 'Consent given or withdrawn',
    data: { customerId: f.id(), purpose: f.text(), granted: f.bool() },
  },
});
