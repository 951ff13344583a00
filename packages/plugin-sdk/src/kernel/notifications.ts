import type { LocalText } from '../field.ts';
import { service } from '../token.ts';

/** Content of a notification. */
export interface NotificationContent {
  /** `<plugin>.<name>`: recipients can filter by it. */
  type: string;
  /** Title by locale. */
  title: LocalText;
  /** Text by locale. */
  body: LocalText;
  /** Path in the administration for staff, in the storefront for customers. */
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
/** Service token of `Notifications`. */
export const notifications = service<Notifications>('workspace:notifications');
