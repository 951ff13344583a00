import { type Ctx, type PlatformCtx, provide, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { ensureAccount, invite } from './account/invitations.ts';
import { hashPassword } from './account/password.ts';
import { type Accounts, accounts, operators } from './contract.ts';
import { unlinkAll } from './external/identity.ts';
import { accessTokenSeconds } from './session/authenticator.ts';
import { endSessionsOf, forget, later, openSession, raiseCustomerVersion } from './session/sessions.ts';
import { accessTokenOf } from './session/sign-in.ts';
import { lockOwnerRole, seedRoles } from './staff/roles.ts';
import { giveRoles } from './staff/user-roles.ts';
import { credential, user } from './tables.ts';

type NewOwner = Parameters<Accounts['createOwner']>[0];

/** A second call changes nothing: the user is there, with the role. */
export async function addOwner(
  ctx: Ctx,
  owner: Omit<NewOwner, 'password'> & { passwordHash?: string },
): ReturnType<Accounts['createOwner']> {
  const email = owner.email.trim().toLowerCase();
  await seedRoles(ctx);
  const ownerRoleId = await lockOwnerRole(ctx);
  const account = await ensureAccount(ctx, email, owner.name);
  const known = await ctx.rows(user).first({ accountId: account.id });
  const now = ctx.clock.now();
  if (owner.passwordHash !== undefined && !account.hasPassword)
    await ctx.db.first(
      sql`select identity_account_first_password(${account.id}::uuid, ${owner.passwordHash}, ${now}::timestamptz)`,
    );
  if (known) {
    await giveRoles(ctx, known.id, [ownerRoleId]);
    return { userId: known.id, invitation: null };
  }
  const joinedAt = owner.passwordHash === undefined ? null : now;
  const { id } = await ctx.rows(user).insert({ accountId: account.id, email, name: owner.name, joinedAt });
  await giveRoles(ctx, id, [ownerRoleId]);
  await ctx.audit({
    entity: 'identity.user',
    entityId: id,
    action: 'identity.user.create',
    after: { email, name: owner.name, roles: ['owner'] },
  });
  return { userId: id, invitation: joinedAt === null ? await invite(ctx, id, email) : null };
}

/** Undefined when the address has an operator already. */
export async function addOperator(
  ctx: PlatformCtx,
  operator: { email: string; name: string; passwordHash: string },
): Promise<{ userId: string } | undefined> {
  const ms = ctx.clock.ms();
  const now = new Date(ms).toISOString();
  const email = operator.email.trim().toLowerCase();
  const row = await ctx.db.first<{
    id: string;
  }>(sql`insert into identity_operator (id, email, name, password_hash, created_at, updated_at)
    values (${uuidv7(ms)}, ${email}, ${operator.name}, ${operator.passwordHash}, ${now}, ${now}) on conflict (email) do nothing returning id`);
  return row && { userId: row.id };
}

function accountsOf(ctx: Ctx): Accounts {
  return {
    async createOwner({ password, ...owner }) {
      return addOwner(ctx, password === undefined ? owner : { ...owner, passwordHash: await hashPassword(password) });
    },
    async createStaff({ email: given, name, password, roleIds }) {
      const email = given.trim().toLowerCase();
      const account = await ensureAccount(ctx, email, name);
      const now = ctx.clock.now();
      if (!account.hasPassword)
        await ctx.db.first(
          sql`select identity_account_first_password(${account.id}::uuid, ${await hashPassword(password)}, ${now}::timestamptz)`,
        );
      const { id } = await ctx.rows(user).insert({ accountId: account.id, email, name, joinedAt: now });
      await giveRoles(ctx, id, roleIds);
      await ctx.audit({ entity: 'identity.user', entityId: id, action: 'identity.user.create', after: { email, name, roleIds } });
      return { userId: id };
    },
    async endCustomerSessions(customerId) {
      await endSessionsOf(ctx, customerId);
      await raiseCustomerVersion(ctx, customerId);
    },
    async removeCustomerCredential(customerId) {
      await endSessionsOf(ctx, customerId);
      await ctx.rows(credential).removeWhere({ customerId });
      await unlinkAll(ctx, customerId);
      ctx.onCommit(() => forget(ctx.tenant.id));
    },
    // Those who have left stay the authors of what they wrote.
    async users(ids) {
      if (ids.length === 0) return [];
      return ctx.db.rows(
        sql`select id, name, email from identity_user where tenant_id = ${ctx.tenant.id} and id = any(${[...ids]}::uuid[])`,
      );
    },
    async staffUserIds() {
      const rows = await ctx.db.rows<{ id: string }>(
        sql`select id from identity_user where tenant_id = ${ctx.tenant.id} and deleted_at is null and status = 'active' and joined_at is not null order by id`,
      );
      return rows.map(({ id }) => id);
    },
    async roleIds(userId) {
      const rows = await ctx.db.rows<{ id: string }>(
        sql`select role_id as id from identity_user_role where tenant_id = ${ctx.tenant.id} and user_id = ${userId} order by role_id`,
      );
      return rows.map(({ id }) => id);
    },
    async checkToken() {
      // A plugin that handles a request must not get the rights of an owner.
      if (ctx.actor.type !== 'system') throw new Error('only the command line of the installation signs in for checks');
      const tenantId = ctx.tenant.id;
      const owner = await ctx.db.first<{ id: string; sessionVersion: number }>(
        sql`select u.id, a.session_version as "sessionVersion" from identity_user u
          join identity_user_role ur on ur.tenant_id = u.tenant_id and ur.user_id = u.id
          join identity_role r on r.tenant_id = ur.tenant_id and r.id = ur.role_id and r.system and r.name = 'owner'
          join identity_sign_in_account(u.email) a on a.id = u.account_id
          where u.tenant_id = ${tenantId} and u.deleted_at is null and u.status = 'active' and u.joined_at is not null order by u.id limit 1`,
      );
      if (!owner) return undefined;
      const subject = { audience: 'admin', tenantId, id: owner.id, sessionVersion: owner.sessionVersion } as const;
      const session = await openSession(ctx, subject, { ip: null, userAgent: 'storeloom' }, 1);
      const expiresAt = later(ctx.clock.ms(), accessTokenSeconds);
      await ctx.db.run(
        sql`update identity_session set expires_at = ${expiresAt} where tenant_id = ${tenantId} and id = ${session.sessionId}`,
      );
      await ctx.audit({
        entity: 'identity.user',
        entityId: owner.id,
        action: 'identity.user.check-sign-in',
        after: { expiresAt },
      });
      return (await accessTokenOf(ctx, subject, session)).accessToken;
    },
    async everStaffed() {
      return (await ctx.db.first(sql`select id from identity_user where tenant_id = ${ctx.tenant.id} limit 1`)) !== undefined;
    },
  };
}

export const accountsProvider = provide(accounts, accountsOf);

/** In a context without a tenant. */
export const operatorsProvider = provide(operators, (ctx: PlatformCtx) => ({
  async create({ password, ...operator }) {
    const passwordHash = await hashPassword(password);
    // A seed may run again: the operator that is there stays as it is.
    return ctx.transaction(async (platform) => {
      const added = await addOperator(platform, { ...operator, passwordHash });
      if (added) return added;
      const known = await platform.db.first<{ userId: string }>(
        sql`select id as "userId" from identity_operator where email = ${operator.email.trim().toLowerCase()}`,
      );
      if (!known) throw new Error('an operator could neither be found nor made');
      return known;
    });
  },
}));
