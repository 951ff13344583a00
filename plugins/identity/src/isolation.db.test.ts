import { isolationFaults, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { protectedStaff } from '../test/authenticator.ts';
import { addStaff, fresh, password, roleId } from '../test/clients.ts';
import { role } from './tables.ts';

const each = process.env.STORELOOM_NIGHTLY === '1' ? 200 : 20;

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
  for (const tenant of [shop.a, shop.b]) {
    await protectedStaff(shop, tenant);
    await tenant.customer();
    await tenant.run('identity', (ctx) =>
      ctx.rows(role).insertMany(Array.from({ length: each }, (_, i) => ({ name: `Role ${i}`, permissions: [] }))),
    );
  }
});
afterAll(() => shop?.stop());

describe('another shop’s', () => {
  it(`ids of roles, users, sessions and tokens, ${each} of each, are unknown`, async () => {
    const { probes, faults } = await isolationFaults(shop, 'identity', { each });
    console.info(`${probes} probes with another shop's ids: ${faults.length} leaks`);
    expect(probes).toBeGreaterThan(each * 5);
    expect(faults).toEqual([]);
  }, 600_000);

  it('ids in bodies join nothing of the two', async () => {
    const foreign = { role: await roleId(shop.b, 'owner'), user: (await addStaff(shop.b, [])).id };
    const mine = (await addStaff(shop.a, [])).id;
    const { admin } = shop.a;
    const answers = await Promise.all([
      admin.post('/api/admin/rbac/users', { email: fresh(), name: 'X', roleIds: [foreign.role] }),
      admin.patch(`/api/admin/rbac/users/${mine}`, { roleIds: [foreign.role] }),
      admin.post(`/api/admin/rbac/users/${mine}/roles`, { roleId: foreign.role }),
      admin.delete(`/api/admin/rbac/users/${mine}/roles/${foreign.role}`),
      admin.post(`/api/admin/rbac/users/${foreign.user}/roles`, { roleId: await roleId(shop.a, 'staff') }),
      admin.get(`/api/admin/rbac/users/${foreign.user}/roles`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(404));
    const joined = await shop.rows(
      `select ur.id from identity_user_role ur left join identity_role r on r.tenant_id = ur.tenant_id and r.id = ur.role_id
         left join identity_user u on u.tenant_id = ur.tenant_id and u.id = ur.user_id where r.id is null or u.id is null`,
    );
    expect(joined).toEqual([]);
    const filtered = await admin.get<{ data: unknown[] }>(`/api/admin/rbac/users?roleId=${foreign.role}`);
    expect(filtered.body.data).toEqual([]);
  });

  it('customers have no access here, with any sign-in', async () => {
    const customer = await shop.b.customer();
    const opened = await shop.b.guest.post<{ refreshToken: string }>('/api/auth/login', { email: customer.email, password });
    // The token says whose it is: it opens that shop, not the one that is called.
    const refreshed = await shop.a.guest.post<{ accessToken: string }>('/api/auth/refresh', {
      refreshToken: opened.body.refreshToken,
    });
    const here = shop.a.guest.with({ authorization: `Bearer ${refreshed.body.accessToken}` });
    expect((await here.get('/api/storefront/tenant-config/')).status).toBe(401);
  });
});
