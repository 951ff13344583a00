import { accountOpen, customerEvents, orders } from '@storeloom/commerce';
import { accounts } from '@storeloom/plugin-identity/contract';
import { type Ctx, type Job, type JobData, peopleErase, personalData, sql } from '@storeloom/plugin-sdk';
import { erasedEmail } from '@storeloom/plugin-sdk/people';
import { recordConsent } from './consent.ts';
import { type CustomerRow, customer } from './customer.ts';
import { removeExportsOf } from './data-export.ts';
import { personOf, tracesOf } from './person.ts';
import type { queued } from './queued.ts';

/** What must be settled before an account can go. Plugins that aren't there have nothing open. */
export async function countOpen(ctx: Ctx, { id, email }: Pick<CustomerRow, 'id' | 'email'>): Promise<Record<string, number>> {
  const open = await ctx.use(orders)?.openCount(id, email);
  const counts: Record<string, number> = { orders: open ?? 0, subscriptions: 0, returns: 0, balance: 0 };
  for (const { what, count } of await ctx.call(accountOpen, { customerId: id, email }))
    counts[what] = (counts[what] ?? 0) + count;
  return counts;
}

/**
 * Every plugin erases its part, this one and the kernel last: the address is what the others find the person by. Safe to repeat.
 */
export const eraseJob: Job<JobData<typeof queued.erase>> = {
  retryLimit: 20,
  async run(ctx, { customerId: id }) {
    const row = await ctx.rows(customer).get(id, { lock: true });
    if (!row || row.status === 'erased') return;
    const report: object[] = [];
    const note = (entry: object): void => void report.push(entry);
    const person = await personOf(ctx, id);
    const texts = await tracesOf(ctx, row);
    await ctx.call(peopleErase, { ...person, report: note });
    await ctx.use(accounts)?.removeCustomerCredential(id);
    if (row.acceptsMarketing)
      await recordConsent(ctx, {
        purpose: 'marketing',
        granted: false,
        textVersion: 'erasure',
        subject: id,
        customerId: id,
        ip: null,
        source: 'erasure',
      });
    await removeExportsOf(ctx, id);
    await ctx.db.run(sql`delete from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.db.run(sql`delete from customers_registration where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.db.run(sql`delete from customers_member where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.db.run(sql`delete from customers_preference where tenant_id = ${ctx.tenant.id} and customer_id = ${id}`);
    await ctx.rows(customer).update(id, {
      email: erasedEmail(id),
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
    await ctx.require(personalData).erase(ctx, { ...person, texts, report: note });
    await ctx.audit({ entity: 'customers.customer', entityId: id, action: 'customers.customer.erase', extra: { report } });
    await ctx.emit(customerEvents.erased, { id, data: { id } });
  },
};
