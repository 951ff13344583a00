import { type Ctx, type PlatformCtx, parseBody, problem, provide, type RowOf, sql, tenants } from '@storeloom/plugin-sdk';
import { type TenantOperations, tenantOperations } from '../contract.ts';
import { changeTenant } from './change.ts';
import { allTenants, createTenant, inviteOwner, newTenant, requireTenant, type TenantView } from './tenants.ts';

async function planIdOf(ctx: PlatformCtx, code: string | undefined): Promise<string> {
  const plans = await ctx.db.rows<{ id: string; code: string }>(sql`select id, code from core_plan where active order by code`);
  const [only] = plans;
  const chosen = code === undefined && plans.length === 1 ? only : plans.find((plan) => plan.code === code);
  if (chosen) return chosen.id;
  const known =
    plans.length === 0
      ? 'there is none: create one in the super-admin'
      : `there are ${plans.map((plan) => plan.code).join(', ')}`;
  throw problem('validation_failed', {
    detail: code === undefined ? `Name a plan; ${known}.` : `There is no open plan ${code}; ${known}.`,
    errors: [{ pointer: '/plan', code: code === undefined ? 'required' : 'not_found', message: known }],
  });
}

async function bySlug(ctx: PlatformCtx, slug: string): Promise<TenantView> {
  const found = await ctx.require(tenants).bySlug(slug);
  if (!found) throw problem('not_found', { detail: `There is no tenant ${slug}.` });
  return requireTenant(ctx, found.id, { lock: true });
}

const operations = (ctx: PlatformCtx): TenantOperations => ({
  async create({ plan, ...values }) {
    const { made, ownerEmail } = await ctx.transaction(async (tx) => {
      const body = (await parseBody(newTenant, { ...values, planId: await planIdOf(tx, plan) }, { partial: false })) as RowOf<
        typeof newTenant
      >;
      return { made: await createTenant(tx, body), ownerEmail: body.ownerEmail };
    });
    await inviteOwner(ctx, made.id, ownerEmail);
    return made;
  },
  list: () => ctx.transaction((tx) => allTenants(tx)),
  changeHosts: (slug, change) =>
    ctx.transaction(async (tx) => {
      const before = await bySlug(tx, slug);
      const hosts = change(before.hosts);
      return hosts.join() === before.hosts.join() ? before : changeTenant(tx, before, { hosts });
    }),
});

/** For the operator's command line, with the rules of the routes: no tenant has a part in it. */
export const tenantOperationsProvider = provide(tenantOperations, (ctx: Ctx | PlatformCtx) => {
  if (ctx.tenant !== null) throw new Error('tenants are managed as the platform, not in a tenant');
  return operations(ctx);
});
