import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { challengeOf, levelOf, protectedStaff, verify } from '../../test/authenticator.ts';
import { bearer, fresh, mailedToken, password, roleId } from '../../test/clients.ts';

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

  it(`one code in two simultaneous sign-ins, ${rounds} times: exactly one success each`, async () => {
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
    console.info(
      `one code in two simultaneous sign-ins × ${rounds}: ${successes.filter((n) => n === 1).length} times exactly one success`,
    );
  });

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

  it('thirty simultaneous guesses: five are checked', async () => {
    const { email, app } = await protectedStaff(shop, shop.a);
    const challenge = await challengeOf(shop.a, email);
    const code = app.wrong();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => verify(shop.a.guest.at(shop.bases[i % 2] as string), { challenge, code })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(25);
  });

  it('attempts without the password don’t count', async () => {
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
  it('replaces the code once, also in simultaneous sign-ins and in any notation; the user is notified', async () => {
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
    // A second factor stays with an account whose mailbox is proven.
    await shop.rows('update identity_account set email_verified_at = now() where email = $1', [email]);
    await shop.a.guest.post('/api/auth/forgot-password', { email, audience: 'admin' });
    const token = await mailedToken(shop, email, 'identity.reset');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password })).status).toBe(204);
    expect(await check(deviceToken)).toEqual({ trusted: false, until: null });
    expect((await signIn(email, { deviceToken }, agent)).body.code).toBe('two_factor_required');
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
