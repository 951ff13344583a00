import { type Ctx, domainError, problem } from '@storeloom/plugin-sdk';
import type { EventRow } from './event.ts';
import { placesOf } from './places.ts';
import { combine, quotaOf } from './quota.ts';
import type { TicketType } from './ticket-type.ts';

export interface Wanted {
  type: TicketType;
  quantity: number;
}

/** Whether tickets of the type are on sale now: the event's window and the type's, both half-open. */
export function isOnSale(now: string, event: EventRow, type: Pick<TicketType, 'salesStart' | 'salesEnd'>): boolean {
  const within = (from: string | null, until: string | null): boolean => (!from || from <= now) && (!until || now < until);
  return (
    event.status === 'published' &&
    now < event.endsAt &&
    within(event.salesStart, event.salesEnd) &&
    within(type.salesStart, type.salesEnd)
  );
}

/** @throws 422 `order_quantity {min, max}` */
export function checkQuantities(wanted: readonly Wanted[]): void {
  for (const [i, { type, quantity }] of wanted.entries()) {
    const { minPerOrder: min, maxPerOrder: max } = type;
    if (quantity < min || quantity > max)
      throw domainError(`/items/${i}/quantity`, 'order_quantity', `must be from ${min} to ${max}`, { min, max });
  }
}

/**
 * Checks the request against the quota of each ticket type and the capacity of the event, whose row must be locked.
 * @throws 409 `sold_out {ticketTypeId, available}`
 */
export async function checkPlaces(ctx: Ctx, event: Pick<EventRow, 'id' | 'capacity'>, wanted: readonly Wanted[]): Promise<void> {
  const { event: taken, types } = await placesOf(ctx, event.id);
  const whole = quotaOf({ size: event.capacity, ...taken });
  let inAll = 0;
  for (const { type, quantity } of wanted) {
    const own = types.find(({ id }) => id === type.id);
    if (!own) throw problem('not_found');
    const { available } = combine(quotaOf({ size: own.quantity, ...own.taken }), whole);
    inAll += quantity;
    const left = Math.min(available ?? quantity, (whole.available ?? inAll) - (inAll - quantity));
    if (quantity > left)
      throw problem('sold_out', {
        detail: left > 0 ? `Only ${left} of “${type.name}” are left.` : `“${type.name}” is sold out.`,
        ticketTypeId: type.id,
        available: Math.max(left, 0),
      });
  }
}
