import { type Ctx, f, invalid, problem, route, sql } from '@storeloom/plugin-sdk';

/** What a new shop is led through, in order; a step of a plugin that is off isn't there. */
const steps: readonly { key: string; plugin?: string }[] = [
  { key: 'store' },
  { key: 'currency' },
  { key: 'payment', plugin: 'payments' },
  { key: 'shipping', plugin: 'shipping' },
  { key: 'product', plugin: 'catalog' },
  { key: 'theme' },
  { key: 'domain' },
];

interface Stored {
  steps: Record<string, 'done' | 'skipped'>;
  dismissedAt: string | null;
  version: number;
}
const own = (ctx: Ctx): string[] => steps.filter(({ plugin }) => plugin === undefined || ctx.isOn(plugin)).map(({ key }) => key);

async function status(ctx: Ctx) {
  const stored = await ctx.db.first<Stored>(
    sql`select steps, dismissed_at as "dismissedAt", version from workspace_onboarding where tenant_id = ${ctx.tenant.id}`,
  );
  const shown = own(ctx).map((key) => ({
    key,
    done: stored?.steps[key] === 'done',
    skipped: stored?.steps[key] === 'skipped',
  }));
  return {
    steps: shown,
    current: shown.find(({ done, skipped }) => !done && !skipped)?.key ?? null,
    dismissedAt: stored?.dismissedAt ?? null,
    version: stored?.version ?? 0,
  };
}

const response = {
  steps: f.list(f.object({ key: f.text(), done: f.bool(), skipped: f.bool() })),
  /** The first that is neither done nor skipped. */
  current: f.text().optional(),
  dismissedAt: f.instant().optional(),
  version: f.int(),
};

async function changed(ctx: Ctx, change: () => Promise<number>) {
  const before = await status(ctx);
  if ((await change()) > 0) {
    const after = await status(ctx);
    await ctx.audit({ entity: 'workspace.onboarding', entityId: null, before, after });
    return after;
  }
  return before;
}

export const onboardingRoutes = [
  route(
    'GET',
    '/onboarding/status',
    { permission: 'workspace.onboarding.read', summary: 'How far the shop is set up', response },
    (ctx) => status(ctx),
  ),
  route(
    'PUT',
    '/onboarding/step',
    {
      permission: 'workspace.onboarding.update',
      summary: 'Say that a step is done, or skipped',
      body: { key: f.text({ max: 40 }).example('theme'), done: f.bool().optional(), skipped: f.bool().optional().example(null) },
      response,
    },
    async (ctx, req) => {
      const { key, done, skipped } = req.body;
      if (!own(ctx).includes(key)) throw invalid('/key', 'unknown', 'is not a step of this shop');
      if (done === skipped || (done !== true && skipped !== true))
        throw problem('validation_failed', {
          detail: 'Set either done or skipped.',
          errors: [{ pointer: '/done', code: 'required', message: 'either done or skipped must be true' }],
        });
      const now = ctx.clock.now();
      const mark = done === true ? 'done' : 'skipped';
      // A completed step stays completed, also with a simultaneous change.
      return changed(ctx, () =>
        ctx.db.run(sql`insert into workspace_onboarding as o (tenant_id, steps, updated_at)
          values (${ctx.tenant.id}, jsonb_build_object(${key}::text, ${mark}::text), ${now})
          on conflict (tenant_id) do update set steps = o.steps || excluded.steps, updated_at = excluded.updated_at, version = o.version + 1
          where coalesce(o.steps ->> ${key}, '') not in ('done', ${mark}::text)`),
      );
    },
  ),
  route(
    'PUT',
    '/onboarding/dismiss',
    { permission: 'workspace.onboarding.update', summary: 'Put the list away', response },
    (ctx) =>
      changed(ctx, () =>
        ctx.db.run(sql`insert into workspace_onboarding as o (tenant_id, dismissed_at, updated_at)
          values (${ctx.tenant.id}, ${ctx.clock.now()}, ${ctx.clock.now()})
          on conflict (tenant_id) do update set dismissed_at = excluded.dismissed_at, updated_at = excluded.updated_at, version = o.version + 1
          where o.dismissed_at is null`),
      ),
  ),
];
