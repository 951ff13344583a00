import { type Ctx, sql } from '@storeloom/plugin-sdk';
import { toDecimalString } from '@storeloom/plugin-sdk/money';
import { customer } from './customer.ts';

const chunk = 500;

/** Customers that the filters of the staff's list let through, in order of their ids; a chunk at a time is held in memory. */
export async function* exportRows(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>> {
  const { conditions } = customer.list().parse(new URLSearchParams(filter));
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await ctx.db.rows<Record<string, unknown> & { id: string; spent: number; tags: string[] }>(sql`
      select t.id, t.email, t.first_name as "firstName", t.last_name as "lastName", t.phone, t.company, t.vat_id as "vatId", t.accepts_marketing as "acceptsMarketing", t.tags,
        (select string_agg(g.code, ', ' order by g.priority, g.code) from customers_member m join customers_group g on g.tenant_id = m.tenant_id and g.id = m.group_id where m.tenant_id = t.tenant_id and m.customer_id = t.id) as groups,
        t.orders_count as "ordersCount", t.total_spent_amount as spent, t.last_order_at as "lastOrderAt", t.status, t.created_at as "createdAt"
      from customers_customer t where ${sql.join([sql`t.tenant_id = ${ctx.tenant.id}`, sql`t.id > ${after}`, ...conditions], sql` and `)} order by t.id limit ${chunk}`);
    for (const { spent, tags, ...row } of rows)
      yield {
        ...row,
        tags: tags.join(', '),
        totalSpent: toDecimalString({ amount: spent, currency: ctx.tenant.currency }),
        currency: ctx.tenant.currency,
      };
    if (rows.length < chunk) return;
    after = rows.at(-1)?.id as string;
  }
}
