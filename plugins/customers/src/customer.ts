import { type Ctx, f, likePattern, resource, responseShape, type Shape, sql } from '@storeloom/plugin-sdk';
import { mulRatio } from '@storeloom/plugin-sdk/money';
import { addressFields, vatIdField } from '@storeloom/plugin-sdk/people';

const address = f.object(addressFields());

const fields = {
  email: f.email().unique().filter().sort(),
  firstName: f.text().optional(),
  lastName: f.text().optional(),
  phone: f.phone().optional(),
  company: f.text().optional(),
  vatId: vatIdField().optional(),
  acceptsMarketing: f.bool().default(false).filter(),
  tags: f
    .list(f.text({ max: 60 }), { max: 100 })
    .default([])
    .filter(),
  status: f.oneOf(['active', 'disabled', 'erased']).default('active').filter(),
  emailVerifiedAt: f.instant().optional(),
  ordersCount: f.int({ min: 0 }).default(0).sort().filter(),
  lastOrderAt: f.instant().optional().filter(),
  groupIds: f.list(f.id()).default([]).virtual(),
  addresses: f.list(address).default([]).virtual().hidden(),
  stats: f
    .object({
      ordersCount: f.int(),
      totalSpent: f.money(),
      averageOrder: f.money().optional(),
      lastOrderAt: f.instant().optional(),
    })
    .optional()
    .virtual(),
} satisfies Shape;

// `stats` contains both figures.
const { ordersCount: _, lastOrderAt: __, ...shown } = fields;
const shape = responseShape(shown);
const { addresses: ___, ...listShape } = shape;

/** A person who buys, known by e-mail. Made by registration, checkout, drafts, imports; a sign-in is identity's business. */
export const customer = resource('customer', {
  path: 'customers',
  verbs: ['list', 'get'],
  fields,
  uniques: [{ fields: ['email'] }],
  indexes: [{ name: 'customers_customer_created_idx', fields: ['createdAt', 'id'] }],
  routes: { list: { response: listShape }, get: { response: shape } },
  filters: {
    groupId: {
      field: f.id(),
      operators: ['eq'],
      where: (_, value) =>
        sql`exists (select from customers_member m where m.tenant_id = t.tenant_id and m.customer_id = t.id and m.group_id = ${value})`,
    },
  },
  sorts: { lastName: { column: "coalesce(t.last_name, '')", type: 'text' } },
  search: (q) => {
    const like = likePattern(q);
    return sql`(t.email ilike ${like} or core_unaccent(coalesce(t.first_name, '') || ' ' || coalesce(t.last_name, '')) like core_unaccent(${like}) or t.phone ilike ${like})`;
  },
  present: withDetails,
});

export type CustomerRow = Awaited<ReturnType<typeof rowOf>>;
function rowOf(ctx: Ctx, id: string) {
  return ctx.rows(customer).require(id);
}

interface Counted {
  id: string;
  ordersCount: number;
  lastOrderAt: string | null;
}

/** Groups, figures and, for one customer, addresses: two or three statements for the whole answer. */
async function withDetails<R extends Counted>(ctx: Ctx, rows: R[], purpose: 'list' | 'one'): Promise<object[]> {
  if (rows.length === 0) return rows;
  const ids = rows.map((row) => row.id);
  const details = await ctx.db.rows<{ id: string; spent: number; groupIds: string[] }>(sql`
    select c.id, c.total_spent_amount as spent,
      coalesce((select json_agg(m.group_id order by m.created_at, m.group_id) from customers_member m where m.tenant_id = c.tenant_id and m.customer_id = c.id), '[]') as "groupIds"
    from customers_customer c where c.tenant_id = ${ctx.tenant.id} and c.id = any(${ids}::uuid[])`);
  const byId = new Map(details.map((row) => [row.id, row]));
  const addresses =
    purpose === 'one'
      ? await ctx.db.rows<{ address: object }>(
          sql`select address from customers_address where tenant_id = ${ctx.tenant.id} and customer_id = ${ids[0]} order by updated_at desc, id`,
        )
      : [];
  return rows.map((row) => {
    const detail = byId.get(row.id);
    const spent = detail?.spent ?? 0;
    const money = (amount: number) => ({ amount, currency: ctx.tenant.currency });
    const { ordersCount, lastOrderAt, ...rest } = row;
    return {
      ...rest,
      groupIds: detail?.groupIds ?? [],
      addresses: addresses.map((entry) => entry.address),
      stats: {
        ordersCount,
        totalSpent: money(spent),
        averageOrder: ordersCount === 0 ? null : money(mulRatio(spent, 1, ordersCount)),
        lastOrderAt,
      },
    };
  });
}
