import {
  decisions,
  f,
  invalid,
  listOf,
  noContent,
  type PlatformCtx,
  platformRoute,
  pluginStates,
  problem,
  type Shape,
} from '@storeloom/plugin-sdk';
import { z } from 'zod';
import { licensedChange } from '../licence/licensed-change.ts';
import { checkPlugins } from '../plan/plans.ts';
import { requireTenant } from './tenants.ts';

const features = z.strictObject({ features: z.record(z.string().max(80), z.boolean()) });

const decisionShape = { plugin: f.text(), on: f.bool(), why: f.text() };
const overrideShape = { pluginId: f.text({ max: 80 }), enabled: f.bool(), reason: f.text({ max: 500 }) } satisfies Shape;

function requireOptional(ctx: PlatformCtx, plugin: string, pointer: string): void {
  checkPlugins(ctx, [plugin], () => pointer);
  if (plugin === '*') throw invalid(pointer, 'unknown_plugin', 'must contain one plugin');
  if (
    ctx
      .require(pluginStates)
      .all()
      .find(({ name }) => name === plugin)?.foundation
  )
    throw invalid(pointer, 'foundation_plugin', `${plugin} is part of the foundation and always on`);
}

/** What a tenant has of the plugins: its own switches, the operator's overrides, and what follows. */
export const tenantPluginRoutes = [
  platformRoute(
    'GET',
    '/tenants/{id}/features',
    { summary: "The tenant's own switches", response: { features: f.json().describe('Switch by plugin.') } },
    async (ctx, req) => {
      const { id } = await requireTenant(ctx, req.params.id as string);
      return { features: await ctx.require(decisions).switches(id) };
    },
  ),
  platformRoute(
    'PUT',
    '/tenants/{id}/features',
    {
      summary: "Replace the tenant's own switches",
      body: features,
      response: { features: f.json().describe('Switch by plugin.') },
      problems: ['license_required'],
    },
    async (ctx, req) => {
      const { id } = await requireTenant(ctx, req.params.id as string, { lock: true });
      const wanted = req.body.features;
      for (const plugin of Object.keys(wanted))
        requireOptional(ctx, plugin, `/features/${plugin.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      const service = ctx.require(decisions);
      const before = await service.switches(id);
      await licensedChange(ctx, [id], async () => {
        for (const plugin of Object.keys(before)) if (!Object.hasOwn(wanted, plugin)) await service.setSwitch(id, plugin, null);
        for (const [plugin, enabled] of Object.entries(wanted))
          if (before[plugin] !== enabled) await service.setSwitch(id, plugin, enabled);
      });
      const after = await service.switches(id);
      await ctx.audit({ entity: 'platform.tenant', entityId: id, action: 'platform.tenant.features', before, after });
      return { features: after };
    },
  ),
  platformRoute(
    'GET',
    '/tenants/{id}/permissions',
    { summary: 'For every plugin, whether the tenant has it, and why', response: decisionShape, list: true },
    async (ctx, req) => {
      const { id } = await requireTenant(ctx, req.params.id as string);
      return listOf(await ctx.require(decisions).all(id));
    },
  ),
  platformRoute(
    'PUT',
    '/tenants/{id}/plugin-overrides',
    {
      summary: 'Decide about one plugin of the tenant',
      body: overrideShape,
      response: overrideShape,
      problems: ['license_required'],
    },
    async (ctx, req) => {
      const { id } = await requireTenant(ctx, req.params.id as string, { lock: true });
      const { pluginId, enabled, reason } = req.body;
      requireOptional(ctx, pluginId, '/pluginId');
      const service = ctx.require(decisions);
      const before = (await service.overrides(id)).find(({ plugin }) => plugin === pluginId) ?? null;
      await licensedChange(ctx, [id], () => service.setOverride(id, pluginId, enabled, reason));
      await ctx.audit({ entity: 'platform.tenant', entityId: id, action: 'platform.tenant.override', before, after: req.body });
      return { pluginId, enabled, reason };
    },
  ),
  platformRoute(
    'DELETE',
    '/tenants/{id}/plugin-overrides/{pluginId}',
    { summary: 'Leave the plugin to plan, switch and niche again', params: { pluginId: f.text({ max: 80 }) }, status: 204 },
    async (ctx, req) => {
      const { id, pluginId } = req.params as { id: string; pluginId: string };
      await requireTenant(ctx, id, { lock: true });
      const service = ctx.require(decisions);
      const before = (await service.overrides(id)).find(({ plugin }) => plugin === pluginId);
      if (!before) throw problem('not_found');
      await licensedChange(ctx, [id], () => service.removeOverride(id, pluginId));
      await ctx.audit({
        entity: 'platform.tenant',
        entityId: id,
        action: 'platform.tenant.override',
        before,
        after: null,
      });
      return noContent();
    },
  ),
];
