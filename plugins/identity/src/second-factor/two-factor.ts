import {
  type Ctx,
  f,
  invalid,
  noContent,
  type PlatformCtx,
  problem,
  type Reply,
  type Req,
  type RowOf,
  reply,
  route,
  type Shape,
  sql,
} from '@storeloom/plugin-sdk';
import { givenPassword, verifyPassword } from '../account/password.ts';
import { sessionIdOf } from '../session/authenticator.ts';
import { readChallenge } from '../session/challenge.ts';
import { sessionState, unauthenticated } from '../session/sessions.ts';
import { accessTokenOf, signedIn, startSession, tokensShape } from '../session/sign-in.ts';
import { staffAccount, subjectOf } from '../staff/staff.ts';
import {
  codeField,
  countCode,
  eitherCode,
  eitherCodeField,
  type GivenCode,
  logWrongCode,
  pendingLasts,
  plainCode,
  recoveryCodeField,
  type SecondFactor,
  secondFactorOf,
  trustDevice,
  trustedDevice,
  turnOff,
  turnOn,
  useCode,
} from './second-factor.ts';
import { newTotpSecret, otpauthUrl, stepOf } from './totp.ts';
import { tellAccount, tellRecovery } from './two-factor-mail.ts';

const permission = 'identity.self.use';

/** The caller's second factor, in an open transaction of their tenant. */
async function own(ctx: Ctx): Promise<SecondFactor> {
  const { actor } = ctx;
  if (actor.type !== 'staff') throw unauthenticated();
  const user = await ctx.db.first<{ accountId: string }>(
    sql`select account_id as "accountId" from identity_user where tenant_id = ${ctx.tenant.id} and id = ${actor.userId} and deleted_at is null`,
  );
  const factor = user && (await secondFactorOf(ctx, user.accountId));
  if (!factor) throw unauthenticated();
  return factor;
}
const isOn = () =>
  problem('two_factor_on', { detail: 'The second factor is already enabled. Disable it first, with password and code.' });
const isOff = () => problem('two_factor_off', { detail: "The second factor isn't enabled for this account." });
const codeWrong = (pointer = '/code') => invalid(pointer, 'code_wrong', 'is invalid or already used');

async function record(ctx: Ctx, action: string): Promise<void> {
  const userId = ctx.actor.type === 'staff' ? ctx.actor.userId : null;
  await ctx.audit({ entity: 'identity.user', entityId: userId, action: `identity.self.${action}` });
}

const setup = route(
  'GET',
  '/2fa/setup',
  {
    permission,
    summary: 'A secret for the authenticator app; on once `enable` has got a code of it',
    response: { secret: f.text(), otpauthUrl: f.text({ max: 1000 }) },
    writes: true,
    problems: ['two_factor_on'],
  },
  async (ctx) => {
    const factor = await own(ctx);
    if (factor.secret !== null) throw isOn();
    // A page that is loaded again shows the secret that was scanned.
    const pending = pendingOf(ctx, factor);
    const secret = pending === undefined ? newTotpSecret() : ctx.unseal(pending);
    if (pending === undefined) {
      const row = await ctx.db.first<{ done: boolean }>(
        sql`select identity_totp_begin(${factor.accountId}::uuid, ${ctx.seal(secret)}, ${ctx.clock.now()}::timestamptz) as done`,
      );
      if (row?.done !== true) throw isOn();
    }
    return { secret, otpauthUrl: otpauthUrl(secret, ctx.tenant.name, factor.email) };
  },
);
function pendingOf(ctx: Ctx, { pending, pendingAt }: SecondFactor): string | undefined {
  if (pending === null || pendingAt === null) return undefined;
  return ctx.clock.ms() - Date.parse(pendingAt) < pendingLasts * 1000 ? pending : undefined;
}

const enable = route(
  'POST',
  '/2fa/enable',
  {
    permission,
    summary: 'Turn the second factor on with the first code; gives the recovery codes, once',
    body: { code: codeField },
    response: { recoveryCodes: f.list(f.text(), { max: 10 }) },
    transaction: 'none',
    idempotent: false,
    problems: ['two_factor_on', 'expired', 'rate_limited'],
  },
  async (ctx, req) => {
    const factor = await ctx.transaction(own, { readOnly: true });
    if (factor.secret !== null) throw isOn();
    const pending = pendingOf(ctx, factor);
    if (pending === undefined) throw problem('expired', { detail: 'The secret has expired. Request a new one with GET setup.' });
    await ctx.transaction((open) => countCode(open, factor.accountId));
    const step = stepOf(ctx.unseal(pending), plainCode(req.body.code), ctx.clock.ms());
    if (step === undefined) throw codeWrong();
    return ctx.transaction(async (open) => {
      const recoveryCodes = await turnOn(open, factor.accountId, pending, step);
      if (!recoveryCodes) throw isOn();
      await record(open, 'enable-two-factor');
      await tellAccount(open, factor, 'twoFactorOn');
      return { recoveryCodes };
    });
  },
);

const disable = route(
  'POST',
  '/2fa/disable',
  {
    permission,
    summary: 'Turn the second factor off, with password and code',
    /** A code of the app, or a recovery code where the app is lost. */
    body: { password: givenPassword, code: eitherCodeField },
    status: 204,
    transaction: 'none',
    idempotent: false,
    problems: ['two_factor_off', 'rate_limited'],
  },
  async (ctx, req) => {
    const factor = await ctx.transaction(own, { readOnly: true });
    if (factor.secret === null) throw isOff();
    await ctx.transaction((open) => countCode(open, factor.accountId));
    if (!(await verifyPassword(factor.passwordHash, req.body.password)).ok)
      throw invalid('/password', 'password_wrong', 'is invalid');
    await ctx.transaction(async (open) => {
      if (!(await useCode(open, factor, eitherCode(req.body.code)))) throw codeWrong();
      if (!(await turnOff(open, factor.accountId))) throw isOff();
      await record(open, 'disable-two-factor');
      await tellAccount(open, factor, 'twoFactorOff');
    });
    return noContent();
  },
);

const verifiedShape = {
  ...tokensShape,
  /** Null for a bearer: its session keeps the one it has. */
  refreshToken: f.text().optional(),
  deviceToken: f.text().optional(),
} satisfies Shape;
type Verified = RowOf<typeof verifiedShape>;
type VerifyBody = GivenCode & { trustDevice: boolean };

/** Raises the session of the bearer: it keeps its refresh token. */
async function raise(ctx: Ctx, headers: Req<unknown, unknown, unknown>['headers'], body: VerifyBody): Promise<Verified> {
  const factor = await ctx.transaction(own, { readOnly: true });
  if (factor.secret === null) throw isOff();
  if (body.code !== null) await ctx.transaction((open) => countCode(open, factor.accountId));
  const sessionId = await sessionIdOf(ctx, headers.authorization, 'admin');
  const done = await ctx.transaction(async (open) => {
    if (!(await useCode(open, factor, body))) throw codeWrong(body.code === null ? '/recoveryCode' : '/code');
    const t = open.tenant.id;
    await open.db.run(
      sql`update identity_session set auth_level = 2, updated_at = ${open.clock.now()}, version = version + 1 where tenant_id = ${t} and id = ${sessionId} and revoked_at is null`,
    );
    const session = await sessionState(open, t, sessionId);
    if (!session) throw unauthenticated('The session is over.');
    if (body.code === null) {
      await record(open, 'use-recovery-code');
      await tellRecovery(open, factor);
    }
    return { session, deviceToken: body.trustDevice ? await trustDevice(open, factor.accountId, ctx.userAgent) : null };
  });
  // cast: a request with a bearer has its tenant's context, which can enter tenants as that of the platform can.
  const platform = ctx as unknown as PlatformCtx;
  const user = await signedIn(platform, done.session);
  if (!user) throw unauthenticated('The session is over.');
  return {
    ...(await accessTokenOf(platform, done.session, done.session)),
    refreshToken: null,
    user,
    deviceToken: done.deviceToken,
  };
}

/** The second half of a sign-in whose password has held. */
async function answerChallenge(ctx: PlatformCtx, host: string, token: string, body: VerifyBody): Promise<Reply<Verified>> {
  const { accountId, sessionVersion, tenant } = await readChallenge(ctx, token);
  const factor = await ctx.transaction((open) => secondFactorOf(open, accountId), { readOnly: true });
  if (!factor || factor.secret === null || factor.sessionVersion !== sessionVersion)
    throw unauthenticated('The challenge is over: sign in again.');
  if (body.code !== null) await ctx.transaction((open) => countCode(open, accountId));
  // Where a tenant must still be named, the code stays unused for the next call.
  const done = await ctx.transaction(async (open) => {
    if (!(await useCode(open, factor, body))) return undefined;
    const account = await staffAccount(open, factor.email);
    if (!account) return undefined;
    const subject = subjectOf(account, tenant);
    return { subject, deviceToken: body.trustDevice ? await trustDevice(open, accountId, ctx.userAgent) : null };
  });
  if (!done) {
    logWrongCode(ctx, accountId);
    throw unauthenticated('The code is wrong or was used.');
  }
  const user = await signedIn(ctx, done.subject);
  if (!user) throw unauthenticated();
  if (body.code === null) await ctx.withTenant(done.subject.tenantId as string, (open) => tellRecovery(open, factor));
  const { status, body: tokens, headers } = await startSession(ctx, host, done.subject, user, 2);
  return reply(status, { ...tokens, deviceToken: done.deviceToken }, headers);
}

const verify = route(
  'POST',
  '/2fa/verify',
  {
    permission,
    auth: 'open',
    summary: 'Give the second factor: for the challenge of a sign-in, or with a bearer to raise its session',
    body: {
      challenge: f.text({ max: 2000 }).optional(),
      code: codeField.optional(),
      recoveryCode: recoveryCodeField.optional().example(null),
      trustDevice: f.bool().default(false),
    },
    response: verifiedShape,
    idempotent: false,
    rateLimit: { name: 'second-factor', points: 60, seconds: 60, by: 'ip' },
    problems: ['unauthenticated', 'two_factor_off', 'tenant_required', 'rate_limited'],
  },
  async (ctx, req) => {
    const { challenge, ...body } = req.body;
    if ((body.code === null) === (body.recoveryCode === null))
      throw invalid('/code', 'required', 'send either code or recoveryCode');
    if (ctx.actor.type === 'staff') {
      if (challenge !== null) throw invalid('/challenge', 'unexpected', 'is only for requests without a bearer token');
      return raise(ctx, req.headers, body);
    }
    if (challenge === null) throw unauthenticated('Give the challenge of a sign-in, or a bearer token.');
    // cast: without a bearer there is no tenant, and an open route gets the context of the platform.
    return answerChallenge(ctx as unknown as PlatformCtx, req.host, challenge, body);
  },
);

const checkDevice = route(
  'POST',
  '/2fa/check-device',
  {
    permission,
    auth: 'open',
    summary: 'Whether a device token still takes the place of a code here',
    body: { deviceToken: f.text({ max: 200 }) },
    response: { trusted: f.bool(), until: f.instant().optional() },
    idempotent: false,
    rateLimit: { name: 'check-device', points: 60, seconds: 60, by: 'ip' },
    problems: ['rate_limited'],
  },
  async (ctx, req) => {
    const found = await ctx.transaction((open) => trustedDevice(open, req.body.deviceToken, ctx.userAgent), { readOnly: true });
    return { trusted: found !== undefined, until: found?.expiresAt ?? null };
  },
);

export const twoFactorRoutes = [setup, enable, disable, verify, checkDevice];
