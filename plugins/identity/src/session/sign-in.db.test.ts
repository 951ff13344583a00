import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addStaff, bearer, fresh, login, password, plain, roleId, type Tokens, within } from '../../test/clients.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'], processes: 2 });
});
afterAll(() => shop?.stop());

describe('signing in', () => {
  it('staff get tokens of audience admin, and see who they are', async () => {
    const tokens = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
    expect(tokens).toMatchObject({ tokenType: 'Bearer', expiresIn: 600, user: { email: 'owner@a.example', name: 'Owner a' } });
    const claims = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] as string, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    expect(claims).toMatchObject({
      sub: tokens.user.id,
      tid: shop.a.id,
      aud: 'admin',
      ver: expect.any(Number),
      authLevel: 1,
      sid: expect.any(String),
      jti: expect.any(String),
    });
    const me = await shop.a.guest.with(bearer(tokens.accessToken)).get('/api/auth/me');
    expect(me.body).toMatchObject({ audience: 'admin', tenant: { slug: 'a' }, user: tokens.user });
    expect(me.body.permissions).toContain('identity.role.create');
  });

  it('the refresh token also comes as a cookie that scripts cannot read', async () => {
    const response = await shop.a.guest.post('/api/auth/login', { email: 'owner@a.example', password, audience: 'admin' });
    expect(String(response.headers['set-cookie'])).toMatch(
      /^storeloom_admin=\S+; Path=\/api; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('a customer of one shop is unknown in the other', async () => {
    const customer = await shop.a.customer();
    expect((await login(shop.a, { email: customer.email })).user.id).toBe(customer.customerId);
    const other = await shop.b.guest.post('/api/auth/login', { email: customer.email, password });
    expect(other.status).toBe(401);
  });

  it('says the same whether an address is known', async () => {
    const customer = await shop.a.customer();
    for (const [audience, known] of [
      ['storefront', customer.email],
      ['admin', 'owner@a.example'],
      ['super-admin', 'operator@test.example'],
    ] as const) {
      const wrong = await shop.a.guest.post('/api/auth/login', { email: known, password: 'a wrong password', audience });
      const unknown = await shop.a.guest.post('/api/auth/login', { email: fresh(), password: 'a wrong password', audience });
      expect(wrong.status).toBe(401);
      expect(unknown.status).toBe(401);
      expect(plain(wrong.body)).toEqual(plain(unknown.body));
      expect(wrong.headers['www-authenticate']).toBeDefined();
    }
  });

  it('refuses operators and odd values in the body', async () => {
    for (const body of [
      { email: { $ne: null }, password },
      { email: 'owner@a.example', password: { $like: '%' } },
      { email: ['owner@a.example'], password },
      { email: 'owner@a.example', password, role: 'owner' },
      { email: 'owner@a.example', password: 'x'.repeat(129) },
    ])
      expect((await shop.a.guest.post('/api/auth/login', body)).status).toBe(422);
  });

  it('an account of two tenants names one, after the password held', async () => {
    const email = fresh('both');
    await addStaff(shop.a, [await roleId(shop.a, 'staff')], email);
    const invited = await shop.b.admin.post<{ invitation: { token: string } }>('/api/admin/rbac/users', {
      email,
      name: 'Both',
      roleIds: [await roleId(shop.b, 'read-only')],
    });
    // An existing account signs in to accept: the inviter has the token too, so it isn't sufficient alone.
    const { token } = invited.body.invitation;
    expect((await shop.b.guest.post('/api/auth/reset-password', { token, password })).status).toBe(410);
    expect((await shop.b.guest.post('/api/auth/verify-email', { token })).status).toBe(401);
    expect((await shop.b.admin.post('/api/auth/verify-email', { token })).status).toBe(401);
    const first = await login(shop.a, { email, audience: 'admin' });
    expect((await shop.b.guest.with(bearer(first.accessToken)).post('/api/auth/verify-email', { token })).status).toBe(204);
    expect((await shop.b.guest.with(bearer(first.accessToken)).post('/api/auth/verify-email', { token })).status).toBe(410);

    const both = await shop.a.guest.post('/api/auth/login', { email, password, audience: 'admin' });
    expect(both.status).toBe(409);
    expect(both.body).toMatchObject({
      code: 'tenant_required',
      tenants: [
        { slug: 'a', name: 'Shop A' },
        { slug: 'b', name: 'Shop B' },
      ],
    });
    expect((await shop.a.guest.post('/api/auth/login', { email, password: 'a wrong password', audience: 'admin' })).status).toBe(
      401,
    );
    const inB = await login(shop.a, { email, audience: 'admin', tenant: 'b' });
    expect(inB.user.id).not.toBe(first.user.id);
    expect((await shop.a.guest.post('/api/auth/login', { email, password, audience: 'admin', tenant: 'nowhere' })).status).toBe(
      401,
    );

    // One account: a sign-out everywhere reaches every tenant.
    await shop.a.guest.with(bearer(first.accessToken)).post('/api/auth/logout/all');
    await within(
      5000,
      async () =>
        (
          await shop.a.guest
            .at(shop.bases[1] as string)
            .with(bearer(inB.accessToken))
            .get('/api/admin/me/permissions')
        ).status === 401,
    );
  });
});

describe('the audiences', () => {
  it('a token opens its own family only', async () => {
    const customer = await shop.a.customer();
    const admin = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
    const status = async (headers: Record<string, string>, path: string) => (await shop.a.guest.with(headers).get(path)).status;
    const { authorization } = customer.headers as { authorization: string };
    expect(await status({ authorization }, '/api/admin/me/permissions')).toBe(401);
    expect(await status({ authorization }, '/api/super-admin/tenants')).toBe(401);
    expect(await status(bearer(admin.accessToken), '/api/super-admin/tenants')).toBe(403);
    expect(await status(bearer(admin.accessToken), '/api/storefront/tenant-config/')).toBe(401);
    expect(await status(shop.operator.headers, '/api/admin/me/permissions')).toBe(401);
    expect(await status(shop.operator.headers, '/api/super-admin/tenants')).toBe(200);
    for (const headers of [{ authorization }, bearer(admin.accessToken), shop.operator.headers])
      expect(await status(headers, '/api/auth/me')).toBe(200);
  });

  it("a customer's token of one shop is none in another", async () => {
    const customer = await shop.a.customer();
    expect(
      (await shop.b.guest.with({ authorization: customer.headers.authorization as string }).get('/api/storefront/tenant-config/'))
        .status,
    ).toBe(401);
  });

  it.each(['', 'Bearer', 'Bearer x', 'Bearer a.b.c', 'Basic abc'])('%j is no bearer', async (authorization) => {
    const response = await shop.a.guest.with({ authorization }).get('/api/auth/me');
    expect(response.status).toBe(401);
  });
});

describe('signing out', () => {
  it('a session that ends anywhere is refused by every process within five seconds', async () => {
    const tokens = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
    const clients = shop.bases.map((base) => shop.a.guest.at(base).with(bearer(tokens.accessToken)));
    for (const client of clients) expect((await client.get('/api/admin/me/permissions')).status).toBe(200);
    // As another process would: nothing tells these two.
    const { sid } = JSON.parse(Buffer.from(tokens.accessToken.split('.')[1] as string, 'base64url').toString()) as {
      sid: string;
    };
    await shop.rows('update identity_session set revoked_at = now() where id = $1', [sid]);
    for (const client of clients) await within(5000, async () => (await client.get('/api/admin/me/permissions')).status === 401);
  });

  it('logout ends the session, here and in the other process', async () => {
    const tokens = await login(shop.a, { email: 'owner@a.example', audience: 'admin' });
    const clients = shop.bases.map((base) => shop.a.guest.at(base).with(bearer(tokens.accessToken)));
    for (const client of clients) expect((await client.get('/api/admin/me/permissions')).status).toBe(200);
    const out = await clients[0]?.post('/api/auth/logout');
    expect(out?.status).toBe(204);
    expect(String(out?.headers['set-cookie'])).toContain('storeloom_admin=; ');
    expect((await clients[0]?.get('/api/admin/me/permissions'))?.status).toBe(401);
    await within(5000, async () => (await clients[1]?.get('/api/admin/me/permissions'))?.status === 401);
    expect((await shop.a.guest.post('/api/auth/refresh', { refreshToken: tokens.refreshToken })).status).toBe(401);
  });

  it('logout/all ends every session, in every process within five seconds, and no other account', async () => {
    const staff = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () => login(shop.a, { email: staff.email, audience: 'admin' })),
    );
    const clients = sessions.flatMap(({ accessToken }) =>
      shop.bases.map((base) => shop.a.guest.at(base).with(bearer(accessToken))),
    );
    const statuses = () => Promise.all(clients.map(async (client) => (await client.get('/api/admin/me/permissions')).status));
    expect(new Set(await statuses())).toEqual(new Set([200]));
    expect((await clients[0]?.post('/api/auth/logout/all'))?.status).toBe(204);
    await within(5000, async () => (await statuses()).every((status) => status === 401));
    for (const { refreshToken } of sessions.slice(0, 3))
      expect((await shop.a.guest.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    expect((await shop.a.admin.get('/api/admin/me/permissions')).status).toBe(200);
    const again: Tokens = await login(shop.a, { email: staff.email, audience: 'admin' });
    expect((await shop.a.guest.with(bearer(again.accessToken)).get('/api/admin/me/permissions')).status).toBe(200);
  });
});
