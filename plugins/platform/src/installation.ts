import {
  f,
  type ListQuery,
  list,
  listOf,
  type PlatformCtx,
  platformRoute,
  pluginStates,
  queues,
  type RowOf,
  sql,
} from '@storeloom/plugin-sdk';

const stateShape = {
  name: f.text(),
  package: f.text(),
  version: f.text().optional(),
  state: f.oneOf(['not_installed', 'incompatible', 'unlicensed', 'blocked', 'failed', 'ready']),
  reason: f.object({ code: f.text(), message: f.text({ max: 4000 }) }).optional(),
  entitlement: f.text(),
  foundation: f.bool(),
  requires: f.list(f.text()),
};

interface Money {
  amount: number;
  currency: string;
}
const byCurrency = f.list(f.money());
const figuresShape = {
  tenants: f.int(),
  byStatus: f.json().describe('Number of tenants by status.'),
  byPlan: f.list(f.object({ planId: f.id(), code: f.text(), name: f.text(), tenants: f.int() })),
  orders30d: f.int(),
  revenue30d: byCurrency,
  mrr: byCurrency,
  jobs: f.object({ waiting: f.int(), active: f.int(), delayed: f.int(), failed: f.int() }),
};
const activityShape = {
  id: f.id(),
  actor: f.object({ type: f.text(), id: f.text().optional() }),
  action: f.text(),
  entity: f.text(),
  entityId: f.text().optional(),
  changes: f.json().describe('Members that changed, with both values.'),
  ip: f.text().optional(),
  requestId: f.text().optional(),
  at: f.instant(),
};
const month = 30 * 86_400_000;

async function figures(ctx: PlatformCtx): Promise<RowOf<typeof figuresShape>> {
  const { db, clock } = ctx;
  const since = new Date(clock.ms() - month).toISOString();
  const statuses = await db.rows<{ status: string; n: number }>(
    sql`select status, count(*)::int as n from core_tenant group by status order by status`,
  );
  const plans = await db.rows<{
    planId: string;
    code: string;
    name: string;
    tenants: number;
  }>(sql`select p.id as "planId", p.code, p.name, count(t.id)::int as tenants
    from core_plan p left join core_tenant t on t.plan_id = p.id and t.status <> 'terminated' group by p.id order by p.code`);
  const mrr =
    await db.rows<Money>(sql`select sum(p.price_amount)::int8 as amount, p.price_currency as currency from core_tenant t join core_plan p on p.id = t.plan_id
    where t.status in ('active', 'past_due') and p.price_amount is not null group by p.price_currency order by p.price_currency`);
  // Orders are another plugin's; what it announces is everybody's.
  const sold = await db.rows<
    Money & { n: number }
  >(sql`select count(*)::int as n, coalesce(sum((data -> 'total' ->> 'amount')::int8), 0)::int8 as amount, data -> 'total' ->> 'currency' as currency
    from core_event where type = 'orders.order.placed' and created_at >= ${since} group by 3 order by 3`);
  const jobs = await ctx.require(queues).totals();
  return {
    tenants: statuses.reduce((sum, { n }) => sum + n, 0),
    byStatus: Object.fromEntries(statuses.map(({ status, n }) => [status, n])),
    byPlan: plans,
    orders30d: sold.reduce((sum, { n }) => sum + n, 0),
    revenue30d: sold.filter(({ currency }) => currency !== null).map(({ amount, currency }) => ({ amount, currency })),
    mrr,
    jobs,
  };
}

const activityList = list({
  filters: {
    actor: { field: f.text(), column: 't.actor_id', operators: ['eq'] },
    action: { field: f.text(), operators: ['eq', 'in'] },
    entity: { field: f.text(), operators: ['eq', 'in'] },
    entityId: { field: f.text(), operators: ['eq'] },
    at: { field: f.instant() },
  },
  sorts: { at: { column: 't.at', type: 'timestamptz' } },
  defaultSort: '-at',
});

export const installationRoutes = [
  platformRoute('GET', '/plugins', { summary: 'Plugins of the installation', response: stateShape, list: true }, async (ctx) =>
    listOf(ctx.require(pluginStates).all()),
  ),
  platformRoute(
    'GET',
    '/stats',
    {
      summary: 'Figures of the installation',
      response: figuresShape,
    },
    (ctx) => figures(ctx),
  ),
  platformRoute(
    'GET',
    '/activity',
    {
      summary: 'What operators changed',
      query: activityList,
      response: activityShape,
      list: true,
    },
    (ctx, req) =>
      activityList.run<RowOf<typeof activityShape>>(ctx, req.query as ListQuery, {
        select: sql`t.id, json_build_object('type', t.actor_type, 'id', t.actor_id) as actor, t.action, t.entity, t.entity_id as "entityId", t.changes, t.ip, t.request_id as "requestId", t.at`,
        from: sql`core_platform_audit t`,
      }),
  ),
];
