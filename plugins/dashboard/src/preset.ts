import {
  type Ctx,
  checkVersion,
  f,
  invalid,
  licence,
  Problem,
  parseBody,
  problem,
  route,
  sql,
  tenants,
} from '@storeloom/plugin-sdk';
import { arranged, checkItems, type Item, items, widgets } from './items.ts';

interface Niche {
  code: string;
  preset: Record<string, unknown> | null;
}

async function nicheOf(ctx: Ctx): Promise<Niche | undefined> {
  const service = ctx.require(tenants);
  const id = (await service.get(ctx.tenant.id))?.nichePackageId ?? null;
  return id === null ? undefined : service.niche({ id });
}

/** The package's layout, without widgets that this shop doesn't have; undefined where it has none that fits. */
async function ofPackage(ctx: Ctx, niche: Niche | undefined): Promise<Item[] | undefined> {
  if (!niche?.preset) return undefined;
  try {
    const parsed = (await parseBody({ items }, { items: niche.preset.items }, { partial: false })) as { items: Item[] };
    const known = new Set(widgets(ctx).map(({ key }) => key));
    const shown = parsed.items.filter(({ widget }) => known.has(widget));
    checkItems(ctx, shown);
    return shown;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    ctx.log.warn({ plugin: 'dashboard', niche: niche.code, reason: error.message }, 'the preset of a niche package is no layout');
    return undefined;
  }
}

/** What a dashboard begins with: the shop's own word, else the niche's, else every widget. */
export async function presetOf(ctx: Ctx): Promise<{ niche: string | null; items: Item[]; version: number }> {
  const niche = await nicheOf(ctx);
  const own = await ctx.db.first<{ items: Item[]; version: number }>(
    sql`select items, version from dashboard_preset where tenant_id = ${ctx.tenant.id} and niche = ${niche?.code ?? ''}`,
  );
  return {
    niche: niche?.code ?? null,
    items: own?.items ?? (await ofPackage(ctx, niche)) ?? arranged(ctx),
    version: own?.version ?? 0,
  };
}

const response = { niche: f.text().optional(), items, version: f.int() };

export const presetRoutes = [
  route(
    'GET',
    '/dashboard/preset',
    { permission: 'dashboard.preset.read', summary: "What a dashboard begins with in the shop's niche", response },
    (ctx) => presetOf(ctx),
  ),
  route(
    'PUT',
    '/dashboard/preset',
    {
      permission: 'dashboard.preset.update',
      summary: "What a dashboard begins with in the shop's niche from now on",
      body: { items },
      response,
      problems: ['version_conflict'],
    },
    async (ctx, req) => {
      const before = await presetOf(ctx);
      checkVersion(req.ifMatch, before);
      checkItems(ctx, req.body.items, before.items);
      const written = await ctx.db.run(sql`insert into dashboard_preset as p (tenant_id, niche, items, updated_at)
        values (${ctx.tenant.id}, ${before.niche ?? ''}, ${JSON.stringify(req.body.items)}::jsonb, ${ctx.clock.now()})
        on conflict (tenant_id, niche) do update set items = excluded.items, updated_at = excluded.updated_at, version = p.version + 1
        where p.version = ${before.version}`);
      // Another request was first.
      if (written === 0) throw problem('version_conflict');
      const after = await presetOf(ctx);
      await ctx.audit({ entity: 'dashboard.preset', entityId: null, before, after });
      return after;
    },
  ),
  route(
    'PATCH',
    '/dashboard/niche',
    {
      permission: 'dashboard.niche.update',
      summary: 'Choose the niche: what a dashboard begins with, and which plugins of the plan are on by default',
      // Each installation has its own niches, so there is no example.
      body: { niche: f.text({ max: 80 }).example(null) },
      partial: false,
      response: { niche: f.text() },
      problems: ['license_required'],
    },
    async (ctx, req) => {
      const service = ctx.require(tenants);
      const niche = await service.niche({ code: req.body.niche });
      if (!niche) throw invalid('/niche', 'unknown', 'is not a niche of this installation');
      const before = await nicheOf(ctx);
      if (before?.code === niche.code) return { niche: niche.code };
      // Another niche may have plugins that aren't on yet.
      const { state } = ctx.require(licence).view();
      if (state === 'expired' || state === 'revoked')
        throw problem('license_required', { detail: `The licence is ${state}. Plugins can't be switched on.` });
      await ctx.audit({
        entity: 'platform.tenant',
        entityId: ctx.tenant.id,
        before: { niche: before?.code ?? null },
        after: { niche: niche.code },
      });
      // Beside this transaction, so last: felt by every process on its next request.
      await service.update(ctx.tenant.id, { nichePackageId: niche.id });
      return { niche: niche.code };
    },
  ),
];
