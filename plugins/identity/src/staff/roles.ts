import {
  type Ctx,
  checkVersion,
  created,
  f,
  invalid,
  list,
  noContent,
  permissions,
  problem,
  responseShape,
  route,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { forget } from '../session/sessions.ts';
import { role } from '../tables.ts';
import { covers, grantsOf, isKnown, type RoleGrant, systemRoles, unionOf } from './permissions.ts';

export interface Role extends RoleGrant {
  id: string;
  name: string;
  permissions: string[];
  system: boolean;
  /** How many have it. */
  users: number;
  createdAt: string;
  updatedAt: string;
  version: number;
}

const roleShape = responseShape({
  name: f.text({ max: 80 }),
  permissions: f.list(f.text(), { max: 5000 }),
  system: f.bool().readonly(),
  users: f.int().readonly(),
});
const body = {
  name: f.text({ max: 80 }),
  permissions: f.list(f.text({ max: 120 }), { max: 500 }).example(['identity.role.read']),
} satisfies Shape;

const columns = sql`t.id, t.name, t.permissions, t.system, t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
  (select count(*)::int from identity_user_role ur where ur.tenant_id = t.tenant_id and ur.role_id = t.id) as users`;

const declaredBy = (ctx: Ctx) => ctx.require(permissions).all();
function shown(ctx: Ctx, row: Role): Role {
  return { ...row, permissions: [...grantsOf(row, declaredBy(ctx))] };
}

export async function findRole(ctx: Ctx, id: string, options: { lock?: boolean } = {}): Promise<Role> {
  const row = await ctx.db.first<Role>(
    sql`select ${columns} from identity_role t where t.tenant_id = ${ctx.tenant.id} and t.id = ${id}${options.lock ? sql` for update of t` : sql``}`,
  );
  if (!row) throw problem('not_found');
  return row;
}
export async function rolesOf(ctx: Ctx, userId: string): Promise<Role[]> {
  const rows =
    await ctx.db.rows<Role>(sql`select ${columns} from identity_user_role x join identity_role t on t.tenant_id = x.tenant_id and t.id = x.role_id
    where x.tenant_id = ${ctx.tenant.id} and x.user_id = ${userId} order by t.name, t.id`);
  return rows.map((row) => shown(ctx, row));
}

/** 403 `privilege_escalation` unless the caller holds all that the roles or grants give. */
export async function requireHeld(ctx: Ctx, wanted: readonly string[]): Promise<void> {
  const { actor } = ctx;
  if (actor.type === 'system') return;
  const held = actor.type === 'staff' ? unionOf(await rolesOf(ctx, actor.userId), declaredBy(ctx)) : [];
  const lacked = wanted.filter((grant) => !covers(held, grant));
  if (lacked.length > 0)
    throw problem('privilege_escalation', {
      detail: 'You can grant only permissions that you have.',
      permissions: lacked.slice(0, 50),
    });
}

function checkGrants(ctx: Ctx, grants: readonly string[]): string[] {
  grants.forEach((grant, i) => {
    if (!isKnown(grant, declaredBy(ctx)))
      throw invalid(`/permissions/${i}`, 'unknown_permission', 'is not a declared permission');
  });
  return [...new Set(grants)];
}

/** Makes the system roles that are missing. Their grants aren't stored: they follow what plugins declare. */
export async function seedRoles(ctx: Ctx): Promise<void> {
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const rows = systemRoles.map(
    (name) =>
      sql`(${ctx.tenant.id}::uuid, ${uuidv7(ms)}::uuid, ${name}, '[]'::jsonb, true, ${now}::timestamptz, ${now}::timestamptz)`,
  );
  await ctx.db.run(
    sql`insert into identity_role (tenant_id, id, name, permissions, system, created_at, updated_at) values ${sql.join(rows)} on conflict do nothing`,
  );
}

/** Locks the owner role before removing an owner, so that of the last two owners one stays. */
export async function lockOwnerRole(ctx: Ctx): Promise<string> {
  const row = await ctx.db.first<{ id: string }>(
    sql`select id from identity_role where tenant_id = ${ctx.tenant.id} and system and name = 'owner' for no key update`,
  );
  if (!row) throw new Error('the tenant has no owner role');
  return row.id;
}
/** Checks that an active owner remains; call it after the change, with the role locked before. @throws Problem 409 `last_owner` */
export async function requireOwner(ctx: Ctx, ownerRoleId: string): Promise<void> {
  const row =
    await ctx.db.first(sql`select u.id from identity_user_role ur join identity_user u on u.tenant_id = ur.tenant_id and u.id = ur.user_id
    where ur.tenant_id = ${ctx.tenant.id} and ur.role_id = ${ownerRoleId} and u.status = 'active' and u.joined_at is not null and u.deleted_at is null limit 1`);
  if (!row) throw problem('last_owner', { detail: 'A tenant needs at least one active owner. Assign another owner first.' });
}

const rolesList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    name: { field: f.text() },
    system: { field: f.bool(), operators: ['eq'] },
  },
  sorts: { name: { column: 't.name', type: 'text' }, createdAt: { column: 't.created_at', type: 'timestamptz' } },
  defaultSort: 'createdAt',
});

export const roleRoutes = [
  route(
    'GET',
    '/rbac/roles',
    { permission: 'identity.role.read', query: rolesList, response: roleShape, list: true },
    (ctx, req) =>
      rolesList.run<Role>(
        ctx,
        req.query,
        { select: columns, from: sql`identity_role t`, where: sql`t.tenant_id = ${ctx.tenant.id}` },
        (rows) => rows.map((row) => shown(ctx, row)),
      ),
  ),
  route(
    'POST',
    '/rbac/roles',
    {
      permission: 'identity.role.create',
      body,
      response: roleShape,
      status: 201,
      problems: ['duplicate', 'privilege_escalation'],
    },
    async (ctx, req) => {
      const grants = checkGrants(ctx, req.body.permissions);
      await requireHeld(ctx, grants);
      const { id } = await ctx.rows(role).insert({ name: req.body.name, permissions: grants });
      const made = await findRole(ctx, id);
      await ctx.audit({ entity: 'identity.role', entityId: id, before: null, after: made });
      return created(`/rbac/roles/${id}`, made);
    },
  ),
  route('GET', '/rbac/roles/{id}', { permission: 'identity.role.read', response: roleShape }, async (ctx, req) =>
    shown(ctx, await findRole(ctx, req.params.id as string)),
  ),
  route(
    'PUT',
    '/rbac/roles/{id}',
    {
      permission: 'identity.role.update',
      body,
      response: roleShape,
      problems: ['duplicate', 'privilege_escalation', 'system_role', 'version_conflict'],
    },
    async (ctx, req) => {
      const before = await findRole(ctx, req.params.id as string, { lock: true });
      if (before.system) throw problem('system_role', { detail: "System roles can't be changed. Create a custom role instead." });
      checkVersion(req.ifMatch, before);
      const grants = checkGrants(ctx, req.body.permissions);
      await requireHeld(ctx, [...grants, ...before.permissions]);
      await ctx.rows(role).update(before.id, { name: req.body.name, permissions: grants });
      ctx.onCommit(() => forget(ctx.tenant.id));
      const after = await findRole(ctx, before.id);
      await ctx.audit({ entity: 'identity.role', entityId: before.id, before, after });
      return after;
    },
  ),
  route(
    'DELETE',
    '/rbac/roles/{id}',
    { permission: 'identity.role.delete', status: 204, problems: ['system_role', 'in_use', 'version_conflict'] },
    async (ctx, req) => {
      const before = await findRole(ctx, req.params.id as string, { lock: true });
      if (before.system) throw problem('system_role', { detail: "System roles can't be changed. Create a custom role instead." });
      checkVersion(req.ifMatch, before);
      if (before.users > 0)
        throw problem('in_use', {
          detail: 'Users have this role. Assign another role to them first.',
          counts: { 'rbac/users': before.users },
        });
      await ctx.rows(role).remove(before.id);
      await ctx.audit({ entity: 'identity.role', entityId: before.id, before, after: null });
      return noContent();
    },
  ),
  route(
    'POST',
    '/rbac/seed',
    { permission: 'identity.role.seed', response: roleShape, list: true, summary: 'Make the system roles that are missing' },
    async (ctx) => {
      await seedRoles(ctx);
      const rows = await ctx.db.rows<Role>(
        sql`select ${columns} from identity_role t where t.tenant_id = ${ctx.tenant.id} and t.system order by t.created_at, t.id`,
      );
      await ctx.audit({ entity: 'identity.role', entityId: null, after: { roles: rows.map(({ name }) => name) } });
      return { data: rows.map((row) => shown(ctx, row)), page: { limit: 100, nextCursor: null } };
    },
  ),
];
