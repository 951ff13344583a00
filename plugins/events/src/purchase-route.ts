import { type Ctx, commitThen, f } from '@storeloom/plugin-sdk';
import { publicPost } from '@storeloom/plugin-sdk/public';
import { event } from './event.ts';
import { type Purchase, purchase } from './purchase.ts';
import { purchaseBody, reserve, startPayment } from './reserve.ts';
import { ticket } from './ticket.ts';
import { ticketType } from './ticket-type.ts';

const answer = {
  /** Subject of the consent. */
  id: f.id(),
  orderRef: f.text(),
  status: f.oneOf(['reserved', 'paid']),
  holdExpiresAt: f.instant().optional(),
  total: f.money(),
  paymentUrl: f.url().optional(),
  tickets: f.list(
    f.object({ code: f.text(), ticketTypeId: f.id(), ticketType: f.text(), attendee: f.text().optional(), price: f.money() }),
  ),
};

/** Shows tickets of paid purchases only. */
async function view(ctx: Ctx, row: Purchase, paymentUrl: string | null) {
  const tickets = row.status === 'paid' ? await ctx.rows(ticket).find({ purchaseId: row.id }, { orderBy: ['id'] }) : [];
  const names = new Map((await ctx.rows(ticketType).find({ eventId: row.eventId })).map(({ id, name }) => [id, name]));
  return {
    id: row.id,
    orderRef: row.orderRef,
    status: row.status,
    holdExpiresAt: row.holdExpiresAt,
    total: row.total,
    paymentUrl,
    tickets: tickets.map(({ code, ticketTypeId, attendeeName, price }) => ({
      code,
      ticketTypeId,
      ticketType: names.get(ticketTypeId) ?? '',
      attendee: attendeeName,
      price,
    })),
  };
}

export const purchaseTickets = publicPost(
  '/tickets/purchase',
  {
    summary: 'Reserves tickets and starts their payment; free tickets are valid immediately',
    body: purchaseBody,
    response: answer,
    consent: 'tickets',
    rateLimit: [
      { points: 20, seconds: 60, by: 'visitor' },
      { points: 200, seconds: 60 },
      // As many codes as on a cart, so that tickets are no faster way to guess one.
      { points: 20, seconds: 60, name: 'events.coupon', when: ({ body }) => (body as { coupon?: unknown }).coupon != null },
    ],
    entity: 'events.purchase',
    problems: [
      'sold_out',
      'sales_closed',
      'order_quantity',
      'coupon_not_found',
      'coupon_not_started',
      'coupon_expired',
      'coupon_usage_limit',
      'coupon_customer_limit',
      'provider_not_configured',
    ],
  },
  async (ctx, body) => {
    const row = await reserve(ctx, body);
    const kept = await view(ctx, row, null);
    if (row.status === 'paid') return kept;
    const { title } = await ctx.rows(event).require(row.eventId);
    return commitThen(201, kept, async (after) => {
      const paymentUrl = await startPayment(after, row, body, title);
      return after.transaction(async (inner) => view(inner, await inner.rows(purchase).require(row.id), paymentUrl), {
        readOnly: true,
      });
    });
  },
);
