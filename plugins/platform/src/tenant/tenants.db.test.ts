import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mailedToken } from '../../../identity/test/clients.ts';
import { newPlan } from '../../test/plans.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['example-hello'], processes: 2 });
});
afterAll(() => shop?.stop());

const password = 'correct horse battery staple';

describe('tenants', () => {
  it('are made with their owner, whose invitation opens the shop', async () => {
    const plan = await newPlan(shop, 'starter');
    const made = await shop.operator.post<{ id: string; invitation: { token: string } }>(
      '/api/super-admin/tenants',
      {
        name: 'Third',
        slug: 'third',
        hosts: ['Third.Localhost', 'www.third.localhost'],
        planId: plan.id,
        ownerEmail: 'Owner@Third.example',
      },
      { 'idempotency-key': 'third-tenant-1' },
    );
    expect(made.status, made.text).toBe(201);
    expect(made.headers.location).toBe(`/api/super-admin/tenants/${made.body.id}`);
    expect(made.body).toMatchObject({
      slug: 'third',
      status: 'active',
      hosts: ['third.localhost', 'www.third.localhost'],
      planId: plan.id,
      nichePackage: null,
      operator: false,
    });
    const known = await shop.a.guest.post('/api/auth/reset-password', { token: made.body.invitation.token, password });
    expect(known.status).toBe(410);
    const token = await mailedToken(shop, 'owner@third.example', 'identity.invitation');
    const set = await shop.a.guest.post('/api/auth/reset-password', { token, password });
    expect(set.status, set.text).toBe(204);
    const login = await shop.a.guest.post<{ accessToken: string }>('/api/auth/login', {
      email: 'owner@third.example',
      password,
      audience: 'admin',
    });
    const owner = shop.a.guest.with({ authorization: `Bearer ${login.body.accessToken}` });
    expect((await owner.get('/api/auth/me')).body).toMatchObject({ tenant: { slug: 'third' } });
    expect((await owner.get('/api/admin/rbac/users')).status).toBe(200);
    const got = await shop.operator.get(`/api/super-admin/tenants/${made.body.id}`);
    expect(got.body).toMatchObject({ slug: 'third' });
    expect(got.body.invitation).toBeUndefined();
    const found = await shop.operator.get<{ data: { slug: string }[] }>('/api/super-admin/tenants?q=www.third&sort=slug');
    expect(found.body.data.map(({ slug }) => slug)).toEqual(['third']);
  });

  it('of twenty simultaneous ones with one slug, one is created; nothing is left of the others', async () => {
    const plan = await newPlan(shop, 'racing');
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        shop.operator.at(shop.bases[i % 2] as string).post('/api/super-admin/tenants', {
          name: `Racer ${i}`,
          slug: 'racer',
          hosts: [`racer${i}.localhost`],
          planId: plan.id,
          ownerEmail: `r${i}@racer.example`,
        }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    expect(await shop.rows("select host from core_host where host like 'racer%'")).toHaveLength(1);
  });

  it('take no host of another, no unknown or closed plan, no unknown niche', async () => {
    const plan = await newPlan(shop, 'strict');
    const closed = await newPlan(shop, 'closed');
    await shop.operator.patch(`/api/super-admin/plans/${closed.id}`, { active: false });
    const body = { name: 'X', slug: 'x', hosts: ['x.localhost'], planId: plan.id, ownerEmail: 'x@x.example' };
    const create = (change: object) => shop.operator.post('/api/super-admin/tenants', { ...body, ...change });
    expect(await create({ hosts: [shop.b.host] })).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'hosts' } });
    for (const host of ['a b', '*.localhost', 'a..b', 'a_b.localhost', '-a.localhost', `${'x'.repeat(64)}.localhost`])
      expect(await create({ hosts: [host] })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/hosts/0' }] } });
    expect(await create({ planId: crypto.randomUUID() })).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: '/planId' }] },
    });
    expect(await create({ planId: closed.id })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/planId', code: 'plan_closed' }] },
    });
    expect(await create({ nichePackage: 'nothing' })).toMatchObject({
      status: 404,
      body: { errors: [{ pointer: '/nichePackage' }] },
    });
    expect(await create({ status: 'suspended' })).toMatchObject({ status: 422 });
    expect(await create({ operator: true })).toMatchObject({ status: 422, body: { code: 'unknown_field' } });
    expect(await shop.rows("select id from core_tenant where slug = 'x'")).toEqual([]);
  });

  it('are hidden from other tenants', async () => {
    for (const path of [
      '/api/super-admin/tenants',
      '/api/super-admin/plans',
      '/api/super-admin/stats',
      '/api/super-admin/activity',
    ]) {
      expect((await shop.a.guest.get(path)).status).toBe(401);
      expect((await shop.a.admin.get(path)).status).toBe(403);
    }
  });
});

describe('a tenant', () => {
  const path = () => `/api/super-admin/tenants/${shop.b.id}`;
  const patch = (body: object, headers: Record<string, string> = {}) =>
    shop.operator.patch<{ version: number }>(path(), body, headers);
  const config = '/api/storefront/tenant-config/';
  const everywhere = async (status: number): Promise<void> => {
    for (const base of shop.bases) await expect.poll(async () => (await shop.b.guest.at(base).get(config)).status).toBe(status);
  };

  it('is suspended and taken back: felt by every process', async () => {
    const before = (await shop.operator.get<{ version: number }>(path())).body;
    expect((await patch({ status: 'suspended' }, { 'if-match': '"999"' })).status).toBe(412);
    expect((await patch({ status: 'suspended' }, { 'if-match': `"${before.version}"` })).body).toMatchObject({
      status: 'suspended',
    });
    await everywhere(503);
    expect((await shop.b.guest.get(config)).body).toMatchObject({ code: 'tenant_suspended' });
    expect((await shop.b.admin.get('/api/admin/plugins/')).status).toBe(200);
    expect(await shop.b.admin.post('/api/admin/tenants/me/flags', { name: 'x', enabled: true })).toMatchObject({ status: 503 });
    const again = await patch({ status: 'suspended' });
    expect(again.body).toMatchObject({ status: 'suspended' });
    expect(await patch({ status: 'trial' })).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', from: 'suspended', to: 'trial', allowed: ['active', 'terminated'] },
    });
    expect((await patch({ status: 'active' })).body).toMatchObject({ status: 'active' });
    await everywhere(200);
  });

  it('moves to other hosts, none of another’s', async () => {
    expect((await patch({ hosts: ['new.b.localhost', shop.b.host], name: 'Shop B2' })).body).toMatchObject({
      hosts: ['new.b.localhost', shop.b.host],
      name: 'Shop B2',
    });
    for (const base of shop.bases)
      await expect.poll(async () => (await shop.b.guest.with({ host: 'new.b.localhost' }).at(base).get(config)).status).toBe(200);
    expect(await patch({ hosts: [shop.a.host] })).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'hosts' } });
    expect((await patch({ hosts: [] })).status).toBe(422);
    expect((await patch({ nichePackage: 'nothing' })).status).toBe(404);
    expect((await patch({})).status).toBe(200);
    expect((await patch({ slug: 'other' })).status).toBe(422);
    expect((await shop.b.guest.get(config)).status).toBe(200);
  });

  it('that is the operator’s own stays', async () => {
    const own = `/api/super-admin/tenants/${shop.a.id}`;
    for (const status of ['suspended', 'terminated'])
      expect(await shop.operator.patch(own, { status })).toMatchObject({
        status: 422,
        body: { errors: [{ code: 'operator_tenant' }] },
      });
    expect((await shop.operator.patch(own, { status: 'past_due' })).body).toMatchObject({ status: 'past_due' });
    expect((await shop.operator.patch(own, { status: 'active' })).body).toMatchObject({ status: 'active' });
  });
});

describe('the installation', () => {
  it('lists its plugins with state and reason', async () => {
    const { data } = (
      await shop.operator.get<{ data: { name: string; state: string; foundation: boolean; reason: unknown }[] }>(
        '/api/super-admin/plugins',
      )
    ).body;
    expect(data.find(({ name }) => name === 'identity')).toMatchObject({ state: 'ready', foundation: true, reason: null });
    expect(data.find(({ name }) => name === 'example-hello')).toMatchObject({ state: 'ready', foundation: false });
  });

  it('counts what there is', async () => {
    const [count] = await shop.rows<{ n: number }>('select count(*)::int as n from core_tenant');
    const { body } = await shop.operator.get<{
      tenants: number;
      byStatus: Record<string, number>;
      byPlan: { code: string; tenants: number }[];
      mrr: unknown;
    }>('/api/super-admin/stats');
    expect(body.tenants).toBe(count?.n);
    expect(body.byStatus).toEqual({ active: count?.n });
    expect(body.byPlan.find(({ code }) => code === 'everything')?.tenants).toBe(2);
    expect(body).toMatchObject({ orders30d: 0, revenue30d: [], jobs: { waiting: expect.any(Number), failed: 0 } });
    const [priced] = await shop.rows<{ n: number }>(
      'select count(*)::int as n from core_tenant t join core_plan p on p.id = t.plan_id where p.price_amount = 9900',
    );
    expect(body.mrr).toEqual([{ amount: 9900 * (priced?.n ?? 0), currency: 'EUR' }]);
  });

  it('remembers what operators did', async () => {
    const { data } = (
      await shop.operator.get<{ data: { actor: { type: string }; action: string; entity: string; changes: object }[] }>(
        '/api/super-admin/activity?entity=platform.plan&limit=3',
      )
    ).body;
    expect(data).toHaveLength(3);
    for (const row of data) expect(row).toMatchObject({ actor: { type: 'operator' }, entity: 'platform.plan' });
  });
});
