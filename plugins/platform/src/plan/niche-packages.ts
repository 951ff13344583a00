import {
  type Ctx,
  checkVersion,
  created,
  f,
  invalid,
  isEmptyPatch,
  list,
  noContent,
  type PlatformCtx,
  platformRoute,
  problem,
  responseShape,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import semver from 'semver';
import { changeFor, checkPlugins, code, tenantsOf } from './plans.ts';

export interface NichePackage {
  id: string;
  code: string;
  name: Record<string, string>;
  plugins: { name: string; range: string | null }[];
  preset: Record<string, unknown> | null;
  seeds: Record<string, unknown> | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

const fields = {
  code,
  name: f.i18n(),
  plugins: f.list(f.object({ name: f.text({ max: 80 }), range: f.text({ max: 100 }).optional() }), { max: 300 }),
  /** Layout of the dashboard. */
  preset: f.json({ max: 100_000 }).optional().describe('What a dashboard begins with.'),
  seeds: f.json({ max: 100_000 }).optional().describe('What a new shop begins with.'),
} satisfies Shape;
const shape = responseShape(fields);

const columns = sql`t.id, t.code, t.name, t.plugins, t.preset, t.seeds, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;

export async function findNiche(
  ctx: Pick<Ctx, 'db'>,
  by: { id: string } | { code: string },
  options: { lock?: boolean } = {},
): Promise<NichePackage | undefined> {
  const where = 'id' in by ? sql`t.id = ${by.id}` : sql`t.code = ${by.code}`;
  return ctx.db.first<NichePackage>(
    sql`select ${columns} from core_niche_package t where ${where}${options.lock ? sql` for update` : sql``}`,
  );
}
async function requireNiche(ctx: PlatformCtx, id: string, ifMatch: number | undefined): Promise<NichePackage> {
  const niche = await findNiche(ctx, { id }, { lock: true });
  if (!niche) throw problem('not_found');
  checkVersion(ifMatch, niche);
  return niche;
}

/** A plain string has no language, so it is used for both. */
const texts = (name: unknown): Record<string, string> =>
  typeof name === 'string' ? { ro: name, en: name } : (name as Record<string, string>);

function checkChosen(ctx: PlatformCtx, plugins: readonly { name: string; range: string | null }[]): void {
  checkPlugins(
    ctx,
    plugins.map(({ name }) => name),
    (i) => `/plugins/${i}/name`,
  );
  plugins.forEach(({ range }, i) => {
    if (range !== null && semver.validRange(range) === null)
      throw invalid(`/plugins/${i}/range`, 'invalid', 'is not a version range');
  });
}
const json = (value: unknown) => (value === null || value === undefined ? sql`null` : sql`${JSON.stringify(value)}::jsonb`);

const nichesList = list({
  filters: { id: { field: f.id(), operators: ['eq', 'in'] }, code: { field: code } },
  sorts: { code: { column: 't.code', type: 'text' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: 'code',
});

export const nicheRoutes = [
  platformRoute(
    'GET',
    '/niche-packages',
    { summary: 'Niche packages', query: nichesList, response: shape, list: true },
    (ctx, req) => nichesList.run<NichePackage>(ctx, req.query, { select: columns, from: sql`core_niche_package t` }),
  ),
  platformRoute(
    'POST',
    '/niche-packages',
    { summary: 'Make a niche package', body: fields, response: shape, status: 201, problems: ['duplicate'] },
    async (ctx, req) => {
      const { body } = req;
      checkChosen(ctx, body.plugins);
      const ms = ctx.clock.ms();
      const now = new Date(ms).toISOString();
      const id = uuidv7(ms);
      await ctx.db.run(sql`insert into core_niche_package (id, code, name, plugins, preset, seeds, created_at, updated_at)
        values (${id}, ${body.code}, ${json(texts(body.name))}, ${json(body.plugins)}, ${json(body.preset)}, ${json(body.seeds)}, ${now}, ${now})`);
      const niche = (await findNiche(ctx, { id })) as NichePackage;
      await ctx.audit({
        entity: 'platform.niche-package',
        entityId: id,
        action: 'platform.niche-package.create',
        before: null,
        after: niche,
      });
      return created(`/niche-packages/${id}`, niche);
    },
  ),
  platformRoute(
    'PATCH',
    '/niche-packages/{id}',
    {
      summary: 'Change a niche package',
      body: fields,
      response: shape,
      problems: ['duplicate', 'version_conflict', 'license_required'],
    },
    async (ctx, req) => {
      const patch = req.body as Partial<NichePackage>;
      const before = await requireNiche(ctx, req.params.id as string, req.ifMatch);
      if (isEmptyPatch(patch)) return before;
      if (patch.plugins) checkChosen(ctx, patch.plugins);
      const next = { ...before, ...patch };
      await changeFor(ctx, 'niche_package_id', before.id, () =>
        ctx.db.run(sql`update core_niche_package set code = ${next.code}, name = ${json(texts(next.name))}, plugins = ${json(next.plugins)}, preset = ${json(next.preset)},
          seeds = ${json(next.seeds)}, updated_at = ${ctx.clock.now()}, version = version + 1 where id = ${before.id}`),
      );
      const after = (await findNiche(ctx, { id: before.id })) as NichePackage;
      await ctx.audit({
        entity: 'platform.niche-package',
        entityId: before.id,
        action: 'platform.niche-package.update',
        before,
        after,
      });
      return after;
    },
  ),
  platformRoute(
    'DELETE',
    '/niche-packages/{id}',
    { summary: 'Remove a niche package', status: 204, problems: ['in_use', 'version_conflict'] },
    async (ctx, req) => {
      const before = await requireNiche(ctx, req.params.id as string, req.ifMatch);
      const users = (await tenantsOf(ctx, 'niche_package_id', before.id)).length;
      if (users > 0) throw problem('in_use', { detail: 'The niche package is used by tenants.', counts: { tenants: users } });
      await ctx.db.run(sql`delete from core_niche_package where id = ${before.id}`);
      await ctx.audit({
        entity: 'platform.niche-package',
        entityId: before.id,
        action: 'platform.niche-package.delete',
        before,
        after: null,
      });
      return noContent();
    },
  ),
];
