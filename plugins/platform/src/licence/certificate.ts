import { licenceIssuer, type PlatformCtx, sql } from '@storeloom/plugin-sdk';
import type { Licence } from './licence.ts';

const day = 86_400;
/** Lifetime of a certificate in seconds: short, so that a revoked or moved licence expires; the entitlement is longer. */
const certificateLife = 30 * day;
export const renewedFrom = 10 * day;
const revocationsLife = 7 * day;

/** When a certificate that is made now ends, as NumericDate. One that may stay silent for long lives as long. */
function certificateEnd(licence: Pick<Licence, 'expiresAt' | 'heartbeat'>, now: number): number {
  const seconds = Math.floor(now / 1000);
  const life = Math.max(certificateLife, licence.heartbeat.maxOffline);
  return Math.min(Math.floor(Date.parse(licence.expiresAt) / 1000), seconds + life);
}

/** The licence as an installation holds it: claims are a stable shape, their removal or retyping is a major release. */
export function certificate(ctx: PlatformCtx, licence: Licence, installation: string): Promise<string> {
  const now = ctx.clock.ms();
  const seconds = (instant: string): number => Math.floor(Date.parse(instant) / 1000);
  return ctx.require(licenceIssuer).sign('license+jwt', {
    aud: 'kernel',
    v: 1,
    sub: installation,
    jti: licence.id,
    iat: Math.floor(now / 1000),
    exp: certificateEnd(licence, now),
    expiresAt: seconds(licence.expiresAt),
    env: licence.env,
    plan: licence.plan,
    plugins: licence.plugins,
    themes: licence.themes,
    limits: { ...licence.limits, seats: licence.maxActivations },
    domains: licence.domains,
    updatesUntil: seconds(licence.updatesUntil),
    grace: licence.grace,
    heartbeat: licence.heartbeat,
    ...(licence.fingerprint ? { fingerprint: licence.fingerprint } : {}),
  });
}

/** Which licences are revoked. `seq` counts them, so it only grows; one that has ended needs no revoking any more. */
export async function revocationList(ctx: PlatformCtx): Promise<string> {
  const now = Math.floor(ctx.clock.ms() / 1000);
  const row = await ctx.db.first<{ seq: number; revoked: string[] }>(sql`select count(*)::int as seq,
      coalesce(json_agg(id order by id) filter (where expires_at > ${ctx.clock.now()}), '[]') as revoked
    from platform_license where revoked_at is not null`);
  return ctx
    .require(licenceIssuer)
    .sign('license-revocations+jwt', { iat: now, exp: now + revocationsLife, seq: row?.seq ?? 0, revoked: row?.revoked ?? [] });
}
