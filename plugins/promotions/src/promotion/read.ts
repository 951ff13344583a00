import {
  type Ctx,
  f,
  type ListQuery,
  likePattern,
  list,
  notFound,
  type Page,
  type RawBuilder,
  sql,
  type TableRow,
  tableSql,
} from '@storeloom/plugin-sdk';
import { codeKey } from './code.ts';
import { type PromotionView, promotion, statuses } from './promotion.ts';

export const promotionList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    status: { field: f.oneOf(statuses), column: 's.status' },
    type: { field: promotion.fields.type },
    stage: { field: promotion.fields.stage },
    target: { field: promotion.fields.target },
    enabled: { field: f.bool() },
    archived: { field: f.bool() },
    priority: { field: f.int() },
    startsAt: { field: f.instant() },
    endsAt: { field: f.instant() },
    createdAt: { field: f.instant() },
    updatedAt: { field: f.instant() },
    /** Any of its codes, including single-use ones. */
    code: { field: f.text({ max: 60 }), operators: ['eq', 'in'], where: (_, value) => hasCode([value].flat() as string[]) },
  },
  sorts: {
    createdAt: { column: 't.created_at', type: 'timestamptz' },
    updatedAt: { column: 't.updated_at', type: 'timestamptz' },
    name: { column: 't.name', type: 'text' },
    priority: { column: 't.priority::int8', type: 'int8' },
    startsAt: { column: "coalesce(t.starts_at, '-infinity'::timestamptz)", type: 'timestamptz' },
    endsAt: { column: "coalesce(t.ends_at, 'infinity'::timestamptz)", type: 'timestamptz' },
  },
  defaultSort: '-createdAt',
  search: (q) => {
    const pattern = likePattern(q);
    return sql`(t.name ilike ${pattern} or t.code ilike ${pattern})`;
  },
});

function hasCode(codes: readonly string[]): RawBuilder<unknown> {
  return sql`exists (select from promotions_code c where c.tenant_id = t.tenant_id and c.promotion_id = t.id and c.code_key = any(${codes.map(codeKey)}::text[]))`;
}

/**
 * Derived from switches and dates. A disabled promotion is a draft until it has been enabled once or its start has passed; then it
 * is paused.
 */
function statusSql(now: string): RawBuilder<unknown> {
  return sql`case when t.archived then 'archived' when t.ends_at <= ${now}::timestamptz then 'expired'
    when not t.enabled then case when t.enabled_at is not null or t.starts_at <= ${now}::timestamptz then 'paused' else 'draft' end
    when t.starts_at > ${now}::timestamptz then 'scheduled' else 'active' end`;
}

function from(ctx: Ctx): RawBuilder<unknown> {
  return sql`promotions_promotion t cross join lateral (select ${statusSql(ctx.clock.now())} as status) s`;
}

/** `spent` is in the budget's currency, or without a budget in the shop's. */
function select(ctx: Ctx, withCodes: boolean): RawBuilder<unknown> {
  const live = sql`from promotions_usage u where u.tenant_id = t.tenant_id and u.promotion_id = t.id and u.reverted_at is null`;
  const codes = sql`from promotions_code c where c.tenant_id = t.tenant_id and c.promotion_id = t.id and not c.shared`;
  const list = sql`case when t.coded and (t.code is null or exists (select ${codes} and not c.issued))
    then (select coalesce(json_agg(c.code order by c.id), '[]') ${codes} and not c.issued) end`;
  return sql`${sql.raw(tableSql(promotion).select)}, s.status,
    (select count(*)::int8 ${live}) as "usageCount",
    json_build_object('amount', (select coalesce(sum(case when t.budget_amount is null and u.base_discount_currency = ${ctx.tenant.currency} then u.base_discount_amount
        when u.discount_currency = t.budget_currency then u.discount_amount end), 0)::int8 ${live}),
      'currency', coalesce(t.budget_currency, ${ctx.tenant.currency})) as spent,
    (select count(*)::int8 ${codes}) as "codesTotal", (select count(*)::int8 ${codes} and c.used_at is not null) as "codesUsed",
    ${withCodes ? list : sql`null`} as codes`;
}

/** What `select` returns: a view, and columns that only the server reads. */
type Selected = PromotionView & Pick<TableRow<typeof promotion>, 'coded' | 'enabledAt'>;
const toView = ({ coded: _, enabledAt: __, ...view }: Selected): PromotionView => view;

/** Codes are included only when rows are filtered by id, because this group has no route for a single promotion. */
export function listPromotions(ctx: Ctx, query: ListQuery): Promise<Page<PromotionView>> {
  const where = sql`t.tenant_id = ${ctx.tenant.id}`;
  return promotionList.run<Selected, PromotionView>(
    ctx,
    query,
    { select: select(ctx, query.filters.has('id')), from: from(ctx), where },
    (rows) => rows.map(toView),
  );
}

export async function promotionView(ctx: Ctx, id: string): Promise<PromotionView> {
  const row = await ctx.db.first<Selected>(
    sql`select ${select(ctx, true)} from ${from(ctx)} where t.tenant_id = ${ctx.tenant.id} and t.id = ${id}`,
  );
  if (!row) throw notFound();
  return toView(row);
}
