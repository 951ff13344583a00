import { createHash } from 'node:crypto';
import { type Customers, type CustomerView, customerEvents } from '@storeloom/commerce';
import type { CustomerDirectory } from '@storeloom/plugin-identity/contract';
import { type Ctx, f, type RowOf, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { addressFields, normalizeEmail } from '@storeloom/plugin-sdk/people';
import { recordConsent } from './consent.ts';
import { customer } from './customer.ts';
import { exportRows } from './export.ts';

type Group = Awaited<ReturnType<Customers['groupsOf']>>[number];
const groupSelect = sql`select g.id, g.code, g.priority, g.price_list_code as "priceListCode", g.discount_bp as "discountBp",
  g.tax_exempt as "taxExempt", g.tax_display as "taxDisplay" from customers_group g`;

function groupsOfMember(ctx: Ctx, customerId: string): Promise<Group[]> {
  return ctx.db.rows<Group>(sql`${groupSelect} join customers_member m on m.tenant_id = g.tenant_id and m.group_id = g.id
    where g.tenant_id = ${ctx.tenant.id} and m.customer_id = ${customerId}::uuid order by g.priority, g.code`);
}
/** Whether the caller may use the groups of a customer: staff and jobs; the customer, once the address is confirmed. */
async function isProven(ctx: Ctx, customerId: string): Promise<boolean> {
  const { actor } = ctx;
  if (actor.type === 'guest') return false;
  if (actor.type !== 'customer') return true;
  if (actor.customerId !== customerId) return false;
  const row = await ctx.db.first(
    sql`select from customers_customer where tenant_id = ${ctx.tenant.id} and id = ${customerId} and email_verified_at is not null`,
  );
  return row !== undefined;
}
/** Of guests, and of members of no group. */
function defaultGroup(ctx: Ctx): Promise<Group[]> {
  return ctx.remember('default-group', () =>
    ctx.db.rows<Group>(sql`${groupSelect} where g.tenant_id = ${ctx.tenant.id} and g.is_default`),
  );
}

async function view(ctx: Ctx, where: { id?: string; email?: string }): Promise<CustomerView | undefined> {
  const row = await ctx.rows(customer).first(where);
  if (!row) return undefined;
  const groups = await ctx.db.rows<{ id: string }>(
    sql`select group_id as id from customers_member where tenant_id = ${ctx.tenant.id} and customer_id = ${row.id}`,
  );
  const { id, email, firstName, lastName, phone, company, vatId, status, emailVerifiedAt, acceptsMarketing } = row;
  return {
    id,
    email,
    firstName,
    lastName,
    phone,
    company,
    vatId,
    status,
    emailVerifiedAt,
    groupIds: groups.map((entry) => entry.id),
    acceptsMarketing,
  };
}

const byEmail = (ctx: Ctx, email: string): Promise<CustomerView | undefined> => view(ctx, { email: normalizeEmail(email) });

type Person = Parameters<Customers['upsert']>[0];

/** Empty properties of an unregistered record are filled; nothing is replaced. */
async function upsert(ctx: Ctx, person: Person): Promise<{ id: string; created: boolean }> {
  const email = normalizeEmail(person.email);
  const now = ctx.clock.now();
  const text = (value: string | null | undefined): string | null => value ?? null;
  const kept = (column: string) =>
    sql.raw(
      `${column} = case when c.registered_at is not null then c.${column} else coalesce(c.${column}, excluded.${column}) end`,
    );
  const row = await ctx.db.first<{ id: string; created: boolean }>(sql`
    insert into customers_customer as c (tenant_id, id, email, first_name, last_name, phone, company, vat_id, created_at, updated_at)
    values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${email}, ${text(person.firstName)}, ${text(person.lastName)}, ${text(person.phone)}, ${text(person.company)}, ${text(person.vatId)}, ${now}, ${now})
    on conflict (tenant_id, email) do update set ${sql.join(['first_name', 'last_name', 'phone', 'company', 'vat_id'].map(kept))},
      updated_at = excluded.updated_at, version = c.version + 1
    returning id, (xmax = 0) as created`);
  const { id, created } = row as { id: string; created: boolean };
  if (person.acceptsMarketing)
    await recordConsent(ctx, {
      purpose: 'marketing',
      granted: true,
      subject: id,
      customerId: id,
      ip: ctx.ip,
      source: 'record',
      once: true,
    });
  if (created) await ctx.emit(customerEvents.created, { id, data: { id, email } });
  return { id, created };
}

/**
 * Registers a person. Anybody can register any address: the names and phone of an existing record stay, and those of the registration are
 * stored beside it until the address is confirmed.
 */
async function register(ctx: Ctx, { email, ...names }: Parameters<CustomerDirectory['register']>[0]): Promise<{ id: string }> {
  const { id, created } = await upsert(ctx, { email });
  const now = ctx.clock.now();
  const { firstName, lastName, phone = null } = names;
  await ctx.db.run(sql`update customers_customer set registered_at = coalesce(registered_at, ${now})
    ${created ? sql`, first_name = ${firstName}, last_name = ${lastName}, phone = ${phone}` : sql``}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  if (!created)
    await ctx.db.run(sql`insert into customers_registration (tenant_id, customer_id, first_name, last_name, phone, created_at)
      values (${ctx.tenant.id}, ${id}, ${firstName}, ${lastName}, ${phone}, ${now})
      on conflict (tenant_id, customer_id) do update set first_name = excluded.first_name, last_name = excluded.last_name,
        phone = excluded.phone, created_at = excluded.created_at`);
  return { id };
}

/** Names of an unconfirmed registration; undefined if the record has none of its own. */
function registrationOf(ctx: Ctx, id: string): Promise<{ firstName: string | null; lastName: string | null } | undefined> {
  return ctx.db.first(sql`select first_name as "firstName", last_name as "lastName" from customers_registration
    where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
}

/** The service by which other plugins find and create customers. */
export function directory(ctx: Ctx): Customers {
  return {
    upsert: (person) => upsert(ctx, person),
    get: (id) => view(ctx, { id }),
    byEmail: (email) => byEmail(ctx, email),
    async saveAddress(customerId, address) {
      const fingerprint = createHash('sha256')
        .update(JSON.stringify(Object.entries(address).sort()))
        .digest('base64url');
      const now = ctx.clock.now();
      await ctx.db.run(sql`insert into customers_address (tenant_id, id, customer_id, fingerprint, address, created_at, updated_at)
        values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${customerId}, ${fingerprint}, ${JSON.stringify(address)}::jsonb, ${now}, ${now})
        on conflict (tenant_id, customer_id, fingerprint) do update set updated_at = excluded.updated_at, version = customers_address.version + 1`);
    },
    addresses: (customerId) => addressesOf(ctx, customerId),
    exportRows: (filter) => exportRows(ctx, filter),
    recordConsent: (consent) => recordConsent(ctx, consent).then(() => undefined),
    async groupsOf(customerId, { recorded = false } = {}) {
      const own = customerId === null ? [] : await groupsOfMember(ctx, customerId);
      return own.length > 0 && customerId !== null && (recorded || (await isProven(ctx, customerId))) ? own : defaultGroup(ctx);
    },
  };
}

/** Customer records for identity. Before the address is confirmed, the caller sees the names of the registration, not those of the record. */
export function signInDirectory(ctx: Ctx): CustomerDirectory {
  const signIn = async (found: Promise<CustomerView | undefined>): Promise<CustomerView | undefined> => {
    const person = await found;
    if (!person || person.emailVerifiedAt !== null) return person;
    return { ...person, ...(await registrationOf(ctx, person.id)) };
  };
  return {
    get: (id) => signIn(view(ctx, { id })),
    byEmail: (email) => signIn(byEmail(ctx, email)),
    register: (person) => register(ctx, person),
    async markVerified(id, { acceptRegistration }) {
      const now = ctx.clock.now();
      const own = await ctx.db.first<{ firstName: string | null; lastName: string | null; phone: string | null }>(
        sql`delete from customers_registration where tenant_id = ${ctx.tenant.id} and customer_id = ${id}
          returning first_name as "firstName", last_name as "lastName", phone`,
      );
      const names =
        own && acceptRegistration
          ? sql`first_name = coalesce(${own.firstName}, first_name), last_name = coalesce(${own.lastName}, last_name), phone = coalesce(${own.phone}, phone),`
          : sql``;
      await ctx.db.run(sql`update customers_customer set ${names} email_verified_at = ${now}, updated_at = ${now}, version = version + 1
        where tenant_id = ${ctx.tenant.id} and id = ${id} and email_verified_at is null`);
    },
  };
}

/** Newest first, each with its id. */
export const savedAddressShape = { id: f.id(), ...addressFields() };
type SavedAddress = RowOf<typeof savedAddressShape>;

export function addressesOf(ctx: Ctx, customerId: string): Promise<SavedAddress[]> {
  return ctx.db
    .rows<{ id: string; address: Omit<SavedAddress, 'id'> }>(
      sql`select id, address from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId} order by updated_at desc, id limit 100`,
    )
    .then((rows) => rows.map(({ id, address }) => ({ id, ...address })));
}
