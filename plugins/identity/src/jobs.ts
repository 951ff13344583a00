import {
  type Audience,
  type Ctx,
  type Job,
  type JobData,
  mailer,
  type PlatformCtx,
  type PlatformJob,
  sql,
} from '@storeloom/plugin-sdk';
import { adminLink, paths, storefrontLink } from './account/links.ts';
import { dropPlatformTokens, dropTenantTokens, newPlatformToken, newTenantToken } from './account/mail-tokens.ts';
import { customerDirectory } from './contract.ts';
import type { PasswordMail, queued } from './queued.ts';
import { replayFor } from './session/refresh.ts';

async function mailCustomer(ctx: Ctx, { email, locale }: PasswordMail): Promise<void> {
  const customer = await ctx.require(customerDirectory).byEmail(email);
  if (customer?.status !== 'active') return;
  await dropTenantTokens(ctx, customer.id, 'reset');
  const { token } = await newTenantToken(ctx, 'reset', customer.id);
  const data = { shop: ctx.tenant.name, link: storefrontLink(ctx, paths.resetPassword, token.text) };
  await ctx.require(mailer).send({ to: customer.email, template: 'identity.reset', locale, data, key: `reset:${token.hash}` });
}

/** Returns the shop that sends an e-mail to a user of no shop or several. */
async function sender(
  ctx: PlatformCtx,
  audience: Audience,
  email: string,
): Promise<{ holder: { accountId: string } | { operatorId: string }; tenantId: string } | undefined> {
  if (audience === 'admin') {
    const row = await ctx.db.first<{ id: string; memberships: { tenantId: string }[] }>(
      sql`select id, memberships from identity_sign_in_account(${email})`,
    );
    const tenantId = row?.memberships[0]?.tenantId;
    return row && tenantId !== undefined ? { holder: { accountId: row.id }, tenantId } : undefined;
  }
  const row = await ctx.db.first<{ id: string; tenantId: string | null }>(
    sql`select o.id, (select t.id from core_tenant t where t.operator order by t.created_at limit 1) as "tenantId" from identity_operator o where o.email = ${email} and o.status = 'active'`,
  );
  return row?.tenantId ? { holder: { operatorId: row.id }, tenantId: row.tenantId } : undefined;
}

async function mailOnPlatform(ctx: PlatformCtx, { audience, email }: PasswordMail): Promise<void> {
  const made = await ctx.transaction(async (platform) => {
    const found = await sender(platform, audience, email);
    if (!found) return undefined;
    await dropPlatformTokens(platform, found.holder);
    return { ...found, token: await newPlatformToken(platform, found.holder) };
  });
  if (!made) return;
  await ctx.withTenant(made.tenantId, async (tenant) => {
    const data = { shop: tenant.tenant.name, link: adminLink(tenant, paths.resetPassword, made.token.text) };
    await tenant.require(mailer).send({ to: email, template: 'identity.reset', data, key: `reset:${made.token.hash}` });
  });
}

/** What follows a forgotten password: nothing for an unknown address. A second run sends a newer link. */
export const passwordMail: PlatformJob<JobData<typeof queued.passwordMail>> = {
  platform: true,
  retryLimit: 3,
  async run(ctx, mail) {
    if (mail.tenantId === null) await mailOnPlatform(ctx, mail);
    else await ctx.withTenant(mail.tenantId, (tenant) => mailCustomer(tenant, mail));
  },
};

const ago = (ms: number, seconds: number): string => new Date(ms - seconds * 1000).toISOString();
const day = 86_400;

/** Sessions are kept for 30 days after their end, so that a person can see who was signed in. */
export const tidy: Job = {
  cron: '23 * * * *',
  perTenant: true,
  async run(ctx) {
    const ms = ctx.clock.ms();
    const t = ctx.tenant.id;
    await ctx.db.run(
      sql`update identity_refresh_token set successor = null where tenant_id = ${t} and successor is not null and rotated_at < ${ago(ms, replayFor / 1000)}`,
    );
    await ctx.db.run(sql`delete from identity_refresh_token where tenant_id = ${t} and expires_at < ${ago(ms, 0)}`);
    await ctx.db.run(
      sql`delete from identity_session where tenant_id = ${t} and (expires_at < ${ago(ms, 30 * day)} or revoked_at < ${ago(ms, 30 * day)})`,
    );
    await ctx.db.run(sql`delete from identity_token where tenant_id = ${t} and expires_at < ${ago(ms, day)}`);
  },
};

export const tidyPlatform: PlatformJob = {
  cron: '29 * * * *',
  platform: true,
  async run(ctx) {
    await ctx.transaction(async ({ db, clock }) => {
      const ms = clock.ms();
      await db.run(
        sql`update identity_operator_refresh_token set successor = null where successor is not null and rotated_at < ${ago(ms, replayFor / 1000)}`,
      );
      await db.run(sql`delete from identity_operator_refresh_token where expires_at < ${ago(ms, 0)}`);
      await db.run(
        sql`delete from identity_operator_session where expires_at < ${ago(ms, 30 * day)} or revoked_at < ${ago(ms, 30 * day)}`,
      );
      await db.run(sql`delete from identity_account_token where expires_at < ${ago(ms, day)}`);
      await db.run(sql`delete from identity_trusted_device where expires_at < ${ago(ms, 0)}`);
      await db.run(sql`delete from identity_throttle where last_at < ${ago(ms, day)}`);
    });
  },
};
