import { type Person, sql } from '@storeloom/plugin-sdk';
import { normalizeEmail, personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { purchase } from './purchase.ts';
import { ticket } from './ticket.ts';

/** Tickets in the person's name, and those of their purchases without another attendee. */
const heldBy = ({ customerId, emails }: Person) => {
  const addresses = emails.map(normalizeEmail);
  return sql`t.attendee_email = any(${addresses}::text[]) or (t.attendee_email is null and exists (
    select from events_purchase p where p.tenant_id = t.tenant_id and p.id = t.purchase_id
      and (p.customer_id = ${customerId ?? null}::uuid or p.buyer_email = any(${addresses}::text[]))))`;
};

export const { exportPerson, erasePerson } = personalTaps(
  personalRows({ table: purchase, by: ['customerId', 'buyerEmail'] }),
  // A ticket of another buyer's purchase shows the attendee and the visit, not the price.
  personalRows({
    table: ticket,
    by: heldBy,
    exports: ['id', 'eventId', 'code', 'status', 'attendeeName', 'attendeeEmail', 'checkedInAt'],
  }),
);
