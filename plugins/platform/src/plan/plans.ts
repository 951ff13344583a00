import {
  type Ctx,
  checkVersion,
  created,
  f,
  invalid,
  isEmptyPatch,
  list,
  type PlatformCtx,
  platformRoute,
  pluginStates,
  problem,
  responseShape,
  type Shape,
  sql,
  tenants,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { licensedChange } from '../licence/licensed-change.ts';

export interface Plan {
  id: string;
  code: string;
  name: string;
  price: { amount: number; currency: string } | null;
  limits: Record<string, number>;
  /** `*` stands for every plugin. */
  plugins: string[];
  features: Record<string, boolean>;
  active: boolean;
  createdAt: string;
  updatedAt: string;
  version: number;
}

export const code = f.text({ max: 64, pattern: /^[a-z0-9][a-z0-9_-]*$/ });
const fields = {
  code,
  name: f.text(),
  /** A month. */
  price: f.money({ min: 0 }).optional(),
  limits: f.json().default({}).describe('Number by limit.'),
  active: f.bool().default(true),
} satisfies Shape;
const planShape = responseShape({
  ...fields,
  plugins: f.list(f.text()).readonly(),
  features: f.json().readonly().describe('Switch by plugin or feature.'),
});

const columns = sql`t.id, t.code, t.name, case when t.price_amount is null then null else json_build_object('amount', t.price_amount, 'currency', t.price_currency) end as price,
  t.limits, t.plugins, t.features, t.active, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;

export async function findPlan(ctx: Pick<Ctx, 'db'>, id: string, options: { lock?: boolean } = {}): Promise<Plan | undefined> {
  return ctx.db.first<Plan>(sql`select ${columns} from core_plan t where t.id = ${id}${options.lock ? sql` for update` : sql``}`);
}
async function requirePlan(ctx: PlatformCtx, id: string, ifMatch: number | undefined): Promise<Plan> {
  const plan = await findPlan(ctx, id, { lock: true });
  if (!plan) throw problem('not_found');
  checkVersion(ifMatch, plan);
  return plan;
}

/** Limits are whole numbers from 0. */
function checkLimits(limits: unknown): void {
  for (const [name, value] of Object.entries((limits ?? {}) as Record<string, unknown>))
    if (!/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(name) || !Number.isSafeInteger(value) || (value as number) < 0)
      throw invalid(`/limits/${name}`, 'invalid', 'must be limit names with integers from 0');
}
/** 422 for a name that no plugin of the installation has. */
export function checkPlugins(ctx: Pick<PlatformCtx, 'require'>, names: readonly string[], pointer: (i: number) => string): void {
  const known = new Set(
    ctx
      .require(pluginStates)
      .all()
      .map(({ name }) => name),
  );
  names.forEach((name, i) => {
    if (name !== '*' && !known.has(name))
      throw invalid(pointer(i), 'unknown_plugin', `${name} is not a plugin of this installation`);
  });
}

/** Changes a plan or niche package, and notifies every process for each tenant that has it. */
export async function changeFor(
  ctx: PlatformCtx,
  column: 'plan_id' | 'niche_package_id',
  id: string,
  change: () => Promise<unknown>,
): Promise<void> {
  const ids = await tenantsOf(ctx, column, id);
  await licensedChange(ctx, ids, async () => {
    await change();
    for (const tenantId of ids) await ctx.require(tenants).update(tenantId, {});
  });
}
export async function tenantsOf(ctx: PlatformCtx, column: 'plan_id' | 'niche_package_id', id: string): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(sql`select id from core_tenant where ${sql.id(column)} = ${id} order by id`);
  return rows.map((row) => row.id);
}

const plansList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    code: { field: code },
    active: { field: f.bool(), operators: ['eq'] },
  },
  sorts: { code: { column: 't.code', type: 'text' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: 'createdAt',
});

const grants = z.strictObject({
  plugins: z.array(z.string().max(120)).max(500),
  features: z.record(z.string().max(120), z.boolean()).default({}),
});

export const planRoutes = [
  platformRoute('GET', '/plans', { summary: 'Plans', query: plansList, response: planShape, list: true }, (ctx, req) =>
    plansList.run<Plan>(ctx, req.query, { select: columns, from: sql`core_plan t` }),
  ),
  platformRoute(
    'POST',
    '/plans',
    { summary: 'Make a plan', body: fields, response: planShape, status: 201, problems: ['duplicate'] },
    async (ctx, req) => {
      const { body } = req;
      checkLimits(body.limits);
      const ms = ctx.clock.ms();
      const now = new Date(ms).toISOString();
      const id = uuidv7(ms);
      await ctx.db.run(sql`insert into core_plan (id, code, name, price_amount, price_currency, limits, active, created_at, updated_at)
      values (${id}, ${body.code}, ${body.name}, ${body.price?.amount ?? null}, ${body.price?.currency ?? null}, ${JSON.stringify(body.limits)}::jsonb, ${body.active}, ${now}, ${now})`);
      const plan = (await findPlan(ctx, id)) as Plan;
      await ctx.audit({ entity: 'platform.plan', entityId: id, action: 'platform.plan.create', before: null, after: plan });
      return created(`/plans/${id}`, plan);
    },
  ),
  platformRoute(
    'PATCH',
    '/plans/{id}',
    {
      summary: 'Change or close a plan',
      body: fields,
      response: planShape,
      problems: ['duplicate', 'in_use', 'version_conflict'],
    },
    async (ctx, req) => {
      const patch = req.body as Partial<Plan>;
      const before = await requirePlan(ctx, req.params.id as string, req.ifMatch);
      if (isEmptyPatch(patch)) return before;
      checkLimits(patch.limits);
      if (patch.code !== undefined && patch.code !== before.code) {
        const tenantCount = (await tenantsOf(ctx, 'plan_id', before.id)).length;
        if (tenantCount > 0)
          throw problem('in_use', { detail: "The code of a plan with tenants can't change.", counts: { tenants: tenantCount } });
      }
      const next = { ...before, ...patch, limits: patch.limits ?? before.limits };
      await ctx.db.run(sql`update core_plan set code = ${next.code}, name = ${next.name}, price_amount = ${next.price?.amount ?? null}, price_currency = ${next.price?.currency ?? null},
        limits = ${JSON.stringify(next.limits)}::jsonb, active = ${next.active}, updated_at = ${ctx.clock.now()}, version = version + 1 where id = ${before.id}`);
      const after = (await findPlan(ctx, before.id)) as Plan;
      await ctx.audit({ entity: 'platform.plan', entityId: before.id, action: 'platform.plan.update', before, after });
      return after;
    },
  ),
  platformRoute(
    'PATCH',
    '/plans/{id}/permissions',
    {
      summary: 'Replace the plugins and features of a plan',
      body: grants,
      partial: false,
      response: planShape,
      problems: ['version_conflict', 'license_required'],
    },
    async (ctx, req) => {
      const before = await requirePlan(ctx, req.params.id as string, req.ifMatch);
      const plugins = [...new Set(req.body.plugins)];
      checkPlugins(ctx, req.body.plugins, (i) => `/plugins/${i}`);
      await changeFor(ctx, 'plan_id', before.id, () =>
        ctx.db.run(sql`update core_plan set plugins = ${JSON.stringify(plugins)}::jsonb, features = ${JSON.stringify(req.body.features)}::jsonb,
          updated_at = ${ctx.clock.now()}, version = version + 1 where id = ${before.id}`),
      );
      const after = (await findPlan(ctx, before.id)) as Plan;
      await ctx.audit({ entity: 'platform.plan', entityId: before.id, action: 'platform.plan.update', before, after });
      return after;
    },
  ),
];
