import type { Ctx } from '@storeloom/plugin-sdk';
import { newToken } from '@storeloom/plugin-sdk/public';
import type { Events } from './contract.ts';
import { event } from './event.ts';
import { ticket } from './ticket.ts';

/** Places are counted under the event's row. */
async function lockEvent(ctx: Ctx, ticketId: string): Promise<void> {
  const { eventId } = await ctx.rows(ticket).require(ticketId);
  await ctx.rows(event).get(eventId, { lock: true });
}

export function eventsService(ctx: Ctx): Events {
  return {
    async transfer(ticketId, attendee) {
      await lockEvent(ctx, ticketId);
      const { eventId, ticketTypeId, purchaseId, price } = await ticket.move(ctx, ticketId, 'transfer');
      const made = await ctx.rows(ticket).insert({
        eventId,
        ticketTypeId,
        purchaseId,
        price,
        code: newToken(),
        status: 'valid',
        attendeeName: attendee.name,
        attendeeEmail: attendee.email,
      });
      await ctx.history({ entity: 'events.ticket', entityId: made.id, from: null, to: 'valid', reason: 'transferred' });
      await ctx.audit({ entity: 'events.ticket', entityId: ticketId, action: 'events.ticket.transfer', extra: { to: made.id } });
      return { id: made.id, code: made.code };
    },
    async cancel(ticketId) {
      await lockEvent(ctx, ticketId);
      await ticket.move(ctx, ticketId, 'cancel');
      await ctx.audit({ entity: 'events.ticket', entityId: ticketId, action: 'events.ticket.cancel' });
    },
    async rename(ticketId, attendee) {
      await ctx.rows(ticket).update(ticketId, { attendeeName: attendee.name, attendeeEmail: attendee.email });
      await ctx.audit({ entity: 'events.ticket', entityId: ticketId, action: 'events.ticket.rename' });
    },
  };
}
