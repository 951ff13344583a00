import { accounts } from '@storeloom/plugin-identity/contract';
import {
  type Ctx,
  checkVersion,
  commitThen,
  f,
  invalid,
  type JobData,
  list,
  type PlatformCtx,
  type PlatformJob,
  platformRoute,
  problem,
  type RowOf,
  referenceNotFound,
  responseShape,
  type Shape,
  sql,
  tenants,
  uuidPattern,
} from '@storeloom/plugin-sdk';
import { licensedChange } from '../licence/licensed-change.ts';
import { findNiche } from '../plan/niche-packages.ts';
import { findPlan, type Plan } from '../plan/plans.ts';
import { requireRoomForHosts } from '../plan/quotas.ts';
import { queued } from '../queued.ts';

export const statuses = ['provisioning', 'trial', 'active', 'past_due', 'suspended', 'terminated'] as const;

export interface TenantView {
  id: string;
  slug: string;
  name: string;
  status: (typeof statuses)[number];
  hosts: string[];
  planId: string | null;
  /** Code. */
  nichePackage: string | null;
  operator: boolean;
  timezone: string;
  currency: string;
  locales: string[];
  defaultLocale: string;
  priceMode: 'gross' | 'net';
  createdAt: string;
  updatedAt: string;
  version: number;
}

export const tenantShape = responseShape({
  slug: f.slug(),
  name: f.text(),
  status: f.oneOf(statuses),
  hosts: f.list(f.text({ max: 253 })),
  planId: f.id().optional(),
  nichePackage: f.text().optional(),
  operator: f.bool().readonly(),
  timezone: f.timeZone(),
  currency: f.text(),
  locales: f.list(f.text()),
  defaultLocale: f.text(),
  priceMode: f.oneOf(['gross', 'net']),
});

const columns = sql`t.id, t.slug, t.name, t.status, t.plan_id as "planId", n.code as "nichePackage", t.operator, t.timezone, t.currency, t.locales,
  t.default_locale as "defaultLocale", t.price_mode as "priceMode", t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
  coalesce((select json_agg(h.host order by h.position, h.host) from core_host h where h.tenant_id = t.id), '[]') as hosts`;
const from = sql`core_tenant t left join core_niche_package n on n.id = t.niche_package_id`;

export async function requireTenant(ctx: Pick<Ctx, 'db'>, id: string, { lock = false } = {}): Promise<TenantView> {
  // A separate statement, so that the next one reads the committed state.
  if (lock) await ctx.db.rows(sql`select id from core_tenant where id = ${id} for update`);
  const row = await ctx.db.first<TenantView>(sql`select ${columns} from ${from} where t.id = ${id}`);
  if (!row) throw problem('not_found');
  return row;
}

const tenantsList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    status: { field: f.oneOf(statuses) },
    slug: { field: f.slug() },
    planId: { field: f.id(), operators: ['eq', 'in'] },
  },
  sorts: {
    name: { column: 't.name', type: 'text' },
    slug: { column: 't.slug', type: 'text' },
    createdAt: { column: 't.created_at', type: 'timestamptz' },
  },
  defaultSort: '-createdAt',
  search: (q) => sql`(strpos(lower(t.name), lower(${q})) > 0 or strpos(t.slug, lower(${q})) > 0
    or exists (select from core_host h where h.tenant_id = t.id and strpos(h.host, lower(${q})) > 0))`,
});

export const newTenant = {
  name: f.text(),
  slug: f.slug(),
  hosts: f.list(f.text({ max: 253 }), { min: 1, max: 20 }),
  planId: f.id(),
  ownerEmail: f.email(),
  nichePackage: f.text({ max: 64 }).optional(),
  status: f.oneOf(['provisioning', 'trial', 'active']).default('active'),
} satisfies Shape;

/** An active plan, or 404 with the pointer. */
async function requireOpenPlan(ctx: PlatformCtx, id: string): Promise<Plan> {
  const plan = await findPlan(ctx, id, { lock: true });
  if (!plan) throw referenceNotFound('/planId');
  if (!plan.active) throw invalid('/planId', 'plan_closed', 'the plan is closed');
  return plan;
}

export async function nicheIdOf(ctx: PlatformCtx, given: string | null): Promise<string | null> {
  if (given === null) return null;
  const niche = await findNiche(ctx, uuidPattern.test(given) ? { id: given } : { code: given }, { lock: true });
  if (!niche) throw referenceNotFound('/nichePackage');
  return niche.id;
}

type NewTenant = RowOf<typeof newTenant>;

/** Creates a tenant in the open transaction; its owner is invited afterwards, by a job if the process ends before. */
export async function createTenant(
  ctx: PlatformCtx,
  { planId, nichePackage, ownerEmail, ...values }: NewTenant,
): Promise<TenantView> {
  const { limits } = await requireOpenPlan(ctx, planId);
  requireRoomForHosts(limits, values.hosts, 0);
  const nichePackageId = await nicheIdOf(ctx, nichePackage);
  const { id } = await ctx.require(tenants).create({ ...values, planId, nichePackageId });
  const made = await requireTenant(ctx, id);
  await ctx.audit({ entity: 'platform.tenant', entityId: id, action: 'platform.tenant.create', before: null, after: made });
  // The owner is written in the tenant's own scope, after this commit. Should the process die between, a job does it.
  await ctx.enqueue(queued.owner, { tenantId: id, email: ownerEmail }, { startAfter: 60 });
  return made;
}

const create = platformRoute(
  'POST',
  '/tenants',
  {
    summary: 'Make a tenant and invite its owner',
    body: newTenant,
    response: { ...tenantShape, invitation: f.object({ url: f.url(), token: f.text(), expiresAt: f.instant() }).optional() },
    status: 201,
    problems: ['duplicate', 'license_required', 'quota_exceeded'],
  },
  async (ctx, req) => {
    const made = await createTenant(ctx, req.body);
    const { id } = made;
    return commitThen(
      201,
      { ...made, invitation: null as { url: string; token: string; expiresAt: string } | null },
      async (after: PlatformCtx) => ({ ...made, invitation: await inviteOwner(after, id, req.body.ownerEmail) }),
      { location: `/tenants/${id}` },
    );
  },
);

export async function inviteOwner(
  ctx: PlatformCtx,
  tenantId: string,
  email: string,
): Promise<{ url: string; token: string; expiresAt: string } | null> {
  return ctx.withTenant(
    tenantId,
    async (tenant) => (await tenant.require(accounts).createOwner({ email, name: email })).invitation,
  );
}

/** Makes the owner of a tenant that never got anybody. */
export const ownerJob: PlatformJob<JobData<typeof queued.owner>> = {
  platform: true,
  async run(ctx, { tenantId, email }) {
    const staffed = await ctx.withTenant(tenantId, (tenant) => tenant.require(accounts).everStaffed(), { readOnly: true });
    if (!staffed) await inviteOwner(ctx, tenantId, email);
  },
};

/** Every tenant, the newest first. */
export const allTenants = (ctx: Pick<Ctx, 'db'>): Promise<TenantView[]> =>
  ctx.db.rows<TenantView>(sql`select ${columns} from ${from} order by t.created_at desc, t.id`);

export const tenantRoutes = [
  platformRoute('GET', '/tenants', { summary: 'Tenants', query: tenantsList, response: tenantShape, list: true }, (ctx, req) =>
    tenantsList.run<TenantView>(ctx, req.query, { select: columns, from }),
  ),
  create,
  platformRoute('GET', '/tenants/{id}', { summary: 'One tenant', response: tenantShape }, (ctx, req) =>
    requireTenant(ctx, req.params.id as string),
  ),
  platformRoute(
    'PATCH',
    '/tenants/{id}/plan',
    {
      summary: 'Move the tenant to another plan',
      body: { planId: f.id() },
      partial: false,
      response: tenantShape,
      problems: ['version_conflict', 'license_required'],
    },
    async (ctx, req) => {
      const before = await requireTenant(ctx, req.params.id as string, { lock: true });
      checkVersion(req.ifMatch, before);
      if (before.planId === req.body.planId) return before;
      await requireOpenPlan(ctx, req.body.planId);
      await licensedChange(ctx, [before.id], () => ctx.require(tenants).update(before.id, { planId: req.body.planId }));
      const after = await requireTenant(ctx, before.id);
      await ctx.audit({ entity: 'platform.tenant', entityId: before.id, action: 'platform.tenant.plan', before, after });
      return after;
    },
  ),
];
