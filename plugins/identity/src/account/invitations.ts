import { type Ctx, mailer, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { adminLink, paths } from './links.ts';
import { newTenantToken } from './mail-tokens.ts';

export interface Invitation {
  token: string;
  url: string;
  expiresAt: string;
}

/** The installation's account of an address, made if need be. */
export async function ensureAccount(ctx: Ctx, email: string, name: string): Promise<{ id: string; hasPassword: boolean }> {
  const ms = ctx.clock.ms();
  const row = await ctx.db.first<{ id: string; hasPassword: boolean }>(
    sql`select id, has_password as "hasPassword" from identity_account_ensure(${uuidv7(ms)}::uuid, ${email}, ${name}, ${new Date(ms).toISOString()}::timestamptz)`,
  );
  if (!row) throw new Error('an account could neither be found nor made');
  return row;
}

/** A way in for a user who hasn't joined yet: in the answer, once, and by mail. */
export async function invite(ctx: Ctx, userId: string, email: string): Promise<Invitation> {
  const { token, expiresAt } = await newTenantToken(ctx, 'invite', userId);
  const url = adminLink(ctx, paths.acceptInvitation, token.text);
  const data = { shop: ctx.tenant.name, link: url };
  await ctx.require(mailer).send({ to: email, template: 'identity.invitation', data, key: `invitation:${token.hash}` });
  return { token: token.text, url, expiresAt };
}
