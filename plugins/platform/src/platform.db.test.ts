import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlan, type Plan } from '../test/plans.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['example-hello'], processes: 2 });
});
afterAll(() => shop?.stop());

const hello = '/api/storefront/example-hello/';
/** Both processes: a decision is felt on the next request of each. */
const helloStatuses = async (tenant = shop.a) =>
  Promise.all(shop.bases.map(async (base) => (await tenant.guest.at(base).get(hello)).status));
const felt = (statuses: number[]): Promise<void> => expect.poll(() => helloStatuses(), { interval: 10 }).toEqual(statuses);
const why = async () =>
  (
    await shop.operator.get<{ data: { plugin: string; on: boolean; why: string }[] }>(
      `/api/super-admin/tenants/${shop.a.id}/permissions`,
    )
  ).body.data.find(({ plugin }) => plugin === 'example-hello');

describe('plans', () => {
  it('are made, changed under a version, and closed', async () => {
    const plan = await newPlan(shop, 'basic', ['example-hello']);
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
    const plan = await newPlan(shop, 'checked');
    const path = `/api/super-admin/plans/${plan.id}`;
    expect(await shop.operator.patch(`${path}/permissions`, { plugins: ['example-hello', 'nothing'] })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/plugins/1', code: 'unknown_plugin' }] },
    });
    for (const limits of [{ products: -1 }, { products: 1.5 }, { products: '10' }, { 'a b': 1 }])
      expect((await shop.operator.patch(path, { limits })).status).toBe(422);
    expect((await shop.operator.patch(path, {})).body).toMatchObject({ id: plan.id, version: plan.version });
    expect((await shop.operator.patch(`/api/super-admin/plans/${crypto.randomUUID()}`, { name: 'x' })).status).toBe(404);
  });
});

describe('what is on', () => {
  it('follows plan, switch, override, each with its reason, in both processes', async () => {
    await felt([200, 200]);
    expect(await why()).toMatchObject({ on: true, why: 'on' });
    const tenant = `/api/super-admin/tenants/${shop.a.id}`;
    const { planId } = (await shop.operator.get<{ planId: string }>(tenant)).body;

    const without = await newPlan(shop, 'without', []);
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
    const plan = await newPlan(shop, 'for-niche');
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
    await expect.poll(async () => (await quiet.get(hello)).status, { interval: 10 }).toBe(200);
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
