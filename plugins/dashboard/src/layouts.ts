import { accounts } from '@storeloom/plugin-identity/contract';
import {
  type Ctx,
  checkReferences,
  checkVersion,
  created,
  f,
  list,
  notFound,
  problem,
  type RowOf,
  route,
  sql,
  table,
} from '@storeloom/plugin-sdk';
import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { checkItems, type Item, items } from './items.ts';
import { presetOf } from './preset.ts';

export const layout = table(
  'layout',
  {
    userId: f.id(),
    /** Null: what the user sees now. */
    name: f.text({ max: 80 }).optional(),
    items,
    sharedAll: f.bool().default(false),
    sharedRoleIds: f.list(f.id(), { max: 100 }).default([]),
  },
  {
    uniques: [{ name: 'dashboard_layout_present_key', fields: ['userId'], where: 'name is null' }],
    sqlOnly: { dashboard_layout_name_key: 'expression: the name is compared without regard to case' },
  },
);

/** Returns the id of the caller, who owns the dashboard. */
function ownId(ctx: Ctx): string {
  if (ctx.actor.type !== 'staff') throw problem('forbidden');
  return ctx.actor.userId;
}

/** What the caller sees: as they arranged it, else the preset. */
export async function presentLayout(ctx: Ctx): Promise<{ items: Item[]; version: number }> {
  const row = await ctx.rows(layout).first({ userId: ownId(ctx), name: null });
  return row ? { items: row.items, version: row.version } : { items: (await presetOf(ctx)).items, version: 0 };
}

async function savePresent(ctx: Ctx, wanted: Item[], ifMatch: number | undefined): Promise<{ items: Item[]; version: number }> {
  const userId = ownId(ctx);
  const now = ctx.clock.now();
  const before = await presentLayout(ctx);
  checkVersion(ifMatch, before);
  checkItems(ctx, wanted, before.items);
  const guard = ifMatch === undefined ? sql`` : sql` where l.version = ${ifMatch}`;
  const written = await ctx.db.run(sql`insert into dashboard_layout as l (tenant_id, id, user_id, items, created_at, updated_at)
    values (${ctx.tenant.id}, ${crypto.randomUUID()}, ${userId}, ${JSON.stringify(wanted)}::jsonb, ${now}, ${now})
    on conflict (tenant_id, user_id) where name is null
    do update set items = excluded.items, updated_at = excluded.updated_at, version = l.version + 1${guard}`);
  if (written === 0) throw problem('version_conflict');
  return presentLayout(ctx);
}

const layouts = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    own: {
      field: f.bool(),
      operators: ['eq'],
      // The list contains own and shared layouts only: those of other users are shared.
      where: (_operator, value) => (value ? sql`t.own` : sql`not t.own`),
    },
  },
  sorts: { name: { column: 't.name', type: 'text' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: 'name',
});
const columns = sql`t.id, t.name, t.items, t.own, t.shared_all as "sharedAll", case when t.own then t.shared_role_ids else '[]' end as "sharedRoleIds",
  t.created_at as "createdAt", t.updated_at as "updatedAt", t.version`;
const shown = {
  id: f.id(),
  name: f.text(),
  items,
  /** Another's is shared with the caller, and read only. */
  own: f.bool(),
  sharedAll: f.bool(),
  sharedRoleIds: f.list(f.id()),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
};

/** Named layouts of the caller, and those that others share with everybody or with a role of the caller. */
function visible(ctx: Ctx, userId: string) {
  return sql`(select l.*, l.user_id = ${userId} as own from dashboard_layout l where l.tenant_id = ${ctx.tenant.id} and l.name is not null) t`;
}
async function mayRead(ctx: Ctx, userId: string) {
  const roles = await ctx.require(accounts).roleIds(userId);
  return sql`(t.own or t.shared_all or exists (select from jsonb_array_elements_text(t.shared_role_ids) r where r = any(${roles}::text[])))`;
}
async function one(ctx: Ctx, id: string): Promise<RowOf<typeof shown>> {
  const row = await ctx.db.first<RowOf<typeof shown>>(
    sql`select ${columns} from ${visible(ctx, ownId(ctx))} where t.id = ${id} and t.own`,
  );
  if (!row) throw notFound();
  return row;
}

const mostLayouts = 50;
const present = { items, version: f.int() };
const share = { roleIds: f.list(f.ref('identity.role'), { max: 100 }).optional(), all: f.bool().optional() };

export const layoutRoutes = [
  route(
    'GET',
    '/dashboard/layout',
    { permission: 'dashboard.layout.read', summary: 'How the own dashboard is arranged', response: present },
    (ctx) => presentLayout(ctx),
  ),
  route(
    'PATCH',
    '/dashboard/layout',
    {
      permission: 'dashboard.layout.update',
      summary: 'Arrange the own dashboard',
      body: { items },
      partial: false,
      response: present,
      problems: ['version_conflict'],
    },
    (ctx, req) => savePresent(ctx, req.body.items, req.ifMatch),
  ),
  route(
    'GET',
    '/dashboard/layouts',
    {
      permission: 'dashboard.layout.read',
      summary: 'Kept layouts, own and shared ones',
      query: layouts,
      response: shown,
      list: true,
    },
    async (ctx, req) => {
      const userId = ownId(ctx);
      return layouts.run<RowOf<typeof shown>>(ctx, req.query, {
        select: columns,
        from: visible(ctx, userId),
        where: await mayRead(ctx, userId),
      });
    },
  ),
  route(
    'POST',
    '/dashboard/layouts',
    {
      permission: 'dashboard.layout.update',
      summary: 'Keep a layout under a name',
      body: { name: f.text({ max: 80 }), items, shared: f.bool().default(false) },
      response: shown,
      status: 201,
      problems: ['duplicate', 'conflict'],
    },
    async (ctx, req) => {
      const { name, items: wanted, shared } = req.body;
      const userId = ownId(ctx);
      checkItems(ctx, wanted, (await presentLayout(ctx)).items);
      if ((await ctx.rows(layout).count({ userId })) > mostLayouts)
        throw problem('conflict', { detail: `A user can save at most ${mostLayouts} layouts. Remove one first.` });
      const { id } = await ctx.rows(layout).insert({ userId, name, items: wanted, sharedAll: shared });
      const made = await one(ctx, id);
      if (shared) await ctx.audit({ entity: 'dashboard.layout', entityId: id, before: null, after: { name, sharedAll: true } });
      return created(`/dashboard/layouts/${id}`, made);
    },
  ),
  route(
    'POST',
    '/dashboard/layouts/{id}/share',
    {
      permission: 'dashboard.layout.share',
      summary: 'Share an own layout with roles or with all staff; with all false and no roles it is private',
      body: share,
      partial: false,
      response: shown,
      problems: ['not_found'],
    },
    async (ctx, req) => {
      const id = req.params.id as string;
      const before = await one(ctx, id);
      const { roleIds, all } = req.body;
      if ((roleIds === null) === (all === null))
        throw problem('validation_failed', {
          errors: [{ pointer: '/roleIds', code: 'required', message: 'must contain either roles or all' }],
        });
      await checkReferences(ctx, share, req.body);
      const change = { sharedAll: all === true, sharedRoleIds: [...new Set(roleIds ?? [])] };
      if (
        change.sharedAll !== before.sharedAll ||
        JSON.stringify(change.sharedRoleIds) !== JSON.stringify(before.sharedRoleIds)
      ) {
        await ctx.rows(layout).update(id, change);
        await ctx.audit({ entity: 'dashboard.layout', entityId: id, before, after: { ...before, ...change } });
      }
      return one(ctx, id);
    },
  ),
  route(
    'POST',
    '/dashboard/layouts/reset',
    { permission: 'dashboard.layout.update', summary: 'Arrange the own dashboard as the preset', response: present },
    async (ctx) => {
      await ctx.rows(layout).removeWhere({ userId: ownId(ctx), name: null });
      return presentLayout(ctx);
    },
  ),
];

export const { exportPerson, erasePerson } = personalTaps(personalRows({ table: layout, erased: 'removed' }));
