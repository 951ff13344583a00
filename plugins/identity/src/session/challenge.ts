import { type Ctx, keyring, problem } from '@storeloom/plugin-sdk';
import { unauthenticated } from './sessions.ts';

/** Between password and code. Seconds. */
const challengeLasts = 300;
/** Not an access token's type, so that a challenge opens nothing else. */
const type = 'two-factor+jwt';

/** Whose password has held, and what tenant they asked for. */
export interface Challenge {
  readonly accountId: string;
  /** A new password, or signing out everywhere, ends the challenge. */
  readonly sessionVersion: number;
  readonly tenant: string | null;
}

type Keys = Pick<Ctx, 'require'>;

/** 401 `two_factor_required {challenge}`. */
export async function twoFactorRequired(
  ctx: Keys,
  { accountId, sessionVersion, tenant }: Challenge,
): Promise<ReturnType<typeof problem>> {
  const challenge = await ctx
    .require(keyring)
    .issue('admin', { sub: accountId, ver: sessionVersion, tenant }, { type, expiresIn: challengeLasts });
  return problem('two_factor_required', { detail: 'A code of the authenticator app is required.', challenge });
}

export async function readChallenge(ctx: Keys, token: string): Promise<Challenge> {
  const claims = await ctx.require(keyring).verify('admin', token, { type });
  if (!claims) throw unauthenticated('The challenge is over: sign in again.');
  return { accountId: claims.sub as string, sessionVersion: claims.ver as number, tenant: claims.tenant as string | null };
}
