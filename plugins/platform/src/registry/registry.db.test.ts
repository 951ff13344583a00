import { type Ctx, type PlatformCtx, Problem } from '@storeloom/plugin-sdk';
import { sentMails, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue as issueBy, issuingShop, signedIn } from '../../test/issuer.ts';
import { type RegistryTokens, registryTokens } from '../contract.ts';

const day = 86_400_000;
let shop: TestShop;
beforeAll(async () => {
  shop = (await issuingShop({ now: '2026-11-27T12:00:00.000Z', processes: 2 })).issuer;
});
afterAll(() => shop?.stop());

const operator = async () => (await signedIn(shop)).operator;
const issue = async (change: object = {}) => issueBy(shop, change, await operator());
const ask = async (token: string) =>
  (await shop.a.guest.post<Record<string, unknown>>('/api/licensing/registry', { token })).body;
const tokenOf = (key: string, rotate = false, base = 0) =>
  shop.a.guest
    .at(shop.bases[base] as string)
    .post<{ token: string; code: string; reason: string }>('/api/licensing/registry-token', {
      key,
      ...(rotate ? { rotate } : {}),
    });
const tokens = <T>(fn: (service: RegistryTokens) => Promise<T>): Promise<T> =>
  shop.kernel.asPlatform('platform', (ctx: PlatformCtx) => fn(ctx.require(registryTokens)));

/** The response to an invalid token reveals nothing. */
const nothing = {
  kind: null,
  packages: null,
  licenseId: null,
  plugins: null,
  themes: null,
  expiresAt: null,
  updatesUntil: null,
};

describe('the registry token of a licence', () => {
  it('comes with the key by mail, stays the same, and is nowhere in clear', async () => {
    const licence = await issue();
    await shop.settled();
    const made = await tokenOf(` ${licence.key.toLowerCase()} `);
    expect(made.status, made.text).toBe(200);
    const { token } = made.body;
    expect(token).toMatch(/^slr_[\w-]{43}$/);
    expect(sentMails(shop)).toContain(token);
    expect((await tokenOf(licence.key)).body).toEqual({ token });
    expect(await tokens((service) => service.ofLicence(licence.id))).toBe(token);
    for (const table of [
      'platform_registry_token',
      'platform_license',
      'platform_license_event',
      'core_audit',
      'core_platform_audit',
    ])
      expect(JSON.stringify(await shop.rows(`select * from ${table}`)), table).not.toContain(token);
  });

  it('says what its licence covers, and nothing else does', async () => {
    const licence = await issue({ plugins: { hotel: '^1.0.0' }, themes: { casa: '*' } });
    const { token } = (await tokenOf(licence.key)).body;
    expect(await ask(token)).toMatchObject({
      answer: 'valid',
      kind: 'install',
      packages: null,
      licenseId: licence.id,
      plugins: { hotel: '^1.0.0' },
      themes: { casa: '*' },
      expiresAt: expect.stringMatching(/Z$/),
      updatesUntil: expect.stringMatching(/Z$/),
    });
    const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    for (const wrong of [other, 'x', licence.key, token.toUpperCase(), `${token}a`])
      expect(await ask(wrong), wrong).toEqual({ answer: 'not_found', ...nothing });
    expect((await shop.a.guest.post('/api/licensing/registry', { token: 1 })).status).toBe(422);
    expect((await tokenOf('SL-NOBODY')).status).toBe(404);
  });

  it('is one, for any number of simultaneous requests, over two processes', async () => {
    const licence = await issue();
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => tokenOf(licence.key, false, i % 2)));
    expect(new Set(made.map(({ body }) => body.token)).size).toBe(1);
    const rotated = await Promise.all(Array.from({ length: 10 }, (_, i) => tokenOf(licence.key, true, i % 2)));
    expect(new Set(rotated.map(({ body }) => body.token)).size).toBe(10);
    const answers = await Promise.all(rotated.map(({ body }) => ask(body.token)));
    expect(answers.filter(({ answer }) => answer === 'valid')).toHaveLength(1);
    expect(answers.filter(({ answer }) => answer === 'suspended')).toHaveLength(9);
    expect(await ask(made[0]!.body.token)).toEqual({ answer: 'suspended', ...nothing });
  });

  it('ends with its licence: after the grace it installs nothing, revoked it says nothing', async () => {
    const now = shop.clock.ms();
    const licence = await issue({ expiresAt: new Date(now + 2 * day).toISOString(), grace: 86_400 });
    const gone = await issue();
    const { token } = (await tokenOf(licence.key)).body;
    const dead = (await tokenOf(gone.key)).body.token;
    const revoked = await (await operator()).post('/api/super-admin/licenses/revoke', {
      licenseId: gone.id,
      reason: 'chargeback',
    });
    expect(revoked.status, revoked.text).toBe(200);
    expect(await ask(dead)).toEqual({ answer: 'suspended', ...nothing });
    expect(await tokenOf(gone.key)).toMatchObject({ status: 403, body: { code: 'license_required', reason: 'revoked' } });
    shop.clock.advance(2.5 * day);
    expect(await ask(token)).toMatchObject({ answer: 'valid' });
    shop.clock.advance(0.5 * day);
    expect(await ask(token)).toMatchObject({ answer: 'expired', licenseId: licence.id });
  });
});

describe('a publisher', () => {
  it('is made by the operator for named packages, and revoked', async () => {
    const made = await tokens((service) => service.publisher({ name: 'ci', packages: ['@acme/*', 'plugin-solo'] }));
    expect(made.token).toMatch(/^slp_[\w-]{43}$/);
    expect(await ask(made.token)).toEqual({
      answer: 'valid',
      kind: 'publish',
      packages: ['@acme/*', 'plugin-solo'],
      licenseId: null,
      plugins: null,
      themes: null,
      expiresAt: null,
      updatesUntil: null,
    });
    expect(await tokens((service) => service.all())).toContainEqual(
      expect.objectContaining({ id: made.id, kind: 'publish', name: 'ci', revokedAt: null }),
    );
    expect(JSON.stringify(await shop.rows('select * from platform_registry_token'))).not.toContain(made.token);
    expect(await tokens((service) => service.revoke(made.id))).toBe(true);
    expect(await tokens((service) => service.revoke(made.id))).toBe(false);
    expect(await tokens((service) => service.revoke('no id'))).toBe(false);
    expect(await ask(made.token)).toEqual({ answer: 'suspended', ...nothing });
  });

  it('names its packages, whole names or whole scopes', async () => {
    for (const packages of [[], ['*'], ['@acme/plugin-*'], ['@*/x'], ['../x'], ['@acme']])
      await expect(
        tokens((service) => service.publisher({ name: 'ci', packages })),
        packages.join(),
      ).rejects.toThrow(Problem);
  });

  it('is made by no shop', async () => {
    await expect(
      shop.a.run('platform', async (ctx: Ctx) => ctx.require(registryTokens).publisher({ name: 'x', packages: ['@acme/*'] })),
    ).rejects.toThrow(/not in a tenant/);
  });
});
