import {
  type Ctx,
  checkVersion,
  decisions,
  f,
  invalid,
  listOf,
  type PluginStateRecord,
  pluginStates,
  problem,
  route,
  settingsRegistry,
} from '@storeloom/plugin-sdk';
import { takesNothingMore } from './licence/licensed-change.ts';

const params = { name: f.text({ max: 80 }) };
const row = {
  name: f.text(),
  version: f.text().optional(),
  state: f.oneOf(['not_installed', 'incompatible', 'unlicensed', 'blocked', 'failed', 'ready']),
  reason: f.object({ code: f.text(), message: f.text({ max: 4000 }) }).optional(),
  on: f.bool(),
  why: f.text(),
  entitlement: f.text(),
  foundation: f.bool(),
  requires: f.list(f.text()),
  /** What the plugin brings to the administration's screens. */
  screens: f.list(f.json().describe('A screen of the administration, as the plugin describes it.')),
};
const settingsShape = {
  name: f.text(),
  /** The tenant's own switch; null leaves it to plan and niche. */
  enabled: f.bool().optional(),
  on: f.bool(),
  why: f.text(),
  settings: f.json({ max: 1_000_000 }).describe('By the schema beside them; secrets are masked.'),
  schema: f.json({ max: 1_000_000 }).describe('JSON Schema of the settings.'),
  version: f.int(),
};

function requirePlugin(ctx: Ctx, name: string): PluginStateRecord {
  const found = ctx
    .require(pluginStates)
    .all()
    .find((record) => record.name === name);
  if (!found) throw problem('not_found');
  return found;
}

interface View {
  name: string;
  enabled: boolean | null;
  on: boolean;
  why: string;
  settings: Record<string, unknown>;
  schema: Record<string, unknown>;
  version: number;
}
async function viewOf(ctx: Ctx, name: string): Promise<View> {
  const service = ctx.require(decisions);
  const decision = (await service.all(ctx.tenant.id)).find(({ plugin }) => plugin === name);
  const enabled = (await service.switches(ctx.tenant.id))[name] ?? null;
  // A plugin that did not load has told no settings.
  const read = () => ctx.transaction((tx) => ctx.require(settingsRegistry).ofPlugin(tx, name), { readOnly: true });
  const own = (await read()) ?? { settings: {}, schema: {}, version: 0 };
  return { name, enabled, on: decision?.on ?? false, why: decision?.why ?? 'not_installed', ...own };
}

/** Nothing more is switched on when the licence is over; what runs goes on. */
function requireLicence(ctx: Ctx, view: View): void {
  const state = takesNothingMore(ctx);
  if (!view.on && state !== undefined)
    throw problem('license_required', {
      detail: `The licence is ${state}. Plugins can't be switched on.`,
      plugins: [view.name],
    });
}

export const pluginRoutes = [
  route(
    'GET',
    '/plugins/',
    {
      permission: 'platform.plugin.read',
      summary: 'Plugins of the installation, and which are on',
      response: row,
      list: true,
      // Decisions are read as the platform role: don't hold two connections.
      transaction: 'none',
    },
    async (ctx) => {
      const decided = new Map((await ctx.require(decisions).all(ctx.tenant.id)).map((decision) => [decision.plugin, decision]));
      return listOf(
        ctx
          .require(pluginStates)
          .all()
          .map(({ package: _, ...record }) => ({
            ...record,
            on: decided.get(record.name)?.on ?? false,
            why: decided.get(record.name)?.why ?? record.state,
            screens: ctx
              .require(pluginStates)
              .screens(record.name)
              .map((screen) => ({ ...screen })),
          })),
      );
    },
  ),
  route(
    'GET',
    '/plugins/{name}/settings',
    {
      permission: 'platform.plugin.read',
      params,
      summary: 'Switch and settings of a plugin',
      response: settingsShape,
      transaction: 'none',
    },
    (ctx, req) => viewOf(ctx, requirePlugin(ctx, req.params.name).name),
  ),
  route(
    'PUT',
    '/plugins/{name}/settings',
    {
      permission: 'platform.plugin.update',
      params,
      summary: 'Change switch and settings of a plugin',
      body: {
        enabled: f.bool().optional(),
        settings: f.json({ max: 200_000 }).describe('By the schema beside them; secrets are masked.'),
      },
      partial: true,
      response: settingsShape,
      transaction: 'none',
      problems: ['license_required', 'version_conflict'],
    },
    async (ctx, req) => {
      const { name, foundation } = requirePlugin(ctx, req.params.name);
      const { enabled, settings } = req.body as { enabled?: boolean | null; settings?: Record<string, unknown> };
      const before = await viewOf(ctx, name);
      checkVersion(req.ifMatch, before);
      if (foundation && typeof enabled === 'boolean')
        throw invalid('/enabled', 'foundation_plugin', 'the plugin is part of the foundation and always on');
      const switches = enabled !== undefined && enabled !== before.enabled;
      if (switches && enabled !== false) requireLicence(ctx, before);
      await ctx.transaction(async (tx) => {
        if (settings) await ctx.require(settingsRegistry).putPlugin(tx, name, settings, req.ifMatch);
        if (switches)
          await tx.audit({ entity: 'platform.plugin', entityId: name, before: { enabled: before.enabled }, after: { enabled } });
      });
      // After all checks: the switch is saved by the platform, and all processes use it immediately.
      if (switches) await ctx.require(decisions).setSwitch(ctx.tenant.id, name, enabled);
      return viewOf(ctx, name);
    },
  ),
];
