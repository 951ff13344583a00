import { type Ctx, type Person, type peopleErase, type peopleExport, sql, type TapFn } from '@storeloom/plugin-sdk';
import { erasedEmail } from '@storeloom/plugin-sdk/people';
import { type Purchase, purchase } from './purchase.ts';
import { ticket } from './ticket.ts';

async function boughtBy(ctx: Ctx, { customerId, emails }: Person): Promise<Purchase[]> {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from events_purchase where tenant_id = ${ctx.tenant.id} and
      (customer_id = ${customerId ?? null}::uuid or buyer_email = any(${emails.map((email) => email.toLowerCase())}::text[])) order by id`);
  return ids.length === 0 ? [] : ctx.rows(purchase).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] });
}

async function heldBy(ctx: Ctx, { emails }: Person, purchases: readonly Purchase[]) {
  const ids = await ctx.db.rows<{ id: string }>(sql`
    select id from events_ticket where tenant_id = ${ctx.tenant.id} and (attendee_email = any(${emails.map((email) => email.toLowerCase())}::text[])
      or (attendee_email is null and purchase_id = any(${purchases.map(({ id }) => id)}::uuid[]))) order by id`);
  return ids.length === 0 ? [] : ctx.rows(ticket).find({ id: ids.map(({ id }) => id) }, { orderBy: ['id'] });
}

export const exportPerson: TapFn<typeof peopleExport> = async (ctx: Ctx, person) => {
  const purchases = await boughtBy(ctx, person);
  const tickets = await heldBy(ctx, person, purchases);
  return [
    ...(purchases.length > 0 ? [{ resource: 'events.purchase', rows: purchases.map((row) => ({ ...row })) }] : []),
    // A ticket of somebody else's purchase shows who comes and when, not what it cost.
    ...(tickets.length > 0
      ? [
          {
            resource: 'events.ticket',
            rows: tickets.map(({ id, eventId, code, status, attendeeName, attendeeEmail, checkedInAt }) => ({
              id,
              eventId,
              code,
              status,
              attendeeName,
              attendeeEmail,
              checkedInAt,
            })),
          },
        ]
      : []),
  ];
};

/** What was sold stays, who bought it and who came goes. */
export const erasePerson: TapFn<typeof peopleErase> = async (ctx: Ctx, person) => {
  const purchases = await boughtBy(ctx, person);
  const tickets = await heldBy(ctx, person, purchases);
  for (const { id } of tickets) await ctx.rows(ticket).update(id, { attendeeName: null, attendeeEmail: null });
  for (const { id } of purchases)
    await ctx.rows(purchase).update(id, { buyerName: 'erased', buyerEmail: erasedEmail(id), buyerPhone: null });
  person.report({ resource: 'events.purchase', erased: purchases.length });
  person.report({ resource: 'events.ticket', erased: tickets.length });
};
