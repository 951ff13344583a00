import { f, type PlatformCtx, platformRoute, problem, sql } from '@storeloom/plugin-sdk';
import { findLicence } from '../licence/licence.ts';
import { hashOfToken, revokeTokenOfLicence, tokenOfLicence, tokenPattern } from './tokens.ts';

interface Asked {
  kind: 'install' | 'publish';
  tokenRevoked: boolean;
  packages: string[] | null;
  licenseId: string | null;
  licenceRevoked: boolean;
  plugins: Record<string, string> | null;
  themes: Record<string, string> | null;
  expiresAt: string | null;
  grace: number | null;
  updatesUntil: string | null;
}

/**
 * Pure: what a token is good for now. A licence that has ended goes on for its grace; then, and once it is revoked, it installs
 * nothing.
 */
function standing(asked: Asked | undefined, now: number): 'valid' | 'expired' | 'suspended' | 'not_found' {
  if (!asked) return 'not_found';
  if (asked.tokenRevoked || asked.licenceRevoked) return 'suspended';
  if (asked.expiresAt !== null && Date.parse(asked.expiresAt) + (asked.grace ?? 0) * 1000 <= now) return 'expired';
  return 'valid';
}

const nothing = {
  kind: null,
  packages: null,
  licenseId: null,
  plugins: null,
  themes: null,
  expiresAt: null,
  updatesUntil: null,
};

async function describe(ctx: PlatformCtx, token: string) {
  const asked = tokenPattern.test(token)
    ? await ctx.db.first<Asked>(sql`select t.kind, t.revoked_at is not null as "tokenRevoked", t.packages, t.license_id as "licenseId",
        l.revoked_at is not null as "licenceRevoked", l.plugins, l.themes, l.expires_at as "expiresAt", l.grace_seconds as grace,
        l.updates_until as "updatesUntil"
      from platform_registry_token t left join platform_license l on l.id = t.license_id where t.token_hash = ${hashOfToken(token)}`)
    : undefined;
  const answer = standing(asked, ctx.clock.ms());
  // The response to an invalid token reveals nothing.
  if (!asked || answer === 'suspended') return { answer, ...nothing };
  const { kind, packages, licenseId, plugins, themes, expiresAt, updatesUntil } = asked;
  return { answer, kind, packages, licenseId, plugins, themes, expiresAt, updatesUntil };
}

/** Routes for the package registry, and for the holder of a licence key to get the registry token. */
export const registryRoutes = [
  platformRoute(
    'POST',
    '/api/licensing/registry',
    {
      summary: 'What a token of the package registry is good for',
      body: { token: f.text({ max: 200 }) },
      response: {
        answer: f.oneOf(['valid', 'expired', 'suspended', 'not_found']),
        kind: f.oneOf(['install', 'publish']).optional(),
        packages: f.list(f.text()).optional(),
        licenseId: f.id().optional(),
        plugins: f.json().optional().describe('Range of versions by plugin.'),
        themes: f.json().optional().describe('Range of versions by theme.'),
        expiresAt: f.instant().optional(),
        updatesUntil: f.instant().optional(),
      },
      additive: true,
      idempotent: false,
      // A registry asks once in half a minute for each token in use; who holds no token learns nothing here.
      rateLimit: { name: 'licensing-registry', points: 3000, seconds: 60, by: 'ip' },
    },
    (ctx, req) => ctx.transaction((platform) => describe(platform, req.body.token), { readOnly: true }),
  ),
  platformRoute(
    'POST',
    '/api/licensing/registry-token',
    {
      summary: 'Get the registry token of a licence by its key; `rotate` invalidates the previous one',
      body: { key: f.text({ max: 100 }), rotate: f.bool().default(false) },
      response: { token: f.text() },
      additive: true,
      // The answer holds a secret.
      idempotent: false,
      rateLimit: { name: 'licensing-registry-token', points: 30, seconds: 60, by: 'ip' },
      problems: ['not_found', 'license_required'],
    },
    (ctx, req) =>
      ctx.transaction(async (platform) => {
        const licence = await findLicence(platform, { key: req.body.key }, { lock: true });
        if (!licence) throw problem('not_found', { detail: 'There is no licence with this key.' });
        if (licence.revokedAt !== null)
          throw problem('license_required', { reason: 'revoked', detail: 'The licence is revoked.' });
        if (req.body.rotate) await revokeTokenOfLicence(platform, licence);
        return { token: await tokenOfLicence(platform, licence) };
      }),
  ),
];
