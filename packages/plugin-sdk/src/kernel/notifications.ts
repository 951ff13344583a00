import type { LocalText } from '../field.ts';
import { service } from '../token.ts';

export interface NotificationContent {
  /** `<plugin>.<name>`: what the recipient may filter by. */
  type: string;
  /** By locale. */
  title: LocalText;
  body: LocalText;
  /** Path in the admin for staff, on the storefront for customers. */
  link?: string;
}

/** In-app and push notifications. Both methods write in the caller's transaction. Provided by the foundation plugin workspace. */
export interface Notifications {
  /** Notifies staff in the admin, and by a push message to the browsers that subscribed. Without `userIds`: all staff. */
  notifyStaff(notification: NotificationContent & { userIds?: readonly string[] }): Promise<void>;
  /**
   * Sends a push message to each browser in which one of the customers subscribed. The caller checks that they agreed to messages of this
   * type.
   */
  notifyCustomers(notification: NotificationContent & { customerIds: readonly string[] }): Promise<void>;
}
export const notifications = service<Notifications>('workspace:notifications');
