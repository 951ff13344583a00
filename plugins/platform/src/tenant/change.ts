import {
  checkVersion,
  f,
  invalid,
  isEmptyPatch,
  type PlatformCtx,
  platformRoute,
  type Shape,
  tenants,
} from '@storeloom/plugin-sdk';
import { defineMachine } from '@storeloom/plugin-sdk/state';
import { licensedChange } from '../licence/licensed-change.ts';
import { findPlan } from '../plan/plans.ts';
import { requireRoomForHosts } from '../plan/quotas.ts';
import { nicheIdOf, requireTenant, statuses, type TenantView, tenantShape } from './tenants.ts';

type Status = (typeof statuses)[number];
const living = ['provisioning', 'trial', 'active', 'past_due', 'suspended'] as const;

/** A suspended shop can be read by its staff and does nothing else; a terminated one is closed for good. */
const tenantMachine = defineMachine<Status>({
  start: 'provisioning',
  states: statuses,
  moves: {
    try: { from: ['provisioning'], to: 'trial' },
    activate: { from: ['provisioning', 'trial', 'past_due', 'suspended'], to: 'active' },
    'fall-behind': { from: ['trial', 'active'], to: 'past_due' },
    suspend: { from: ['trial', 'active', 'past_due'], to: 'suspended' },
    terminate: { from: living, to: 'terminated' },
  },
});

const body = {
  name: f.text(),
  status: f.oneOf(statuses),
  hosts: f.list(f.text({ max: 253 }), { min: 1, max: 20 }),
  /** Code or id; null: the plan alone decides. */
  nichePackage: f.text({ max: 64 }).optional(),
} satisfies Shape;

interface TenantChange {
  name?: string;
  status?: Status;
  hosts?: string[];
  nichePackage?: string | null;
}

/** Changes a tenant in the open transaction; `before` is locked. */
export async function changeTenant(ctx: PlatformCtx, before: TenantView, change: TenantChange): Promise<TenantView> {
  const { name, status, hosts, nichePackage } = change;
  const moves = status !== undefined && tenantMachine.check(before.status, status) === 'move';
  if (moves && before.operator && (status === 'suspended' || status === 'terminated'))
    throw invalid('/status', 'operator_tenant', "the operator's own shop can't be closed");
  if (hosts !== undefined && before.planId !== null) {
    const plan = await findPlan(ctx, before.planId);
    requireRoomForHosts(plan?.limits ?? {}, hosts, before.hosts.length);
  }
  const niche = nichePackage === undefined ? {} : { nichePackageId: await nicheIdOf(ctx, nichePackage) };
  await licensedChange(ctx, [before.id], () =>
    ctx.require(tenants).update(before.id, {
      ...(name === undefined ? {} : { name }),
      ...(hosts === undefined ? {} : { hosts }),
      ...(moves ? { status } : {}),
      ...niche,
    }),
  );
  const after = await requireTenant(ctx, before.id);
  await ctx.audit({ entity: 'platform.tenant', entityId: before.id, action: 'platform.tenant.update', before, after });
  return after;
}

export const tenantChangeRoutes = [
  platformRoute(
    'PATCH',
    '/tenants/{id}',
    {
      summary: 'Rename a tenant, move it to another state, host or niche',
      body,
      response: tenantShape,
      additive: true,
      problems: ['invalid_transition', 'duplicate', 'license_required', 'quota_exceeded', 'version_conflict'],
    },
    async (ctx, req) => {
      const before = await requireTenant(ctx, req.params.id as string, { lock: true });
      checkVersion(req.ifMatch, before);
      return isEmptyPatch(req.body) ? before : changeTenant(ctx, before, req.body as TenantChange);
    },
  ),
];
