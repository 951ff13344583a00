import { type Ctx, type IdRange, idBatches, sql } from '@storeloom/plugin-sdk';
import { toDecimalString } from '@storeloom/plugin-sdk/money';
import { customer } from './customer.ts';

const batchSize = 500;

type Row = Record<string, unknown> & { id: string; spent: number; tags: string[] };

/** Exports customers that match the filters of the admin list, in id order. */
export async function* exportRows(ctx: Ctx, filter: Record<string, string>): AsyncIterable<Record<string, unknown>[]> {
  const { conditions } = customer.list().parse(new URLSearchParams(filter));
  const read = (inner: Ctx, { after, last }: IdRange): Promise<Row[]> =>
    inner.db.rows<Row>(sql`
      select t.id, t.email, t.first_name as "firstName", t.last_name as "lastName", t.phone, t.company, t.vat_id as "vatId", t.accepts_marketing as "acceptsMarketing", t.tags,
        (select string_agg(g.code, ', ' order by g.priority, g.code) from customers_member m join customers_group g on g.tenant_id = m.tenant_id and g.id = m.group_id where m.tenant_id = t.tenant_id and m.customer_id = t.id) as groups,
        t.orders_count as "ordersCount", t.total_spent_amount as spent, t.last_order_at as "lastOrderAt", t.status, t.created_at as "createdAt",
        (select json_agg(a.address order by a.updated_at desc, a.id)::text from customers_address a where a.tenant_id = t.tenant_id and a.customer_id = t.id) as addresses
      from customers_customer t where ${sql.join([sql`t.tenant_id = ${inner.tenant.id}`, sql`t.id > ${after} and t.id <= ${last}`, ...conditions], sql` and `)} order by t.id limit ${batchSize}`);
  const { currency } = ctx.tenant;
  for await (const rows of idBatches(ctx, 'customers_customer', batchSize, read))
    yield rows.map(({ spent, tags, ...row }) => ({
      ...row,
      tags: tags.join(', '),
      totalSpent: toDecimalString({ amount: spent, currency }),
      currency,
    }));
}
