import semver from 'semver';
import { z } from 'zod';

/** Times are NumericDate (seconds), durations are seconds. Unknown claims are ignored; removing a claim or changing its type needs a major release. */
const time = z.int().min(0).max(253_402_300_799);
const span = z.int().min(0).max(3_155_760_000);
const ranges = z.record(
  z.string().min(1),
  z.string().refine((range) => semver.validRange(range) !== null, 'must be a semver range'),
);
const day = 24 * 60 * 60;

/** Claims of a licence certificate (JWT). */
export const licenceClaims = z.object({
  iss: z.string().min(1),
  aud: z.literal('kernel'),
  v: z.literal(1),
  /** Installation id. */
  sub: z.string().min(1),
  /** Licence id. */
  jti: z.string().min(1),
  iat: time,
  nbf: time.optional(),
  /** End of this certificate. */
  exp: time,
  /** End of the entitlement. */
  expiresAt: time,
  env: z.enum(['production', 'staging', 'development']),
  /** Name, for display. */
  plan: z.string(),
  /** Entitlement → version range; `*` is any entitlement. */
  plugins: ranges,
  themes: ranges.default({}),
  /** `tenants`, `seats`, `stores`; a missing one is unlimited. */
  limits: z.record(z.string(), z.int().min(0)).default({}),
  domains: z.array(z.string()).default([]),
  /** Versions published until then can be installed. */
  updatesUntil: time,
  grace: span.default(14 * day),
  heartbeat: z.object({ interval: span.default(day), maxOffline: span.default(0) }).default({ interval: day, maxOffline: 0 }),
  fingerprint: z.array(z.string()).optional(),
});
export type LicenceClaims = z.infer<typeof licenceClaims>;

export const licenceType = 'license+jwt';
