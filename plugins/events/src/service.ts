import type { Ctx } from '@storeloom/plugin-sdk';
import { generateToken } from '@storeloom/plugin-sdk/public';
import { invalidTransition } from '@storeloom/plugin-sdk/state';
import type { Events } from './contract.ts';
import { event } from './event.ts';
import { ticket } from './ticket.ts';

/** Places are counted behind the lock of the event. */
async function lockEvent(ctx: Ctx, ticketId: string): Promise<void> {
  const { eventId } = await ctx.rows(ticket).require(ticketId);
  await ctx.rows(event).get(eventId, { lock: true });
}

export function eventsService(ctx: Ctx): Events {
  return {
    async transfer(ticketId, attendee) {
      await lockEvent(ctx, ticketId);
      // A repeated move has no effect, but a repeated transfer would create a second ticket.
      const { status } = await ctx.rows(ticket).require(ticketId, { lock: true });
      if (status !== 'valid') throw invalidTransition(status, 'transferred', []);
      const { eventId, ticketTypeId, purchaseId, price } = await ticket.move(ctx, ticketId, 'transfer');
      const made = await ctx.rows(ticket).insert({
        eventId,
        ticketTypeId,
        purchaseId,
        price,
        code: generateToken(),
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
      const { status } = await ctx.rows(ticket).require(ticketId, { lock: true });
      if (status !== 'reserved' && status !== 'valid') throw invalidTransition(status, status, []);
      await ctx.rows(ticket).update(ticketId, { attendeeName: attendee.name, attendeeEmail: attendee.email });
      await ctx.audit({ entity: 'events.ticket', entityId: ticketId, action: 'events.ticket.rename' });
    },
  };
}
