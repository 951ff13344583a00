import { type Ctx, mailer } from '@storeloom/plugin-sdk';
import type { SecondFactor } from './second-factor.ts';

/** What happened to an account's second factor, to its address, in the name of the tenant where it happened. */
export async function tellAccount(
  ctx: Ctx,
  { accountId, email }: Pick<SecondFactor, 'accountId' | 'email'>,
  template: 'twoFactorOn' | 'twoFactorOff' | 'recoveryCodeUsed',
  data: Record<string, unknown> = {},
): Promise<void> {
  await ctx.require(mailer).send({
    to: email,
    template: `identity.${template}`,
    locale: ctx.locale,
    data: { shop: ctx.tenant.name, ...data },
    key: `${template}:${accountId}:${ctx.clock.ms()}`,
  });
}
/** `factor` as it was before the code was used. */
export async function tellRecovery(ctx: Ctx, factor: SecondFactor): Promise<void> {
  await tellAccount(ctx, factor, 'recoveryCodeUsed', { left: Math.max(0, factor.codesLeft - 1) });
}
