import { flags } from '@storeloom/plugin-platform/contract';
import { quotas } from '@storeloom/plugin-sdk';
import { patiently, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newPlan } from '../plugins/platform/test/plans.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'], processes: 2, now: '2026-11-27T12:00:00.000Z' });
});
afterAll(() => shop?.stop());

interface Quota {
  resource: string;
  limit: number | null;
  used: number | null;
  period: string | null;
  resetsAt: string | null;
}
const limited = async (code: string, limits: Record<string, number>, features: Record<string, boolean> = {}): Promise<void> => {
  const plan = await newPlan(shop, code);
  const path = `/api/super-admin/plans/${plan.id}`;
  expect((await shop.operator.patch(path, { limits })).status).toBe(200);
  expect((await shop.operator.patch(`${path}/permissions`, { plugins: ['*'], features })).status).toBe(200);
  expect((await shop.operator.patch(`/api/super-admin/tenants/${shop.a.id}/plan`, { planId: plan.id })).status).toBe(200);
};
const quotasOf = async () => (await shop.a.admin.get<{ data: Quota[] }>(`/api/admin/tenant-quotas/${shop.a.id}`)).body.data;

describe('quotas', () => {
  const product = (i: number) =>
    patiently(
      () =>
        shop.a.admin.at(shop.bases[i % 2] as string).post('/api/admin/products/', {
          title: { ro: `Produs ${i}` },
          price: { amount: 1000, currency: 'RON' },
        }),
      { busy: true },
    );

  it('a plan with five products accepts five of 200 concurrent requests', async () => {
    await limited('five', { products: 5, mailsPerMonth: 10 });
    const staffBefore = (await quotasOf()).find(({ resource }) => resource === 'staff')?.used;
    expect(staffBefore).toBeGreaterThan(0);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => product(i)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 402, body: { code: 'quota_exceeded', resource: 'products', limit: 5, used: 5 } });
    expect(await quotasOf()).toEqual([
      { resource: 'domains', limit: null, used: 1, period: null, resetsAt: null },
      { resource: 'mailsPerMonth', limit: 10, used: 0, period: 'month', resetsAt: '2026-11-30T22:00:00.000Z' },
      { resource: 'products', limit: 5, used: 5, period: null, resetsAt: null },
      { resource: 'staff', limit: null, used: staffBefore, period: null, resetsAt: null },
      { resource: 'storageMb', limit: null, used: 0, period: null, resetsAt: null },
    ]);
  });

  it('what is taken away, or allowed by another plan, leaves room', async () => {
    const [first] = (await shop.a.admin.get<{ data: { id: string }[] }>('/api/admin/products/')).body.data;
    expect(await shop.a.admin.post(`/api/admin/products/${first?.id}/duplicate`)).toMatchObject({ status: 402 });
    expect((await shop.a.admin.delete(`/api/admin/products/${first?.id}`)).status).toBe(204);
    expect((await product(100)).status).toBe(201);
    expect((await product(101)).status).toBe(402);
    await limited('six', { products: 6 });
    expect((await product(102)).status).toBe(201);
    expect((await product(103)).status).toBe(402);
    await limited('free', {});
    expect((await product(104)).status).toBe(201);
    expect((await quotasOf()).find(({ resource }) => resource === 'products')).toMatchObject({ limit: null, used: 7 });
  });

  it('a plan accepts as many of 200 concurrent invitations as its limit allows', async () => {
    const staff = async () => (await quotasOf()).find(({ resource }) => resource === 'staff')?.used as number;
    const before = await staff();
    await limited('crew', { staff: before + 3 });
    const [role] = (await shop.a.admin.get<{ data: { id: string }[] }>('/api/admin/rbac/roles?name=read-only')).body.data;
    const users = '/api/admin/rbac/users';
    const invite = (i: number) =>
      patiently(
        () =>
          shop.a.admin.at(shop.bases[i % 2] as string).post<{ id: string; code?: string }>(users, {
            email: `crew${i}@shop.example`,
            name: `Crew ${i}`,
            roleIds: role ? [role.id] : [],
          }),
        { busy: true },
      );
    const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => invite(i)));
    const made = answers.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 402, body: { code: 'quota_exceeded', resource: 'staff', limit: before + 3 } });
    expect(await staff()).toBe(before + 3);
    // A deactivated user frees a place, and needs one for reactivation.
    const [first, second] = made.map(({ body }) => `${users}/${body.id}`) as [string, string];
    expect((await shop.a.admin.patch(first, { status: 'disabled' })).status).toBe(200);
    expect((await invite(300)).status).toBe(201);
    expect(await shop.a.admin.patch(first, { status: 'active' })).toMatchObject({ status: 402 });
    expect((await shop.a.admin.delete(second)).status).toBe(204);
    expect((await shop.a.admin.patch(first, { status: 'active' })).status).toBe(200);
    console.log(`quotas: ${made.length} of 200 concurrent invitations accepted, 3 places free`);
  });

  it('hosts, which the operator gives, are as many as the plan has', async () => {
    await limited('hosted', { domains: 2 });
    const path = `/api/super-admin/tenants/${shop.a.id}`;
    const { hosts } = (await shop.operator.get<{ hosts: string[] }>(path)).body;
    const three = [...hosts, 'two.localhost', 'three.localhost'].slice(0, 3);
    expect(await shop.operator.patch(path, { hosts: three })).toMatchObject({
      status: 402,
      body: { code: 'quota_exceeded', resource: 'domains', limit: 2 },
    });
    expect((await shop.operator.patch(path, { hosts: three.slice(0, 2) })).status).toBe(200);
    expect((await quotasOf()).find(({ resource }) => resource === 'domains')).toMatchObject({ limit: 2, used: 2 });
    const planId = (await shop.operator.get<{ planId: string }>(path)).body.planId;
    const made = {
      name: 'T',
      slug: 'hosted-too',
      planId,
      ownerEmail: 'o@t.example',
      hosts: ['x1.localhost', 'x2.localhost', 'x3.localhost'],
    };
    expect((await shop.operator.post('/api/super-admin/tenants', made)).status).toBe(402);
    expect((await shop.operator.patch(path, { hosts })).status).toBe(200);
  });

  it('an allowance is consumed once per unit under concurrency, and renewed with its period', async () => {
    await limited('calls', { callsPerDay: 7 });
    const consume = (amount?: number) => shop.a.run('platform', (ctx) => ctx.require(quotas).consume('callsPerDay', amount));
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => consume()));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    await expect(consume()).rejects.toMatchObject({ code: 'quota_exceeded', extra: { limit: 7, used: 7 } });
    // What was rolled back was not used.
    await expect(
      shop.b.run('platform', async (ctx) => {
        await ctx.require(quotas).consume('callsPerDay');
        throw new Error('too late');
      }),
    ).rejects.toThrow('too late');
    expect(await shop.rows('select * from platform_quota where tenant_id = $1', [shop.b.id])).toEqual([]);
    shop.clock.advance(86_400_000);
    await expect(consume(8)).rejects.toMatchObject({ code: 'quota_exceeded', extra: { used: 0 } });
    await consume(7);
    await expect(consume()).rejects.toMatchObject({ code: 'quota_exceeded' });
    shop.clock.advance(-86_400_000);
  });

  it('are the own ones', async () => {
    for (const id of [shop.b.id, crypto.randomUUID(), 'me'])
      expect((await shop.a.admin.get(`/api/admin/tenant-quotas/${id}`)).status).toBe(404);
    const powerless = await shop.a.staff(['catalog.product.read']);
    expect((await powerless.get(`/api/admin/tenant-quotas/${shop.a.id}`)).status).toBe(403);
  });
});

describe('flags', () => {
  const path = '/api/admin/tenants/me/flags';
  const isOn = (name: string, key?: string) =>
    shop.a.run('platform', (ctx) => ctx.require(flags).isOn(name, key === undefined ? {} : { key }));

  it('are made, changed under a version, and removed, by their name', async () => {
    const made = await shop.a.admin.post<{ version: number }>(path, { name: 'new-checkout', enabled: true });
    expect(made.status, made.text).toBe(201);
    expect(made.body).toMatchObject({ name: 'new-checkout', enabled: true, rolloutBp: 10_000, rules: [] });
    expect(await shop.a.admin.post(path, { name: 'new-checkout', enabled: false })).toMatchObject({
      status: 409,
      body: { code: 'duplicate', field: 'name' },
    });
    for (const bad of [
      { name: 'New' },
      { name: 'x'.repeat(65) },
      { name: 'a b' },
      { name: 'a', rolloutBp: 10_001 },
      { name: 'a', rules: [{}] },
    ])
      expect((await shop.a.admin.post(path, { enabled: true, ...bad })).status, JSON.stringify(bad)).toBe(422);
    const one = `${path}/new-checkout`;
    expect((await shop.a.admin.patch(one, { enabled: false }, { 'if-match': '"9"' })).status).toBe(412);
    const patched = await shop.a.admin.patch(one, { rolloutBp: 0 }, { 'if-match': `"${made.body.version}"` });
    expect(patched.body).toMatchObject({ rolloutBp: 0, enabled: true, version: made.body.version + 1 });
    expect((await shop.a.admin.patch(one, { name: 'other' })).status).toBe(422);
    expect((await shop.a.admin.patch(one, {})).body).toEqual(patched.body);
    // Another shop has flags of its own.
    expect((await shop.b.admin.get<{ data: unknown[] }>(path)).body.data).toEqual([]);
    expect((await shop.b.admin.patch(one, { enabled: false })).status).toBe(404);
    expect((await shop.b.admin.delete(one)).status).toBe(404);
    expect((await shop.a.admin.delete(one)).status).toBe(204);
    expect((await shop.a.admin.delete(one)).status).toBe(404);
  });

  it('one that the shop does not have is what its plan says of the feature', async () => {
    await limited('featured', {}, { gifts: true, drafts: false });
    expect([await isOn('gifts'), await isOn('drafts'), await isOn('nothing'), await isOn('constructor')]).toEqual([
      true,
      false,
      false,
      false,
    ]);
    await shop.a.admin.post(path, { name: 'gifts', enabled: false });
    expect(await isOn('gifts')).toBe(false);
    await shop.a.admin.patch(`${path}/gifts`, { enabled: true, rolloutBp: 5_000 });
    expect(await isOn('gifts')).toBe(false);
    const keys = await Promise.all(Array.from({ length: 40 }, (_, i) => isOn('gifts', `k${i}`)));
    expect(new Set(keys)).toEqual(new Set([true, false]));
  });
});
