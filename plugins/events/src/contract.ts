import { service } from '@storeloom/plugin-sdk';

/** What other plugins may do with tickets. In the caller's transaction. */
export interface Events {
  /**
   * Passes a ticket on: it ends as `transferred`, and another one with a code of its own takes its place. Takes no quota.
   * @throws 409 `invalid_transition` unless it is `valid`
   */
  transfer(ticketId: string, attendee: { name: string; email: string | null }): Promise<{ id: string; code: string }>;
  /** Cancels one ticket and frees its place; money is given back by payments. @throws 409 `invalid_transition` */
  cancel(ticketId: string): Promise<void>;
  /** Names who comes, of a ticket that was not used yet. Takes no quota. @throws 409 `invalid_transition` */
  rename(ticketId: string, attendee: { name: string; email: string | null }): Promise<void>;
}
export const events = service<Events>('events:events');
