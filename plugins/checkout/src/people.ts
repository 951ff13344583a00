import { type Ctx, type HookInput, type Person, type peopleErase, sql } from '@storeloom/plugin-sdk';
import { normalizeEmail } from '@storeloom/plugin-sdk/people';
import { emailHash } from './recovery/checks.ts';

type Rows = { resource: string; rows: Record<string, unknown>[] }[];
type Erasure = HookInput<typeof peopleErase>;

function keys(person: Person): { customerId: string | null; emails: string[] } {
  return { customerId: person.customerId ?? null, emails: person.emails.map(normalizeEmail) };
}

/** `peopleExport`: the carts, draft orders and abandoned carts of a person. */
export async function exportPerson(ctx: Ctx, person: Person): Promise<Rows> {
  const { customerId, emails } = keys(person);
  const tenantId = ctx.tenant.id;
  const ownedByPerson = sql`tenant_id = ${tenantId} and (customer_id = ${customerId}::uuid or email = any(${emails}::text[]))`;
  const carts = await ctx.db.rows<Record<string, unknown>>(sql`select id, status, currency, locale, email, lines, codes,
    shipping_address as "shippingAddress", order_id as "orderId", last_activity_at as "lastActivityAt", created_at as "createdAt"
    from checkout_cart where ${ownedByPerson} order by id`);
  const drafts = await ctx.db.rows<
    Record<string, unknown>
  >(sql`select id, status, email, lines, currency, note, order_id as "orderId",
    created_at as "createdAt" from checkout_draft_order where ${ownedByPerson} order by id`);
  const recovery = await ctx.db.rows<Record<string, unknown>>(sql`select id, cart_id as "cartId", email, status, reminders,
    abandoned_at as "abandonedAt" from checkout_abandoned_cart where ${ownedByPerson} order by id`);
  const all: Rows = [
    { resource: 'checkout.cart', rows: carts },
    { resource: 'checkout.draft-order', rows: drafts },
    { resource: 'checkout.abandoned-cart', rows: recovery },
  ];
  return all.filter(({ rows }) => rows.length > 0);
}

/**
 * `peopleErase`: deletes carts, including converted ones, because the order has its own copy. A cart that waits for its payment is
 * anonymized instead, because its order still needs it; so are draft orders and abandoned carts, which statistics count. Idempotent.
 */
export async function erasePerson(ctx: Ctx, person: Erasure): Promise<void> {
  const { customerId, emails } = keys(person);
  const tenantId = ctx.tenant.id;
  const now = ctx.clock.now();
  const ownedByPerson = sql`tenant_id = ${tenantId} and (customer_id = ${customerId}::uuid or email = any(${emails}::text[]))`;
  const recovery = await ctx.db.rows<{
    id: string;
  }>(sql`update checkout_abandoned_cart set email = null, customer_id = null, lines = '[]'::jsonb,
    status = case when status in ('active', 'abandoned', 'reminded') then 'opted_out' else status end, updated_at = ${now}, version = version + 1
    where ${ownedByPerson} returning id`);
  const drafts = await ctx.db.rows<{
    id: string;
  }>(sql`update checkout_draft_order set email = null, customer_id = null, note = null, metadata = null,
    lines = (select coalesce(jsonb_agg(line || '{"note": null}'::jsonb), '[]'::jsonb) from jsonb_array_elements(lines) line),
    updated_at = ${now}, version = version + 1 where ${ownedByPerson} returning id`);
  const ids = [...recovery, ...drafts].map((row) => row.id);
  await ctx.db.run(sql`delete from checkout_link where tenant_id = ${tenantId} and target_id = any(${ids}::uuid[])`);
  const kept =
    await ctx.db.run(sql`update checkout_cart set email = null, customer_id = null, shipping_address = null, metadata = null,
    lines = (select coalesce(jsonb_agg(line || '{"custom": null}'::jsonb), '[]'::jsonb) from jsonb_array_elements(lines) line),
    updated_at = ${now}, version = version + 1 where ${ownedByPerson} and status = 'locked'`);
  const removed = await ctx.db.run(sql`delete from checkout_cart where ${ownedByPerson}`);
  await ctx.db.run(
    sql`delete from checkout_recovery_optout where tenant_id = ${tenantId} and email_hash = any(${emails.map(emailHash)}::text[])`,
  );
  person.report({ resource: 'checkout.cart', erased: removed + kept });
  person.report({ resource: 'checkout.draft-order', erased: drafts.length });
  person.report({ resource: 'checkout.abandoned-cart', erased: recovery.length });
}
