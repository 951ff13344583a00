import { type Ctx, type Person, type PersonExport, peopleExport, personalData, sql } from '@storeloom/plugin-sdk';
import { type CustomerRow, customer } from './customer.ts';

type Address = Record<string, unknown>;
async function addressesOf(ctx: Ctx, customerId: string): Promise<Address[]> {
  const rows = await ctx.db.rows<{ address: Address }>(
    sql`select address from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = ${customerId}`,
  );
  return rows.map(({ address }) => address);
}
const textsOf = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && value.trim() !== '')),
];

/** The person by every address and number that this shop knows. */
export async function personOf(ctx: Ctx, customerId: string): Promise<Person & { emails: [string, ...string[]] }> {
  const row = await ctx.rows(customer).require(customerId);
  const addresses = await addressesOf(ctx, customerId);
  return { customerId, emails: [row.email], phones: textsOf([row.phone, ...addresses.map(({ phone }) => phone)]) };
}

/** Names, companies and streets, which are traces of the person where they stand alone. */
export async function tracesOf(ctx: Ctx, row: CustomerRow): Promise<string[]> {
  const addresses = await addressesOf(ctx, row.id);
  const names = (of: Address): unknown[] => [of.firstName, of.lastName, `${of.firstName} ${of.lastName}`, of.company, of.vatId];
  return textsOf([
    ...names({ ...row }),
    ...addresses.flatMap((address) => [...names(address), address.line1, address.line2, address.email]),
  ]);
}

export interface Exported {
  data: Record<string, Record<string, unknown>[]>;
  files: NonNullable<PersonExport['files']>;
}
/** Everything that every plugin and the kernel keep on the person, by the name of its resource. */
export async function exportPerson(ctx: Ctx, customerId: string): Promise<Exported> {
  const person = await personOf(ctx, customerId);
  const parts: PersonExport[] = [
    ...(await ctx.call(peopleExport, person)),
    ...(await ctx.require(personalData).export(ctx, person)),
  ];
  const exported: Exported = { data: {}, files: [] };
  for (const { resource, rows, files = [] } of parts) {
    exported.data[resource] = [...(exported.data[resource] ?? []), ...rows];
    exported.files.push(...files);
  }
  return exported;
}

/** This plugin's own rows on a person. */
export async function exportOwn(ctx: Ctx, person: Person): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const rows = await ctx
    .rows(customer)
    .find(person.customerId !== undefined ? { id: person.customerId } : { email: person.emails });
  const ids = rows.map((row) => row.id);
  const of = (statement: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> => ctx.db.rows(statement);
  return [
    { resource: 'customers.customer', rows: rows.map((row) => ({ ...row })) },
    {
      resource: 'customers.address',
      rows: await of(
        sql`select address, created_at as "createdAt" from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[])`,
      ),
    },
    {
      resource: 'customers.registration',
      rows: await of(
        sql`select first_name as "firstName", last_name as "lastName", phone, created_at as "createdAt" from customers_registration where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[])`,
      ),
    },
    {
      resource: 'customers.consent',
      rows: await of(
        sql`select purpose, granted, text_version as "textVersion", source, network, created_at as "createdAt" from customers_consent where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[]) order by created_at`,
      ),
    },
    {
      resource: 'customers.member',
      rows: await of(
        sql`select g.code, g.name, m.created_at as "createdAt" from customers_member m join customers_group g on g.tenant_id = m.tenant_id and g.id = m.group_id where m.tenant_id = ${ctx.tenant.id} and m.customer_id = any(${ids}::uuid[]) order by m.created_at`,
      ),
    },
    {
      resource: 'customers.preference',
      rows: await of(
        sql`select channel, event, enabled from customers_preference where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[])`,
      ),
    },
  ];
}
