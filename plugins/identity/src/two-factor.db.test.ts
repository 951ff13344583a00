import { type TestShop, testShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { App, challengeOf, levelOf, protectedStaff, verify } from '../test/authenticator.ts';
import { addStaff, bearer, fresh, login, mailedToken, password, roleId } from '../test/clients.ts';

const rounds = process.env.STORELOOM_NIGHTLY === '1' ? 100 : 20;

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'], processes: 2 });
});
afterAll(() => shop?.stop());

const signIn = (email: string, more: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  shop.a.guest.post<{ accessToken: string; code: string; challenge: string }>(
    '/api/auth/login',
    { email, password, audience: 'admin', ...more },
    headers,
  );

const agent = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/150.0' };

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

  it('a secret that nobody confirmed is over after ten minutes', async () => {
    const { email } = await addStaff(shop.a, [await roleId(shop.a, 'read-only')]);
    const { accessToken } = await login(shop.a, { email, audience: 'admin' });
    const client = shop.a.guest.with(bearer(accessToken));
    const { secret } = (await client.get<{ secret: string }>('/api/admin/2fa/setup')).body;
    shop.clock.advance(601_000);
    expect((await client.post('/api/admin/2fa/enable', { code: new App(shop, secret).code() })).status).toBe(410);
    expect((await client.get<{ secret: string }>('/api/admin/2fa/setup')).body.secret).not.toBe(secret);
  });

  it('is for who may look after their own account', async () => {
    const nobody = await shop.a.staff([]);
    for (const [method, path] of [
      ['GET', 'setup'],
      ['POST', 'enable'],
      ['POST', 'disable'],
      ['POST', 'verify'],
      ['POST', 'check-device'],
    ] as const)
      expect((await nobody.call(method, `/api/admin/2fa/${path}`, method === 'POST' ? { body: {} } : {})).status).toBe(403);
    for (const path of ['setup', 'enable', 'disable'])
      expect((await shop.a.guest.call(path === 'setup' ? 'GET' : 'POST', `/api/admin/2fa/${path}`)).status).toBe(401);
  });
});

describe('signing in', () => {
  it('says so once the password has held, and takes the code with the sign-in or with the challenge', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    expect((await signIn(email, { password: 'a wrong password', otp: app.next() })).body.code).toBe('unauthenticated');
    const direct = await signIn(email, { otp: app.next() });
    expect(direct.status).toBe(200);
    expect(levelOf(direct.body.accessToken)).toBe(2);
    const challenge = await challengeOf(shop.a, email);
    // It is no access token.
    expect((await shop.a.guest.with(bearer(challenge)).get('/api/admin/me/permissions')).status).toBe(401);
    expect((await shop.a.guest.with(bearer(challenge)).get('/api/auth/me')).status).toBe(401);
    expect((await verify(shop.a.guest, { challenge, code: app.wrong() })).status).toBe(401);
    const done = await verify(shop.a.guest, { challenge, code: app.next() });
    expect(done.status, done.text).toBe(200);
    expect(levelOf(done.body.accessToken)).toBe(2);
    expect(String(done.headers['set-cookie'])).toContain('storeloom_admin=');
    expect((await shop.a.guest.with(bearer(done.body.accessToken)).get('/api/admin/me/permissions')).status).toBe(200);
    expect((await shop.a.guest.post('/api/auth/refresh', { refreshToken: done.body.refreshToken })).status).toBe(200);
  });

  it(`one code twice at once, ${rounds} times: exactly one success each`, async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    const successes: number[] = [];
    for (let i = 0; i < rounds; i++) {
      const challenge = await challengeOf(shop.a, email);
      const code = app.next();
      const answers = await Promise.all(shop.bases.map((base) => verify(shop.a.guest.at(base), { challenge, code })));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
      successes.push(answers.filter(({ status }) => status === 200).length);
      // Nor once more, nor an older one.
      if (i % 10 === 0) {
        expect((await signIn(email, { otp: code })).status).toBe(401);
        expect((await signIn(email, { otp: app.code(-1) })).status).toBe(401);
      }
    }
    console.info(`one code twice at once × ${rounds}: ${successes.filter((n) => n === 1).length} times exactly one success`);
  }, 120_000);

  it('five wrong codes in five minutes, then 429 for the right one too, until they are over', async () => {
    const { email, app, recoveryCodes } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    for (let i = 0; i < 5; i++) expect((await verify(shop.a.guest, { challenge, code: app.wrong() })).status).toBe(401);
    const refused = await verify(shop.a.guest, { challenge, code: app.next() });
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(300);
    expect((await signIn(email, { otp: app.next() })).status).toBe(429);
    // A recovery code isn't guessed: it lets the owner in meanwhile.
    expect((await verify(shop.a.guest, { challenge, recoveryCode: 'AAAA-AAAA-AAAA-AAAA' })).status).toBe(401);
    const stillIn = await signIn(email, { otp: recoveryCodes[0] });
    expect(stillIn.status).toBe(200);
    expect(levelOf(stillIn.body.accessToken)).toBe(2);
    for (let i = 0; i < 6; i++) await signIn(email, { otp: app.wrong() });
    // Guessing on doesn't move the end.
    shop.clock.advance(200_000);
    for (let i = 0; i < 3; i++) expect((await signIn(email, { otp: app.wrong() })).status).toBe(429);
    shop.clock.advance(100_000);
    expect((await signIn(email, { otp: app.next() })).status).toBe(200);
  });

  it('thirty guesses at once: five are looked at', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    const code = app.wrong();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => verify(shop.a.guest.at(shop.bases[i % 2] as string), { challenge, code })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('without the password nobody uses up the tries', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    for (let i = 0; i < 8; i++)
      expect((await signIn(email, { password: 'a wrong password', otp: app.wrong() })).status).toBe(401);
    expect((await signIn(email, { otp: app.next() })).status).toBe(200);
  });

  it('a challenge is over after five minutes, with a new password, and when it was changed', async () => {
    const { email, app, client } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    for (const odd of ['', 'x', `${challenge}x`, challenge.slice(0, -3)])
      expect((await verify(shop.a.guest, { challenge: odd, code: app.next() })).status).toBeOneOf([401, 422]);
    const access = client.headers.authorization?.slice('Bearer '.length);
    expect((await verify(shop.a.guest, { challenge: access, code: app.next() })).status).toBe(401);
    await client.post('/api/auth/logout/all');
    expect((await verify(shop.a.guest, { challenge, code: app.next() })).status).toBe(401);
  });

  it('an account of two tenants: the code stays unused until a tenant is named', async () => {
    const email = fresh('both');
    const { app } = await protectedStaff(shop, shop.a, email);
    const invited = await shop.b.admin.post<{ invitation: { token: string } }>('/api/admin/rbac/users', {
      email,
      name: 'Both',
      roleIds: [await roleId(shop.b, 'staff')],
    });
    const inA = await signIn(email, { otp: app.next() });
    const { token } = invited.body.invitation;
    expect((await shop.a.guest.with(bearer(inA.body.accessToken)).post('/api/auth/verify-email', { token })).status).toBe(204);
    const code = app.next();
    expect((await signIn(email)).body.code).toBe('two_factor_required');
    expect(await signIn(email, { otp: code })).toMatchObject({ status: 409, body: { code: 'tenant_required' } });
    const challenge = await challengeOf(shop.a, email);
    expect((await verify(shop.a.guest, { challenge, code })).status).toBe(409);
    expect((await signIn(email, { otp: code, tenant: 'b' })).status).toBe(200);
    // It is on in every tenant of the account.
    const inB = await shop.b.admin.get<{ data: { twoFactor: boolean }[] }>(`/api/admin/rbac/users?email=${email}`);
    expect(inB.body.data).toMatchObject([{ twoFactor: true }]);
  });
});

describe('a recovery code', () => {
  it('takes the place of the code, once, also at once and however it is typed; the account is told', async () => {
    const { email, recoveryCodes } = await protectedStaff(shop, shop.a);
    const [first, second] = recoveryCodes as [string, string];
    const challenge = await challengeOf(shop.a, email);
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        verify(shop.a.guest.at(shop.bases[i % 2] as string), { challenge, recoveryCode: first }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
    const again = await verify(shop.a.guest, { challenge, recoveryCode: second.toLowerCase().replaceAll('-', ' ') });
    expect(again.status).toBe(200);
    await shop.settled();
    expect(
      (await shop.mails()).filter(({ to, template }) => to === email && template === 'identity.recoveryCodeUsed'),
    ).toHaveLength(2);
  });

  it('of another account is none', async () => {
    const mine = await protectedStaff(shop, shop.a);
    const other = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, mine.email);
    expect((await verify(shop.a.guest, { challenge, recoveryCode: other.recoveryCodes[0] })).status).toBe(401);
  });

  it('either that or a code, never both', async () => {
    const { email, app, recoveryCodes } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    expect((await verify(shop.a.guest, { challenge })).status).toBe(422);
    expect((await verify(shop.a.guest, { challenge, code: app.next(), recoveryCode: recoveryCodes[0] })).status).toBe(422);
    expect((await verify(shop.a.guest, { code: app.next() })).status).toBe(401);
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

describe('a trusted device', () => {
  const trust = async () => {
    const person = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, person.email);
    const done = await verify(shop.a.guest, { challenge, code: person.app.next(), trustDevice: true }, agent);
    return { ...person, deviceToken: done.body.deviceToken as string };
  };
  const check = async (deviceToken: string, headers: Record<string, string> = agent) =>
    (await shop.a.guest.post('/api/admin/2fa/check-device', { deviceToken }, headers)).body;

  it('needs no code for thirty days; another browser and another account do', async () => {
    const { email, deviceToken } = await trust();
    expect(await check(deviceToken)).toEqual({
      trusted: true,
      until: new Date(Date.parse((await check(deviceToken)).until as string)).toISOString(),
    });
    const there = await signIn(email, { deviceToken }, agent);
    expect(there.status).toBe(200);
    expect(levelOf(there.body.accessToken)).toBe(1);
    expect((await signIn(email, { deviceToken }, { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/151.1' })).status).toBe(
      200,
    );
    expect((await signIn(email, { deviceToken }, { 'user-agent': 'curl/8' })).body.code).toBe('two_factor_required');
    expect(await check(deviceToken, { 'user-agent': 'curl/8' })).toEqual({ trusted: false, until: null });
    const other = await protectedStaff(shop, shop.a);
    expect((await signIn(other.email, { deviceToken }, agent)).body.code).toBe('two_factor_required');
    expect(await check('x')).toEqual({ trusted: false, until: null });
  });

  it('ends with a new password', async () => {
    const { email, deviceToken } = await trust();
    await shop.a.guest.post('/api/auth/forgot-password', { email, audience: 'admin' });
    const token = await mailedToken(shop, email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password })).status).toBe(204);
    expect(await check(deviceToken)).toEqual({ trusted: false, until: null });
    expect((await signIn(email, { deviceToken }, agent)).body.code).toBe('two_factor_required');
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

// Last: the other sessions of these tests are over then too.
describe('after thirty days', () => {
  it('a device is trusted no more', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    const { body } = await verify(shop.a.guest, { challenge, code: app.next(), trustDevice: true }, agent);
    const { deviceToken } = body;
    shop.clock.advance(30 * 86_400_000 - 60_000);
    expect((await signIn(email, { deviceToken }, agent)).status).toBe(200);
    shop.clock.advance(60_000);
    expect((await signIn(email, { deviceToken }, agent)).body.code).toBe('two_factor_required');
  });
});
