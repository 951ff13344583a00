import { f, table } from '@storeloom/plugin-sdk';

/** A browser that takes push messages of a member of the staff or of a customer. */
export const pushSubscription = table('push-subscription', {
  endpoint: f.url(),
  p256dh: f.secret(),
  auth: f.secret(),
  userId: f.id().optional(),
  customerId: f.id().optional(),
});
