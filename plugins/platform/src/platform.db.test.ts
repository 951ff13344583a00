import { type TestShop, testShop } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['example-hello'], processes: 2 });
});
afterAll(() => shop?.stop());

const password = 'correct horse battery staple';
const hello = '/api/storefront/example-hello/';
/** Both processes: a decision is felt on the next request of each. */
const helloStatuses = async (tenant = shop.a) =>
  Promise.all(shop.bases.map(async (base) => (await tenant.guest.at(base).get(hello)).status));
async function felt(statuses: number[]): Promise<void> {
  const started = performance.now();
  while ((await helloStatuses()).join() !== statuses.join()) {
    if (performance.now() - started > 1000) throw new Error(`not ${statuses.join()} but ${(await helloStatuses()).join()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
const why = async () =>
  (
    await shop.operator.get<{ data: { plugin: string; on: boolean; why: string }[] }>(
      `/api/super-admin/tenants/${shop.a.id}/permissions`,
    )
  ).body.data.find(({ plugin }) => plugin === 'example-hello');

interface Plan {
  id: string;
  code: string;
  version: number;
  active: boolean;
}
const newPlan = async (code: string, plugins: string[] = ['*']): Promise<Plan> => {
  const made = await shop.operator.post<Plan>('/api/super-admin/plans', {
    code,
    name: `Plan ${code}`,
    price: { amount: 9900, currency: 'EUR' },
    limits: { products: 1000 },
  });
  expect(made.status, made.text).toBe(201);
  const granted = await shop.operator.patch<Plan>(`/api/super-admin/plans/${made.body.id}/permissions`, { plugins });
  expect(granted.status, granted.text).toBe(200);
  return granted.body;
};

describe('plans', () => {
  it('are made, changed under a version, and closed', async () => {
    const plan = await newPlan('basic', ['example-hello']);
    const path = `/api/super-admin/plans/${plan.id}`;
    expect((await shop.operator.patch(path, { name: 'x' }, { 'if-match': '"99"' })).status).toBe(412);
    const patched = await shop.operator.patch(path, { price: null, active: false }, { 'if-match': `"${plan.version}"` });
    expect(patched.body).toMatchObject({
      code: 'basic',
      price: null,
      active: false,
      plugins: ['example-hello'],
      limits: { products: 1000 },
    });
    expect(await shop.operator.post('/api/super-admin/plans', { code: 'basic', name: 'Again' })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'code' },
    });
    const listed = await shop.operator.get<{ data: Plan[] }>('/api/super-admin/plans?code=basic');
    expect(listed.body.data).toEqual([patched.body]);
  });

  it('know every plugin they name, and every limit', async () => {
    const plan = await newPlan('checked');
    const path = `/api/super-admin/plans/${plan.id}`;
    expect(await shop.operator.patch(`${path}/permissions`, { plugins: ['example-hello', 'nothing'] })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/plugins/1', code: 'unknown_plugin' }] },
    });
    for (const limits of [{ products: -1 }, { products: 1.5 }, { products: '10' }, { 'a b': 1 }])
      expect((await shop.operator.patch(path, { limits })).status).toBe(422);
    expect((await shop.operator.patch(path, {})).status).toBe(422);
    expect((await shop.operator.patch(`/api/super-admin/plans/${crypto.randomUUID()}`, { name: 'x' })).status).toBe(404);
  });
});

describe('what is on', () => {
  it('follows plan, switch, override, each with its reason, in both processes', async () => {
    await felt([200, 200]);
    expect(await why()).toMatchObject({ on: true, why: 'on' });
    const tenant = `/api/super-admin/tenants/${shop.a.id}`;
    const { planId } = (await shop.operator.get<{ planId: string }>(tenant)).body;

    const without = await newPlan('without', []);
    expect((await shop.operator.patch(`${tenant}/plan`, { planId: without.id })).body).toMatchObject({ planId: without.id });
    await felt([404, 404]);
    expect(await why()).toMatchObject({ on: false, why: 'not_in_plan' });
    await shop.operator.patch(`/api/super-admin/plans/${without.id}/permissions`, { plugins: ['example-hello'] });
    await felt([200, 200]);

    expect(
      (await shop.operator.put(`${tenant}/plugin-overrides`, { pluginId: 'example-hello', enabled: false, reason: 'abuse' }))
        .body,
    ).toEqual({ pluginId: 'example-hello', enabled: false, reason: 'abuse' });
    await felt([404, 404]);
    expect(await why()).toMatchObject({ on: false, why: 'override_off' });
    expect((await shop.operator.delete(`${tenant}/plugin-overrides/example-hello`)).status).toBe(204);
    expect((await shop.operator.delete(`${tenant}/plugin-overrides/example-hello`)).status).toBe(404);
    await felt([200, 200]);

    expect((await shop.operator.put(`${tenant}/features`, { features: { 'example-hello': false } })).body).toEqual({
      features: { 'example-hello': false },
    });
    await felt([404, 404]);
    expect(await why()).toMatchObject({ on: false, why: 'tenant_off' });
    // The same switch, as the tenant sees it.
    const settings = '/api/admin/plugins/example-hello/settings';
    expect((await shop.a.admin.get(settings)).body).toMatchObject({ enabled: false, on: false, why: 'tenant_off' });
    expect((await shop.a.admin.put(settings, { enabled: true })).body).toMatchObject({ enabled: true, on: true });
    await felt([200, 200]);
    expect((await shop.a.admin.put(settings, { enabled: null })).body).toMatchObject({ enabled: null, on: true });
    expect((await shop.operator.get(`${tenant}/features`)).body).toEqual({ features: {} });

    expect(await helloStatuses(shop.b)).toEqual([200, 200]);
    expect((await shop.operator.patch(`${tenant}/plan`, { planId })).body).toMatchObject({ planId });
    await felt([200, 200]);
  });

  it('a niche chooses, and is in use while a tenant has it', async () => {
    const niche = await shop.operator.post<{ id: string; version: number }>('/api/super-admin/niche-packages', {
      code: 'quiet',
      name: { ro: 'Liniștit', en: 'Quiet' },
      plugins: [],
    });
    expect(niche.status, niche.text).toBe(201);
    const plan = await newPlan('for-niche');
    const made = await shop.operator.post<{ id: string }>('/api/super-admin/tenants', {
      name: 'Quiet',
      slug: 'quiet',
      hosts: ['quiet.localhost'],
      planId: plan.id,
      ownerEmail: 'owner@quiet.example',
      nichePackage: 'quiet',
    });
    expect(made.status, made.text).toBe(201);
    const quiet = shop.a.guest.with({ host: 'quiet.localhost' });
    expect((await quiet.get(hello)).status).toBe(404);
    const path = `/api/super-admin/niche-packages/${niche.body.id}`;
    expect(await shop.operator.delete(path)).toMatchObject({ status: 409, body: { code: 'in_use', counts: { tenants: 1 } } });
    expect((await shop.operator.patch(path, { plugins: [{ name: 'example-hello', range: 'x.y' }] })).status).toBe(422);
    const patched = await shop.operator.patch(path, { plugins: [{ name: 'example-hello', range: '^1.0.0' }] });
    expect(patched.body).toMatchObject({
      name: { ro: 'Liniștit', en: 'Quiet' },
      plugins: [{ name: 'example-hello', range: '^1.0.0' }],
      preset: null,
    });
    const started = performance.now();
    while ((await quiet.get(hello)).status !== 200)
      if (performance.now() - started > 1000) throw new Error('the niche is not felt');
    const unused = await shop.operator.post<{ id: string }>('/api/super-admin/niche-packages', {
      code: 'unused',
      name: 'Unused',
      plugins: [],
    });
    expect((await shop.operator.delete(`/api/super-admin/niche-packages/${unused.body.id}`)).status).toBe(204);
  });

  it('the foundation cannot be switched', async () => {
    for (const answer of [
      await shop.operator.put(`/api/super-admin/tenants/${shop.a.id}/features`, { features: { identity: false } }),
      await shop.operator.put(`/api/super-admin/tenants/${shop.a.id}/plugin-overrides`, {
        pluginId: 'identity',
        enabled: false,
        reason: 'x',
      }),
      await shop.a.admin.put('/api/admin/plugins/identity/settings', { enabled: false }),
    ])
      expect(answer).toMatchObject({ status: 422, body: { errors: [{ code: 'foundation_plugin' }] } });
  });
});

describe('tenants', () => {
  it('are made with their owner, whose invitation opens the shop', async () => {
    const plan = await newPlan('starter');
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
    const set = await shop.a.guest.post('/api/auth/reset-password', { token: made.body.invitation.token, password });
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

  it('of twenty with one slug at once, one is made; nothing is left of the others', async () => {
    const plan = await newPlan('racing');
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
    const plan = await newPlan('strict');
    const closed = await newPlan('closed');
    await shop.operator.patch(`/api/super-admin/plans/${closed.id}`, { active: false });
    const body = { name: 'X', slug: 'x', hosts: ['x.localhost'], planId: plan.id, ownerEmail: 'x@x.example' };
    const create = (change: object) => shop.operator.post('/api/super-admin/tenants', { ...body, ...change });
    expect(await create({ hosts: [shop.b.host] })).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'hosts' } });
    expect(await create({ hosts: ['a b'] })).toMatchObject({ status: 422 });
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

  it("are nobody else's business", async () => {
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

describe("the tenant's side", () => {
  it('sees its plugins and their settings', async () => {
    const { data } = (await shop.a.admin.get<{ data: { name: string; on: boolean; why: string }[] }>('/api/admin/plugins/')).body;
    expect(data.find(({ name }) => name === 'example-hello')).toMatchObject({ on: true, why: 'on', state: 'ready' });
    const settings = '/api/admin/plugins/identity/settings';
    const before = await shop.a.admin.get<{ version: number }>(settings);
    expect(before.body).toMatchObject({
      enabled: null,
      on: true,
      settings: { adminUrl: null, storefrontUrl: null },
      schema: { type: 'object' },
    });
    const put = await shop.a.admin.put(
      settings,
      { settings: { adminUrl: 'https://admin.example' } },
      { 'if-match': `"${before.body.version}"` },
    );
    expect(put.body).toMatchObject({ settings: { adminUrl: 'https://admin.example', storefrontUrl: null } });
    expect(
      (await shop.a.admin.put(settings, { settings: { adminUrl: null } }, { 'if-match': `"${before.body.version}"` })).status,
    ).toBe(412);
    expect(await shop.a.admin.put(settings, { settings: { adminUrl: 'x' } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/settings/adminUrl' }] },
    });
    expect(await shop.a.admin.put(settings, { settings: { nothing: 1 } })).toMatchObject({
      status: 422,
      body: { code: 'unknown_field' },
    });
    expect((await shop.b.admin.get<{ settings: object }>(settings)).body.settings).toMatchObject({ adminUrl: null });
    for (const name of ['nothing', 'constructor', 'a b'])
      expect((await shop.a.admin.get(`/api/admin/plugins/${encodeURIComponent(name)}/settings`)).status).toBe(404);
  });

  it('a refused setting leaves the switch alone', async () => {
    const settings = '/api/admin/plugins/example-hello/settings';
    expect((await shop.a.admin.put(settings, { enabled: false, settings: { nothing: 1 } })).status).toBe(422);
    expect((await shop.a.admin.get(settings)).body).toMatchObject({ enabled: null, on: true });
  });

  it('sees the licence, in full only where the operator is at home', async () => {
    const own = await shop.a.admin.get('/api/admin/license/');
    expect(own.body).toMatchObject({ state: 'valid', plugins: { '*': '*' }, limits: expect.any(Object) });
    const other = await shop.b.admin.get('/api/admin/license/');
    expect(other.body).toMatchObject({ state: 'valid', plugins: null, limits: null, expiresAt: own.body.expiresAt });
  });

  it("sees its queues, integrations and events, and nobody else's", async () => {
    await shop.a.customer();
    await shop.settled();
    expect(
      (await shop.a.admin.get<{ data: { name: string; waiting: number }[] }>('/api/admin/queues')).body.data.map(
        ({ name }) => name,
      ),
    ).toContain('mail');
    const integrations = (await shop.a.admin.get<{ data: object[] }>('/api/admin/integrations/')).body.data;
    expect(integrations).toContainEqual({
      code: 'mail',
      kind: 'mail',
      configured: true,
      enabled: true,
      healthy: true,
      lastError: null,
    });
    const events = '/api/admin/tenant-events/';
    const mine = (
      await shop.a.admin.get<{ data: { type: string; entity: string; at: string; id: string }[] }>(
        `${events}?type=customers.customer.created`,
      )
    ).body.data;
    expect(mine[0]).toMatchObject({
      type: 'customers.customer.created',
      entity: 'customers.customer',
      payload: expect.any(Object),
    });
    expect((await shop.b.admin.get<{ data: object[] }>(`${events}?id=${mine[0]?.id}`)).body.data).toEqual([]);
    expect((await shop.a.admin.get<{ data: object[] }>(`${events}?from=2999-01-01T00:00:00Z`)).body.data).toEqual([]);
    expect((await shop.a.admin.get(`${events}?from=yesterday`)).status).toBe(400);
  });

  it('tells a storefront what it must know, cached and without a secret', async () => {
    const config = await shop.a.guest.get<Record<string, unknown>>('/api/storefront/tenant-config/');
    expect(Object.keys(config.body).sort()).toEqual([
      'branding',
      'currencies',
      'currency',
      'defaultLocale',
      'legal',
      'locales',
      'name',
      'plugins',
      'priceMode',
      'pushPublicKey',
      'timezone',
    ]);
    expect(config.body).toMatchObject({
      name: 'Shop A',
      currency: 'RON',
      currencies: ['RON'],
      plugins: expect.arrayContaining(['example-hello']),
    });
    const etag = String(config.headers.etag);
    expect((await shop.a.guest.get('/api/storefront/tenant-config/', { headers: { 'if-none-match': etag } })).status).toBe(304);
    for (const host of ['A.LOCALHOST', 'a.localhost.', 'a.localhost:8080'])
      expect((await shop.a.guest.with({ host }).get('/api/storefront/tenant-config/')).status).toBe(200);
    expect((await shop.a.guest.with({ host: 'nowhere.localhost' }).get('/api/storefront/tenant-config/')).body.code).toBe(
      'tenant_not_found',
    );
  });
});
