import { f, table } from '@storeloom/plugin-sdk';

/** A browser that takes push messages of a member of the staff or of a customer. */
export const pushSubscription = table(
  'push-subscription',
  {
    endpoint: f.url(),
    p256dh: f.secret(),
    auth: f.secret(),
    userId: f.id().optional(),
    customerId: f.id().optional(),
  },
  {
    uniques: [{ fields: ['endpoint'] }],
    indexes: [
      { name: 'workspace_push_subscription_customer_idx', fields: ['customerId'] },
      { name: 'workspace_push_subscription_user_idx', fields: ['userId'] },
    ],
  },
);
