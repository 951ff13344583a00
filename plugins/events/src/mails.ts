import { type Ctx, type DomainEvent, type JobData, sql } from '@storeloom/plugin-sdk';
import { mailEntry } from '@storeloom/plugin-sdk/calendar';
import { formatMoney } from '@storeloom/plugin-sdk/money';
import { isErasedEmail } from '@storeloom/plugin-sdk/people';
import { storefrontUrl } from '@storeloom/plugin-sdk/public';
import { formatWithZone } from '@storeloom/plugin-sdk/time';
import type { EventRow } from './event.ts';
import { type Purchase, purchase } from './purchase.ts';
import { type News, queued } from './queued.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

async function eventOf(ctx: Ctx, id: string): Promise<EventRow & { sequence: number }> {
  const row = await ctx.db.first<EventRow & { sequence: number }>(sql`
    select id, title, slug, starts_at as "startsAt", ends_at as "endsAt", timezone, venue, status, calendar_sequence as sequence
    from events_event where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  if (!row) throw new Error(`the event ${id} does not exist`);
  return row;
}

/** An e-mail about the event to a buyer, with one calendar entry per buyer; postponed and cancelled events are removed. */
function send(
  ctx: Ctx,
  row: EventRow & { sequence: number },
  to: Purchase,
  mail: { template: string; calendar: 'request' | 'cancel'; key: string; data?: Record<string, unknown> },
): Promise<void> {
  const { id, title, startsAt, endsAt: end, venue, sequence } = row;
  const place = [venue.name, venue.address, venue.onlineUrl].filter((part) => part).join(', ');
  const url = storefrontUrl(ctx, `/events/${row.slug}`);
  const when = formatWithZone(startsAt, to.locale, row.timezone);
  return mailEntry(ctx, {
    ...mail,
    to: { email: to.buyerEmail, name: to.buyerName },
    locale: to.locale,
    data: { event: title, when, place, total: formatMoney(to.total, to.locale), link: url, ...mail.data },
    entry: { entity: 'events.event', id, sequence, start: startsAt, end, summary: title, location: place || null, url },
  });
}

/** events.purchase.paid: sends the tickets with their codes. */
export async function mailTickets(ctx: Ctx, { data }: DomainEvent<{ id: string }>): Promise<void> {
  const row = await ctx.rows(purchase).get(data.id);
  if (row?.status !== 'paid' || isErasedEmail(row.buyerEmail)) return;
  const found = await eventOf(ctx, row.eventId);
  const [tickets, types] = await Promise.all([
    ctx.rows(ticket).find({ purchaseId: row.id, status: ['valid', 'checked_in'] }, { orderBy: ['id'] }),
    ctx.rows(ticketType).find({ eventId: row.eventId }),
  ]);
  const names = new Map(types.map(({ id, name }) => [id, name]));
  const lines = tickets.map(({ code, ticketTypeId, attendeeName }) =>
    [names.get(ticketTypeId), attendeeName, code].filter((part) => part).join(' · '),
  );
  const content = { tickets: lines.join('\n') };
  await send(ctx, found, row, {
    template: 'events.tickets',
    data: content,
    calendar: 'request',
    key: `events ${row.id} tickets`,
  });
}

/** Enqueues e-mails to all holders of tickets. */
export async function notifyBuyers(ctx: Ctx, { id }: Pick<EventRow, 'id'>, news: News): Promise<void> {
  const changed = await ctx.db.first<{ sequence: number }>(sql`
    update events_event set calendar_sequence = calendar_sequence + 1 where tenant_id = ${ctx.tenant.id} and id = ${id}
    returning calendar_sequence as sequence`);
  await ctx.enqueue(queued.tell, { eventId: id, news, sequence: changed?.sequence ?? 0 });
}

/**
 * Job `tell`: sends one e-mail per change to each purchase with valid tickets, however often it runs. A new time that is out of date by now
 * is skipped. Afterwards the purchases of a cancelled event are cancelled.
 */
export async function tell(ctx: Ctx, { eventId, news, sequence }: JobData<typeof queued.tell>): Promise<void> {
  const found = await eventOf(ctx, eventId);
  if (news === 'moved' && sequence < found.sequence) return;
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select distinct p.id from events_purchase p join events_ticket t on t.tenant_id = p.tenant_id and t.purchase_id = p.id
    where p.tenant_id = ${ctx.tenant.id} and p.event_id = ${eventId} and t.status in ('valid', 'checked_in') order by p.id`);
  for (const { id } of rows) {
    const row = await ctx.rows(purchase).require(id);
    if (isErasedEmail(row.buyerEmail)) continue;
    await send(ctx, { ...found, sequence }, row, {
      template: `events.${news}`,
      calendar: news === 'moved' ? 'request' : 'cancel',
      key: `events ${id} ${news} ${sequence}`,
    });
  }
  if (news === 'cancelled') await ctx.enqueue(queued.cancelled, { eventId }, { key: eventId });
}
