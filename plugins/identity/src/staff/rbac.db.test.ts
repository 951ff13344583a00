import { type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addStaff, bearer, fresh, login, mailedToken, roleId, within } from '../../test/clients.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
});
afterAll(() => shop?.stop());

interface Role {
  id: string;
  name: string;
  permissions: string[];
  system: boolean;
  users: number;
  version: number;
}
const role = (name: string, permissions: string[], client: TestClient = shop.a.admin) =>
  client.post<Role>('/api/admin/rbac/roles', { name, permissions });
const signedIn = async (email: string): Promise<TestClient> =>
  shop.a.guest.with(bearer((await login(shop.a, { email, audience: 'admin' })).accessToken));

describe('roles', () => {
  it('the four system roles are there, and stay as they are', async () => {
    const list = await shop.a.admin.get<{ data: Role[] }>('/api/admin/rbac/roles?system=true');
    expect(list.body.data.map(({ name }) => name).sort()).toEqual(['manager', 'owner', 'read-only', 'staff']);
    const owner = list.body.data.find(({ name }) => name === 'owner') as Role;
    expect(owner).toMatchObject({ permissions: ['*'], users: 1 });
    for (const answer of [
      await shop.a.admin.put(`/api/admin/rbac/roles/${owner.id}`, { name: 'boss', permissions: [] }),
      await shop.a.admin.delete(`/api/admin/rbac/roles/${owner.id}`),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'system_role' } });
    const seeds = await Promise.all(Array.from({ length: 5 }, () => shop.a.admin.post<{ data: Role[] }>('/api/admin/rbac/seed')));
    for (const seed of seeds) expect(seed.body.data.map(({ name }) => name)).toHaveLength(4);
    expect((await shop.a.admin.get<{ data: Role[] }>('/api/admin/rbac/roles?system=true')).body.data).toHaveLength(4);
  });

  it('are made, replaced under a version, and removed', async () => {
    const made = await role('Editors', ['identity.role.read', 'workspace.*']);
    expect(made.status).toBe(201);
    expect(made.headers.location).toBe(`/api/admin/rbac/roles/${made.body.id}`);
    const path = `/api/admin/rbac/roles/${made.body.id}`;
    const got = await shop.a.admin.get<Role>(path);
    expect(got.headers.etag).toBe(`"${got.body.version}"`);
    expect((await shop.a.admin.put(path, { name: 'Writers', permissions: [] }, { 'if-match': '"99"' })).status).toBe(412);
    const put = await shop.a.admin.put<Role>(
      path,
      { name: 'Writers', permissions: ['identity.role.read'] },
      { 'if-match': `"${got.body.version}"` },
    );
    expect(put.body).toMatchObject({ name: 'Writers', permissions: ['identity.role.read'], version: got.body.version + 1 });
    expect(await role('writers', [])).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'name' } });
    expect((await shop.a.admin.delete(path)).status).toBe(204);
    expect((await shop.a.admin.delete(path)).status).toBe(404);
  });

  it('know every permission they name', async () => {
    for (const grant of ['catalog.fly.away', 'nothing.*', 'identity', '*.read', 'identity.*.read']) {
      const answer = await role(`with ${grant}`, ['identity.role.read', grant]);
      expect(answer).toMatchObject({
        status: 422,
        body: { errors: [{ pointer: '/permissions/1', code: 'unknown_permission' }] },
      });
    }
  });

  it('a role that is held cannot go', async () => {
    const { body } = await role('held', ['identity.self.use']);
    await addStaff(shop.a, [body.id]);
    expect(await shop.a.admin.delete(`/api/admin/rbac/roles/${body.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', counts: { 'rbac/users': 1 } },
    });
  });
});

describe('what a role opens', () => {
  it('deny by default: without a permission every route of these plugins is 403', async () => {
    const unprivileged = await shop.a.staff([]);
    for (const path of [
      '/api/admin/me/permissions',
      '/api/admin/rbac/roles',
      '/api/admin/rbac/users',
      '/api/admin/plugins/',
      '/api/admin/settings/',
      '/api/admin/audit-logs/',
    ])
      expect(await unprivileged.get(path)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
    // Not even whether the role exists.
    expect((await unprivileged.get(`/api/admin/rbac/roles/${crypto.randomUUID()}`)).status).toBe(403);
  });

  it('me/permissions is what the roles give together', async () => {
    const member = await shop.a.staff(['identity.self.use', 'workspace.*']);
    const { permissions } = (await member.get<{ permissions: string[] }>('/api/admin/me/permissions')).body;
    expect(permissions).toEqual(expect.arrayContaining(['identity.self.use', 'workspace.setting.update']));
    expect(permissions.every((name) => name === 'identity.self.use' || name.startsWith('workspace.'))).toBe(true);
    expect((await member.get<{ permissions: string[] }>('/api/auth/me')).body.permissions).toEqual(permissions);
  });

  it('a change of a role is felt', async () => {
    const { body } = await role('changing', ['identity.self.use']);
    const { email } = await addStaff(shop.a, [body.id]);
    const member = await signedIn(email);
    expect((await member.get('/api/admin/rbac/roles')).status).toBe(403);
    await shop.a.admin.put(`/api/admin/rbac/roles/${body.id}`, { name: 'changing', permissions: ['identity.role.read'] });
    await within(5000, async () => (await member.get('/api/admin/rbac/roles')).status === 200);
    await shop.a.admin.put(`/api/admin/rbac/roles/${body.id}`, { name: 'changing', permissions: [] });
    await within(5000, async () => (await member.get('/api/admin/rbac/roles')).status === 403);
  });
});

describe('users can’t grant permissions they don’t have', () => {
  it('by a role, a replacement, an assignment, an invitation', async () => {
    const own = await role('clerk', ['identity.role.*', 'identity.user.*', 'identity.user-role.*', 'identity.self.use']);
    const { id, email } = await addStaff(shop.a, [own.body.id]);
    const clerk = await signedIn(email);
    const refused = { status: 403, body: { code: 'privilege_escalation' } };
    expect(await role('more', ['workspace.setting.update'], clerk)).toMatchObject(refused);
    expect(await role('all', ['*'], clerk)).toMatchObject(refused);
    expect(await role('whole', ['identity.*'], clerk)).toMatchObject(refused);
    expect(await clerk.put(`/api/admin/rbac/roles/${own.body.id}`, { name: 'clerk', permissions: ['*'] })).toMatchObject(refused);
    const ownerRole = await roleId(shop.a, 'owner');
    expect(await clerk.post(`/api/admin/rbac/users/${id}/roles`, { roleId: ownerRole })).toMatchObject(refused);
    expect(await clerk.post('/api/admin/rbac/users', { email: fresh(), name: 'Friend', roleIds: [ownerRole] })).toMatchObject(
      refused,
    );
    expect(await clerk.patch(`/api/admin/rbac/users/${id}`, { roleIds: [ownerRole] })).toMatchObject(refused);
    expect(await role('equal', ['identity.role.read'], clerk)).toMatchObject({ status: 201 });
  });

  it('and can’t manage users with more permissions', async () => {
    const own = await role('keeper', ['identity.*']);
    const keeper = await signedIn((await addStaff(shop.a, [own.body.id])).email);
    const owner = (await login(shop.a, { email: 'owner@a.example', audience: 'admin' })).user.id;
    const ownerRole = await roleId(shop.a, 'owner');
    for (const answer of [
      await keeper.patch(`/api/admin/rbac/users/${owner}`, { status: 'disabled' }),
      await keeper.delete(`/api/admin/rbac/users/${owner}`),
      await keeper.delete(`/api/admin/rbac/users/${owner}/roles/${ownerRole}`),
    ])
      expect(answer).toMatchObject({ status: 403, body: { code: 'privilege_escalation' } });
  });
});

describe('the last owner stays', () => {
  it('also when two owners remove each other simultaneously', async () => {
    const ownerRole = await roleId(shop.b, 'owner');
    const first = (await login(shop.b, { email: 'owner@b.example', audience: 'admin' })).user.id;
    const path = (id: string) => `/api/admin/rbac/users/${id}`;
    for (const answer of [
      await shop.b.admin.delete(path(first)),
      await shop.b.admin.patch(path(first), { status: 'disabled' }),
      await shop.b.admin.patch(path(first), { roleIds: [] }),
      await shop.b.admin.delete(`${path(first)}/roles/${ownerRole}`),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'last_owner' } });
    for (let round = 0; round < 5; round++) {
      const second = await addStaff(shop.b, [ownerRole]);
      const answers = await Promise.all([
        shop.b.admin.delete(`${path(first)}/roles/${ownerRole}`),
        shop.b.admin.delete(path(second.id)),
        shop.b.admin.patch(path(second.id), { status: 'disabled' }),
      ]);
      for (const { status } of answers) expect([200, 204, 403, 404, 409]).toContain(status);
      const [left] = await shop.rows<{ n: string }>(
        `select count(*) as n from identity_user_role ur join identity_user u on u.tenant_id = ur.tenant_id and u.id = ur.user_id
          where ur.tenant_id = $1 and ur.role_id = $2 and u.status = 'active' and u.deleted_at is null and u.joined_at is not null`,
        [shop.b.id, ownerRole],
      );
      expect(Number(left?.n)).toBeGreaterThanOrEqual(1);
      // The first owner back, for the next round.
      await shop.b.run('identity', async (ctx) => {
        const { accounts } = await import('../contract.ts');
        await ctx.require(accounts).createOwner({ email: 'owner@b.example', name: 'Owner b' });
      });
    }
  });
});

describe('staff', () => {
  it('an invitation is answered once, mailed, and used once', async () => {
    const email = fresh('new');
    const made = await shop.a.admin.post<{ id: string; invitation: { url: string; token: string; expiresAt: string } }>(
      '/api/admin/rbac/users',
      {
        email,
        name: 'New Body',
        roleIds: [await roleId(shop.a, 'staff')],
      },
    );
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ email, status: 'active', joinedAt: null, twoFactor: false, lastSeenAt: null });
    expect(new URL(made.body.invitation.url).searchParams.get('token')).toBe(made.body.invitation.token);
    expect((await shop.mails()).some(({ to, template }) => to === email && template === 'identity.invitation')).toBe(true);
    expect(await shop.a.admin.post('/api/admin/rbac/users', { email, name: 'Again', roleIds: [] })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'email' },
    });
    expect(
      (await shop.a.guest.post('/api/auth/login', { email, password: 'correct horse battery staple', audience: 'admin' })).status,
    ).toBe(401);
    // The token of the response is known to the inviter: it never sets a password.
    const known = { token: made.body.invitation.token, password: 'correct horse battery staple' };
    expect((await shop.a.guest.post('/api/auth/reset-password', known)).status).toBe(410);
    expect((await shop.a.admin.post('/api/auth/verify-email', { token: known.token })).status).toBe(401);
    const token = await mailedToken(shop, email, 'identity.invitation');
    expect((await shop.a.guest.post('/api/auth/reset-password', { token, password: 'too short' })).status).toBe(422);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        shop.a.guest.post('/api/auth/reset-password', { token, password: 'correct horse battery staple' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 410, 410, 410, 410, 410]);
    await login(shop.a, { email, audience: 'admin' });
    const listed = await shop.a.admin.get<{ data: { id: string; lastSeenAt: string | null; joinedAt: string | null }[] }>(
      `/api/admin/rbac/users?email=${email}`,
    );
    expect(listed.body.data).toEqual([
      expect.objectContaining({ id: made.body.id, lastSeenAt: expect.any(String), joinedAt: expect.any(String) }),
    ]);
  });

  it('a disabled or removed user loses access immediately', async () => {
    for (const how of ['disable', 'remove'] as const) {
      const { id, email } = await addStaff(shop.a, [await roleId(shop.a, 'staff')]);
      const member = await signedIn(email);
      expect((await member.get('/api/admin/me/permissions')).status).toBe(200);
      if (how === 'disable')
        expect((await shop.a.admin.patch(`/api/admin/rbac/users/${id}`, { status: 'disabled' })).body).toMatchObject({
          status: 'disabled',
        });
      else expect((await shop.a.admin.delete(`/api/admin/rbac/users/${id}`)).status).toBe(204);
      await within(5000, async () => (await member.get('/api/admin/me/permissions')).status === 401);
      expect(
        (await shop.a.guest.post('/api/auth/login', { email, password: 'correct horse battery staple', audience: 'admin' }))
          .status,
      ).toBe(401);
    }
  });

  it("the address of an account is not the tenant's to change", async () => {
    const { id } = await addStaff(shop.a, []);
    expect((await shop.a.admin.patch(`/api/admin/rbac/users/${id}`, { email: 'other@mail.example' })).status).toBe(422);
  });

  it('roles are given once, and taken', async () => {
    const { id } = await addStaff(shop.a, []);
    const staff = await roleId(shop.a, 'staff');
    const path = `/api/admin/rbac/users/${id}/roles`;
    const given = await Promise.all(
      Array.from({ length: 5 }, () => shop.a.admin.post<{ data: Role[] }>(path, { roleId: staff })),
    );
    for (const answer of given) expect(answer).toMatchObject({ status: 200, body: { data: [{ id: staff, name: 'staff' }] } });
    expect((await shop.a.admin.get<{ data: Role[] }>(path)).body.data).toHaveLength(1);
    expect((await shop.a.admin.delete(`${path}/${staff}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${path}/${staff}`)).status).toBe(404);
    expect((await shop.a.admin.post(path, { roleId: crypto.randomUUID() })).body).toMatchObject({
      code: 'not_found',
      errors: [{ pointer: '/roleId' }],
    });
  });
});

describe("another tenant's", () => {
  it('roles and users are unknown, in paths and bodies, and stay as they are', async () => {
    const foreignRole = await roleId(shop.b, 'staff');
    const foreignUser = (await addStaff(shop.b, [foreignRole])).id;
    const mine = (await addStaff(shop.a, [])).id;
    const before = await shop.rows('select * from identity_user_role where tenant_id = $1 order by id', [shop.b.id]);
    const { admin } = shop.a;
    for (const answer of [
      await admin.get(`/api/admin/rbac/roles/${foreignRole}`),
      await admin.put(`/api/admin/rbac/roles/${foreignRole}`, { name: 'x', permissions: [] }),
      await admin.delete(`/api/admin/rbac/roles/${foreignRole}`),
      await admin.get(`/api/admin/rbac/users/${foreignUser}/roles`),
      await admin.post(`/api/admin/rbac/users/${foreignUser}/roles`, { roleId: await roleId(shop.a, 'staff') }),
      await admin.post(`/api/admin/rbac/users/${mine}/roles`, { roleId: foreignRole }),
      await admin.delete(`/api/admin/rbac/users/${foreignUser}/roles/${foreignRole}`),
      await admin.patch(`/api/admin/rbac/users/${foreignUser}`, { name: 'x' }),
      await admin.patch(`/api/admin/rbac/users/${mine}`, { roleIds: [foreignRole] }),
      await admin.delete(`/api/admin/rbac/users/${foreignUser}`),
      await admin.post('/api/admin/rbac/users', { email: fresh(), name: 'x', roleIds: [foreignRole] }),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect(await shop.rows('select * from identity_user_role where tenant_id = $1 order by id', [shop.b.id])).toEqual(before);
  });
});
