import {
  type Ctx,
  checkReferences,
  f,
  listOf,
  noContent,
  permissions,
  problem,
  route,
  type Shape,
  sql,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { forget } from '../session/sessions.ts';
import { user } from '../tables.ts';
import { grantsOf } from './permissions.ts';
import { findRole, lockOwnerRole, requireHeld, requireOwner, rolesOf } from './roles.ts';

/** Gives roles; those held already stay. False when nothing changed. */
export async function giveRoles(ctx: Ctx, userId: string, roleIds: readonly string[]): Promise<boolean> {
  if (roleIds.length === 0) return false;
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const rows = [...new Set(roleIds)].map(
    (id) =>
      sql`(${ctx.tenant.id}::uuid, ${uuidv7(ms)}::uuid, ${userId}::uuid, ${id}::uuid, ${now}::timestamptz, ${now}::timestamptz)`,
  );
  const added = await ctx.db.run(
    sql`insert into identity_user_role (tenant_id, id, user_id, role_id, created_at, updated_at) values ${sql.join(rows)} on conflict (tenant_id, user_id, role_id) do nothing`,
  );
  if (added > 0) ctx.onCommit(() => forget(ctx.tenant.id));
  return added > 0;
}
/** Takes roles away; all without a list. */
export async function takeRoles(ctx: Ctx, userId: string, roleIds?: readonly string[]): Promise<number> {
  const some = roleIds ? sql` and role_id = any(${[...roleIds]}::uuid[])` : sql``;
  const taken = await ctx.db.run(
    sql`delete from identity_user_role where tenant_id = ${ctx.tenant.id} and user_id = ${userId}${some}`,
  );
  if (taken > 0) ctx.onCommit(() => forget(ctx.tenant.id));
  return taken;
}

/** Checks that the caller has all permissions of the user's roles. @throws Problem 403 */
export async function requireAbove(ctx: Ctx, userId: string): Promise<void> {
  await requireHeld(
    ctx,
    (await rolesOf(ctx, userId)).flatMap(({ permissions }) => permissions),
  );
}
export async function requireGrantable(ctx: Ctx, roleIds: readonly string[]): Promise<void> {
  const declared = ctx.require(permissions).all();
  for (const id of roleIds) await requireHeld(ctx, grantsOf(await findRole(ctx, id), declared));
}

const assigned = {
  id: f.id(),
  name: f.text(),
  permissions: f.list(f.text(), { max: 5000 }),
  system: f.bool(),
  users: f.int(),
  createdAt: f.instant(),
  updatedAt: f.instant(),
  version: f.int(),
} satisfies Shape;
const body = { roleId: f.ref('identity.role') } satisfies Shape;

export const userRoleRoutes = [
  route(
    'GET',
    '/rbac/users/{userId}/roles',
    { permission: 'identity.user-role.read', response: assigned, list: true },
    async (ctx, req) => {
      const { id } = await ctx.rows(user).require(req.params.userId as string);
      return listOf(await rolesOf(ctx, id));
    },
  ),
  route(
    'POST',
    '/rbac/users/{userId}/roles',
    {
      permission: 'identity.user-role.create',
      body,
      response: assigned,
      list: true,
      summary: 'Give a role',
      problems: ['privilege_escalation'],
    },
    async (ctx, req) => {
      const { id } = await ctx.rows(user).require(req.params.userId as string, { lock: true });
      const { roleId } = req.body;
      await checkReferences(ctx, body, req.body);
      await requireGrantable(ctx, [roleId]);
      if (await giveRoles(ctx, id, [roleId]))
        await ctx.audit({ entity: 'identity.user', entityId: id, extra: { given: roleId } });
      return listOf(await rolesOf(ctx, id));
    },
  ),
  route(
    'DELETE',
    '/rbac/users/{userId}/roles/{roleId}',
    { permission: 'identity.user-role.delete', status: 204, problems: ['last_owner', 'privilege_escalation'] },
    async (ctx, req) => {
      const ownerRoleId = await lockOwnerRole(ctx);
      const { id } = await ctx.rows(user).require(req.params.userId as string, { lock: true });
      const { roleId } = req.params as { roleId: string };
      if (!(await rolesOf(ctx, id)).some((held) => held.id === roleId)) throw problem('not_found');
      await requireGrantable(ctx, [roleId]);
      await takeRoles(ctx, id, [roleId]);
      if (roleId === ownerRoleId) await requireOwner(ctx, ownerRoleId);
      await ctx.audit({ entity: 'identity.user', entityId: id, extra: { taken: roleId } });
      return noContent();
    },
  ),
];
