import { service } from '@storeloom/plugin-sdk';

/** Actions on tickets for other plugins, in the caller's transaction. */
export interface Events {
  /**
   * Transfers a ticket: it becomes `transferred`, and a new ticket with its own code replaces it, without using quota.
   * @throws 409 `invalid_transition` unless it is `valid`
   */
  transfer(ticketId: string, attendee: { name: string; email: string | null }): Promise<{ id: string; code: string }>;
  /** Cancels a ticket and frees its place; refunds are made through payments. @throws 409 `invalid_transition` */
  cancel(ticketId: string): Promise<void>;
  /** Changes the attendee of an unused ticket, without using quota. @throws 409 `invalid_transition` */
  rename(ticketId: string, attendee: { name: string; email: string | null }): Promise<void>;
}
export const events = service<Events>('events:events');
