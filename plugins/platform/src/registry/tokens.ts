import { createHash, randomBytes } from 'node:crypto';
import { type Ctx, type PlatformCtx, problem, provide, sql, uuidPattern, uuidv7 } from '@storeloom/plugin-sdk';
import { type RegistryToken, type RegistryTokens, registryTokens } from '../contract.ts';
import { addEvent, type Licence, requireLicence } from '../licence/licence.ts';

/** What says what a token is, to people and to scanners for secrets that have leaked. */
const prefixes = { install: 'slr', publish: 'slp' } as const;
/** 256 random bits. */
const generateToken = (kind: RegistryToken['kind']): string => `${prefixes[kind]}_${randomBytes(32).toString('base64url')}`;
export const tokenPattern = /^sl[rp]_[\w-]{43}$/;
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A package's name, or all of a scope. */
const packagePattern = /^(@[a-z0-9-][a-z0-9-._]*\/)?([a-z0-9-][a-z0-9-._]*|(?<=\/)\*)$/;

const columns = sql`t.id, t.kind, t.license_id as "licenseId", t.packages, t.name, t.created_at as "createdAt", t.revoked_at as "revokedAt"`;

/** The live token of a licence, made where it has none. Under the lock of the licence's row. */
export async function tokenOfLicence(ctx: PlatformCtx, licence: Pick<Licence, 'id'>): Promise<string> {
  const live = await ctx.db.first<{ sealed: string }>(
    sql`select token_sealed as sealed from platform_registry_token where license_id = ${licence.id} and revoked_at is null`,
  );
  if (live) return ctx.unseal(live.sealed);
  const token = generateToken('install');
  const ms = ctx.clock.ms();
  await ctx.db.run(sql`insert into platform_registry_token (id, kind, license_id, name, token_hash, token_sealed, created_at)
    values (${uuidv7(ms)}, 'install', ${licence.id}, 'licence', ${hashOfToken(token)}, ${ctx.seal(token)}, ${new Date(ms).toISOString()})`);
  return token;
}

/** Ends the live token of a licence, where there is one. */
export async function revokeTokenOfLicence(ctx: PlatformCtx, licence: Pick<Licence, 'id'>): Promise<void> {
  const [ended] = await ctx.db.rows<{ id: string }>(sql`update platform_registry_token set revoked_at = ${ctx.clock.now()}
    where license_id = ${licence.id} and revoked_at is null returning id`);
  if (ended) await addEvent(ctx, licence.id, 'registry_token_revoked', { data: { token: ended.id } });
}

const audited = (ctx: PlatformCtx, action: string, id: string, after: object | null): Promise<void> =>
  ctx.audit({
    entity: 'platform.registry-token',
    entityId: id,
    action: `platform.registry-token.${action}`,
    before: null,
    after,
  });

const service = (ctx: PlatformCtx): RegistryTokens => ({
  ofLicence: (licenseId) => ctx.transaction(async (tx) => tokenOfLicence(tx, await requireLicence(tx, licenseId))),
  publisher: ({ name, packages }) =>
    ctx.transaction(async (tx) => {
      const wrong = packages.filter((entry) => !packagePattern.test(entry));
      if (packages.length === 0 || wrong.length > 0)
        throw problem('validation_failed', {
          detail: `Packages of a publisher must be package names or @scope/*: ${wrong.join(', ') || 'none given'}.`,
        });
      const token = generateToken('publish');
      const ms = tx.clock.ms();
      const id = uuidv7(ms);
      await tx.db.run(sql`insert into platform_registry_token (id, kind, packages, name, token_hash, created_at)
        values (${id}, 'publish', ${JSON.stringify(packages)}::jsonb, ${name}, ${hashOfToken(token)}, ${new Date(ms).toISOString()})`);
      await audited(tx, 'create', id, { name, packages });
      return { id, token };
    }),
  all: () =>
    ctx.transaction(
      ({ db }) => db.rows<RegistryToken>(sql`select ${columns} from platform_registry_token t order by t.created_at, t.id`),
      {
        readOnly: true,
      },
    ),
  revoke: (id) =>
    ctx.transaction(async (tx) => {
      if (!uuidPattern.test(id)) return false;
      const [ended] = await tx.db.rows<RegistryToken>(sql`update platform_registry_token t set revoked_at = ${tx.clock.now()}
        where t.id = ${id} and t.revoked_at is null returning ${columns}`);
      if (!ended) return false;
      if (ended.licenseId !== null) await addEvent(tx, ended.licenseId, 'registry_token_revoked', { data: { token: id } });
      await audited(tx, 'revoke', id, { name: ended.name });
      return true;
    }),
});

/** For the operator's command line: no tenant has a part in it. */
export const registryTokensProvider = provide(registryTokens, (ctx: Ctx | PlatformCtx) => {
  if (ctx.tenant !== null) throw new Error('registry tokens are made as the platform, not in a tenant');
  return service(ctx);
});
