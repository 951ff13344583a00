import {
  type Ctx,
  checkReferences,
  checkVersion,
  created,
  f,
  isEmptyPatch,
  list,
  noContent,
  problem,
  responseShape,
  route,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { ensureAccount, invite } from '../account/invitations.ts';
import { dropTenantTokens } from '../account/mail-tokens.ts';
import { endSessionsOf, forget } from '../session/sessions.ts';
import { user } from '../tables.ts';
import { roomForStaff } from './quota.ts';
import { lockOwnerRole, requireOwner } from './roles.ts';
import { giveRoles, requireAbove, requireGrantable, takeRoles } from './user-roles.ts';

interface User {
  id: string;
  email: string;
  name: string;
  status: 'active' | 'disabled';
  roleIds: string[];
  twoFactor: boolean;
  joinedAt: string | null;
  lastSeenAt: string | null;
  createdAt: string;
  updatedAt: string;
  version: number;
}

const fields = {
  email: f.email(),
  name: f.text(),
  roleIds: f.list(f.ref('identity.role'), { max: 50 }),
  status: f.oneOf(['active', 'disabled']).default('active'),
} satisfies Shape;
const readOnly = {
  twoFactor: f.bool().readonly(),
  /** Null until the invitation is accepted. */
  joinedAt: f.instant().optional().readonly(),
  lastSeenAt: f.instant().optional().readonly(),
} satisfies Shape;
const userShape = responseShape({ ...fields, ...readOnly });
const invitation = f.object({ url: f.url(), token: f.text(), expiresAt: f.instant() });

const columns = sql`t.id, t.email, t.name, t.status, identity_second_factor_on(t.account_id) as "twoFactor", t.joined_at as "joinedAt", t.created_at as "createdAt", t.updated_at as "updatedAt", t.version,
  coalesce((select jsonb_agg(ur.role_id order by ur.id) from identity_user_role ur where ur.tenant_id = t.tenant_id and ur.user_id = t.id), '[]') as "roleIds",
  (select max(s.last_seen_at) from identity_session s where s.tenant_id = t.tenant_id and s.subject_id = t.id) as "lastSeenAt"`;

async function findUser(ctx: Ctx, id: string): Promise<User> {
  const row = await ctx.db.first<User>(
    sql`select ${columns} from identity_user t where t.tenant_id = ${ctx.tenant.id} and t.id = ${id} and t.deleted_at is null`,
  );
  if (!row) throw problem('not_found');
  return row;
}

const usersList = list({
  filters: {
    id: { field: f.id(), operators: ['eq', 'in'] },
    email: { field: f.email() },
    status: { field: fields.status },
    roleId: {
      field: f.id(),
      operators: ['eq'],
      where: (_, value) =>
        sql`exists (select from identity_user_role ur where ur.tenant_id = t.tenant_id and ur.user_id = t.id and ur.role_id = ${value})`,
    },
  },
  sorts: {
    name: { column: 't.name', type: 'text' },
    email: { column: 't.email', type: 'text' },
    createdAt: { column: 't.created_at', type: 'timestamptz' },
  },
  defaultSort: 'createdAt',
  search: (q) => sql`(strpos(lower(t.name), lower(${q})) > 0 or strpos(t.email, lower(${q})) > 0)`,
});

export const userRoutes = [
  route(
    'GET',
    '/rbac/users',
    {
      permission: 'identity.user.read',
      query: usersList,
      response: userShape,
      list: true,
      additive: true,
      summary: 'Staff of the tenant',
    },
    (ctx, req) =>
      usersList.run<User>(ctx, req.query, {
        select: columns,
        from: sql`identity_user t`,
        where: sql`t.tenant_id = ${ctx.tenant.id} and t.deleted_at is null`,
      }),
  ),
  route(
    'POST',
    '/rbac/users',
    {
      permission: 'identity.user.create',
      body: fields,
      response: { ...userShape, invitation },
      status: 201,
      additive: true,
      idempotent: false,
      summary: 'Invite a staff user',
      problems: ['duplicate', 'privilege_escalation', 'quota_exceeded'],
    },
    async (ctx, req) => {
      const { email, name, status, roleIds } = req.body;
      await checkReferences(ctx, fields, req.body);
      await requireGrantable(ctx, roleIds);
      if (status === 'active') await roomForStaff(ctx);
      const account = await ensureAccount(ctx, email, name);
      const { id } = await ctx.rows(user).insert({ accountId: account.id, email, name, status });
      await giveRoles(ctx, id, roleIds);
      const made = await findUser(ctx, id);
      await ctx.audit({ entity: 'identity.user', entityId: id, before: null, after: made });
      return created(`/rbac/users/${id}`, { ...made, invitation: await invite(ctx, id, email) });
    },
  ),
  route(
    'PATCH',
    '/rbac/users/{userId}',
    {
      permission: 'identity.user.update',
      body: { name: fields.name, roleIds: fields.roleIds, status: f.oneOf(['active', 'disabled']) },
      response: userShape,
      additive: true,
      problems: ['last_owner', 'privilege_escalation', 'version_conflict', 'quota_exceeded'],
    },
    async (ctx, req) => {
      const patch = req.body as Partial<Pick<User, 'name' | 'roleIds' | 'status'>>;
      const ownerRoleId = await lockOwnerRole(ctx);
      const { id, version } = await ctx.rows(user).require(req.params.userId as string, { lock: true });
      checkVersion(req.ifMatch, { version });
      const before = await findUser(ctx, id);
      await requireAbove(ctx, id);
      if (isEmptyPatch(patch)) return before;
      if (patch.status === 'active' && before.status === 'disabled') await roomForStaff(ctx);
      const { roleIds, ...own } = patch;
      if (roleIds) {
        await checkReferences(ctx, { roleIds: fields.roleIds }, { roleIds });
        await requireGrantable(ctx, roleIds);
        await takeRoles(
          ctx,
          id,
          before.roleIds.filter((held) => !roleIds.includes(held)),
        );
        await giveRoles(ctx, id, roleIds);
      }
      await ctx.rows(user).update(id, own);
      ctx.onCommit(() => forget(ctx.tenant.id));
      if (own.status === 'disabled') await endSessionsOf(ctx, id);
      await requireOwner(ctx, ownerRoleId);
      const after = await findUser(ctx, id);
      await ctx.audit({ entity: 'identity.user', entityId: id, before, after });
      return after;
    },
  ),
  route(
    'DELETE',
    '/rbac/users/{userId}',
    {
      permission: 'identity.user.delete',
      status: 204,
      additive: true,
      summary: 'Remove a staff user from this tenant',
      problems: ['last_owner', 'privilege_escalation', 'version_conflict'],
    },
    async (ctx, req) => {
      const ownerRoleId = await lockOwnerRole(ctx);
      const { id, version } = await ctx.rows(user).require(req.params.userId as string, { lock: true });
      checkVersion(req.ifMatch, { version });
      const before = await findUser(ctx, id);
      await requireAbove(ctx, id);
      await takeRoles(ctx, id);
      await ctx.rows(user).remove(id);
      await endSessionsOf(ctx, id);
      await dropTenantTokens(ctx, id);
      await requireOwner(ctx, ownerRoleId);
      await ctx.audit({ entity: 'identity.user', entityId: id, before, after: null });
      return noContent();
    },
  ),
];
