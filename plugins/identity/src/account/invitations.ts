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

/**
 * Invites a user who hasn't joined yet, by e-mail and in the response. The token of the e-mail proves the mailbox and may set the first
 * password; the one of the response, which the inviter knows, only joins an account that is signed in.
 */
export async function invite(ctx: Ctx, userId: string, email: string): Promise<Invitation> {
  const { token: mailed } = await newTenantToken(ctx, 'invite', userId);
  const data = { shop: ctx.tenant.name, link: adminLink(ctx, paths.acceptInvitation, mailed.text) };
  await ctx.require(mailer).send({ to: email, template: 'identity.invitation', data, key: `invitation:${mailed.hash}` });
  const { token, expiresAt } = await newTenantToken(ctx, 'join', userId);
  return { token: token.text, url: adminLink(ctx, paths.acceptInvitation, token.text), expiresAt };
}
