import type { accounts } from '@storeloom/plugin-identity/contract';
import type { orders } from '@storeloom/plugin-orders/contract';
import { type Ctx, type Job, type Person, peopleErase, peopleExport, sql, token } from '@storeloom/plugin-sdk';
import { customer } from './customer.ts';

/** What must be settled before an account can go. Plugins that aren't there have nothing open. */
export async function countOpen(ctx: Ctx, customerId: string): Promise<Record<string, number>> {
  const open = await ctx.use(token<typeof orders>('orders:orders'))?.openCount(customerId);
  return { orders: open ?? 0 };
}

export async function personOf(ctx: Ctx, customerId: string): Promise<Person> {
  const row = await ctx.rows(customer).require(customerId);
  return { customerId, emails: [row.email], phones: row.phone === null ? [] : [row.phone] };
}

/** Everything that every plugin keeps on the person, by the name of its resource. */
export async function exportPerson(ctx: Ctx, customerId: string): Promise<Record<string, Record<string, unknown>[]>> {
  const parts = await ctx.call(peopleExport, await personOf(ctx, customerId));
  const data: Record<string, Record<string, unknown>[]> = {};
  for (const { resource, rows } of parts) data[resource] = [...(data[resource] ?? []), ...rows];
  return data;
}

/** Every plugin erases its part, this one last: the address is what the others find the person by. Safe to repeat. */
export const eraseJob: Job = {
  retryLimit: 20,
  async run(ctx, { customerId }) {
    const id = customerId as string;
    const row = await ctx.rows(customer).get(id, { lock: true });
    if (!row || row.status === 'erased') return;
    const report: object[] = [];
    await ctx.call(peopleErase, { ...(await personOf(ctx, id)), report: (entry) => void report.push(entry) });
    await ctx.use(token<typeof accounts>('identity:accounts'))?.removeCustomerCredential(id);
    await ctx.db.run(sql`delete from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.db.run(sql`delete from customers_member where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.db.run(sql`delete from customers_preference where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.rows(customer).update(id, {
      email: `erased+${id}@invalid`,
      firstName: null,
      lastName: null,
      phone: null,
      company: null,
      vatId: null,
      tags: [],
      acceptsMarketing: false,
      status: 'erased',
      emailVerifiedAt: null,
    });
    await ctx.audit({ entity: 'customers.customer', entityId: id, action: 'customers.customer.erase', extra: { report } });
    await ctx.emit('customers.customer.erased', { id, data: { id } });
  },
};

/** This plugin's own rows on a person. */
export async function exportOwn(ctx: Ctx, person: Person): Promise<{ resource: string; rows: Record<string, unknown>[] }[]> {
  const rows = await ctx
    .rows(customer)
    .find(person.customerId !== undefined ? { id: person.customerId } : { email: person.emails });
  const ids = rows.map((row) => row.id);
  const of = (statement: ReturnType<typeof sql>): Promise<Record<string, unknown>[]> => ctx.db.rows(statement);
  return [
    { resource: 'customers.customer', rows: rows as unknown as Record<string, unknown>[] },
    {
      resource: 'customers.address',
      rows: await of(
        sql`select address, created_at as "createdAt" from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[])`,
      ),
    },
    {
      resource: 'customers.consent',
      rows: await of(
        sql`select purpose, granted, text_version as "textVersion", created_at as "createdAt" from customers_consent where tenant_id = ${ctx.tenant.id} and customer_id = any(${ids}::uuid[]) order by created_at`,
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
