import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { App, challengeOf, levelOf, protectedStaff, verify } from '../../test/authenticator.ts';
import { addStaff, bearer, login, password, roleId } from '../../test/clients.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
});
afterAll(() => shop?.stop());

const signIn = (email: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  shop.a.guest.post<{ accessToken: string; code: string; challenge: string }>(
    '/api/auth/login',
    { email, password, audience: 'admin', ...more },
    headers,
  );

describe('turning it on', () => {
  it('needs a right code of the secret that was shown; then the secret is shown no more', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'read-only')]);
    const { accessToken } = await login(shop.a, { email, audience: 'admin' });
    const client = shop.a.guest.with(bearer(accessToken));
    expect((await client.post('/api/admin/2fa/enable', { code: '123456' })).body.code).toBe('expired');
    const first = await client.get<{ secret: string; otpauthUrl: string }>('/api/admin/2fa/setup');
    expect(first.headers['cache-control']).toBe('no-store');
    expect(new URL(first.body.otpauthUrl).searchParams.get('issuer')).toBe('Shop A');
    expect((await client.get('/api/admin/2fa/setup')).body).toEqual(first.body);
    const app = new App(shop, first.body.secret);
    expect(await client.post('/api/admin/2fa/enable', { code: app.wrong() })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/code', code: 'code_wrong' }] },
    });
    const code = app.code();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => client.post<{ recoveryCodes: string[] }>('/api/admin/2fa/enable', { code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
    const codes = answers.find(({ status }) => status === 200)?.body.recoveryCodes as string[];
    expect(new Set(codes).size).toBe(10);
    expect(await client.get('/api/admin/2fa/setup')).toMatchObject({ status: 409, body: { code: 'two_factor_on' } });
    // Neither the secret nor a recovery code lies open in the database.
    const kept = JSON.stringify(
      await shop.rows(
        'select to_jsonb(a) as a from identity_account a union all select to_jsonb(c) from identity_recovery_code c',
      ),
    );
    for (const secret of [first.body.secret, ...codes, ...codes.map((one) => one.replaceAll('-', ''))])
      expect(kept).not.toContain(secret);
    const audited = await shop.rows(
      "select action from core_audit where action = 'identity.self.enable-two-factor' and tenant_id = $1",
      [shop.a.id],
    );
    expect(audited).toHaveLength(1);
    await shop.settled();
    expect((await shop.mails()).filter(({ to, template }) => to === email && template === 'identity.twoFactorOn')).toHaveLength(
      1,
    );
    const users = await shop.a.admin.get<{ data: { twoFactor: boolean }[] }>(`/api/admin/rbac/users?email=${email}`);
    expect(users.body.data).toMatchObject([{ twoFactor: true }]);
  });

  it('an unconfirmed secret expires after ten minutes', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'read-only')]);
    const { accessToken } = await login(shop.a, { email, audience: 'admin' });
    const client = shop.a.guest.with(bearer(accessToken));
    const { secret } = (await client.get<{ secret: string }>('/api/admin/2fa/setup')).body;
    shop.clock.advance(601_000);
    expect((await client.post('/api/admin/2fa/enable', { code: new App(shop, secret).code() })).status).toBe(410);
    expect((await client.get<{ secret: string }>('/api/admin/2fa/setup')).body.secret).not.toBe(secret);
  });

  it('is for who may look after their own account', async () => {
    const unprivileged = await shop.a.staff([]);
    for (const [method, path] of [
      ['GET', 'setup'],
      ['POST', 'enable'],
      ['POST', 'disable'],
      ['POST', 'verify'],
      ['POST', 'check-device'],
    ] as const)
      expect((await unprivileged.call(method, `/api/admin/2fa/${path}`, method === 'POST' ? { body: {} } : {})).status).toBe(403);
    for (const path of ['setup', 'enable', 'disable'])
      expect((await shop.a.guest.call(path === 'setup' ? 'GET' : 'POST', `/api/admin/2fa/${path}`)).status).toBe(401);
  });
});

describe('a bearer', () => {
  it('raises its session, which keeps its refresh token', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    const tokens = await login(shop.a, { email, audience: 'admin' });
    const client = shop.a.guest.with(bearer(tokens.accessToken));
    expect(await verify(client, { code: '123456' })).toMatchObject({ status: 409, body: { code: 'two_factor_off' } });
    const { secret } = (await client.get<{ secret: string }>('/api/admin/2fa/setup')).body;
    const app = new App(shop, secret);
    await client.post('/api/admin/2fa/enable', { code: app.code() });
    expect(await verify(client, { code: app.wrong() })).toMatchObject({ status: 422 });
    expect((await verify(client, { challenge: 'a.b.c', code: app.next() })).status).toBe(422);
    const raised = await verify(client, { code: app.next() });
    expect(raised.body).toMatchObject({ refreshToken: null, deviceToken: null, user: { email } });
    expect(levelOf(raised.body.accessToken)).toBe(2);
    const next = await shop.a.guest.post<{ accessToken: string }>('/api/auth/refresh', { refreshToken: tokens.refreshToken });
    expect(levelOf(next.body.accessToken)).toBe(2);
    expect((await verify(shop.a.guest, { code: app.next() }, { authorization: 'Bearer a.b.c' })).status).toBe(401);
  });
});

describe('turning it off', () => {
  it('needs password and code; then codes and devices are worthless', async () => {
    const { email, client, app, recoveryCodes } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    const off = (body: Record<string, unknown>) => client.post('/api/admin/2fa/disable', body);
    expect(await off({ password: 'a wrong password', code: app.next() })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/password' }] },
    });
    expect(await off({ password, code: app.wrong() })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/code' }] } });
    expect((await off({ password })).status).toBe(422);
    expect((await off({ code: app.code() })).status).toBe(422);
    expect((await off({ password, code: app.next() })).status).toBe(204);
    expect((await off({ password, code: app.next() })).body.code).toBe('two_factor_off');
    expect((await verify(shop.a.guest, { challenge, recoveryCode: recoveryCodes[0] })).status).toBe(401);
    expect((await signIn(email)).status).toBe(200);
    const lost = await protectedStaff(shop, shop.a);
    // Who has lost the app takes a recovery code, once.
    const withRecovery = { password, code: lost.recoveryCodes[3] };
    expect((await lost.client.post('/api/admin/2fa/disable', withRecovery)).status).toBe(204);
    expect((await signIn(lost.email)).status).toBe(200);
    // On again with another secret.
    const { secret } = (await client.get<{ secret: string }>('/api/admin/2fa/setup')).body;
    expect(secret).not.toBe(app.secret);
  });
});

describe('the functions behind it', () => {
  it('answer in a tenant only for accounts that work there', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    const [account] = await shop.rows<{ id: string }>('select id from identity_account where email = $1', [email]);
    const { sql } = await import('@storeloom/plugin-sdk');
    const id = account?.id as string;
    const step = Math.floor(shop.clock.ms() / 30_000) + 10;
    const ask = (tenant: typeof shop.a) =>
      tenant.run('identity', async ({ db }) => ({
        read: await db.rows(sql`select * from identity_second_factor(${id}::uuid)`),
        on: (await db.first<{ on: boolean }>(sql`select identity_second_factor_on(${id}::uuid) as on`))?.on,
        used: (await db.first<{ used: boolean }>(sql`select identity_totp_use(${id}::uuid, ${step}::bigint) as used`))?.used,
        off: (await db.first<{ off: boolean }>(sql`select identity_totp_disable(${id}::uuid, now()) as off`))?.off,
      }));
    expect(await ask(shop.b)).toEqual({ read: [], on: false, used: false, off: false });
    expect((await signIn(email, { otp: app.next() })).status).toBe(200);
    await expect(shop.a.run('identity', ({ db }) => db.rows(sql`select id from identity_account`))).rejects.toThrow();
    await expect(shop.a.run('identity', ({ db }) => db.rows(sql`select id from identity_recovery_code`))).rejects.toThrow();
  });
});
