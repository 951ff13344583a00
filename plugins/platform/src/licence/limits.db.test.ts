import { patiently, type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue, issuingShop, signedIn } from '../../test/issuer.ts';

const day = 86_400_000;
const now = '2026-11-27T12:00:00.000Z';
let issuer: TestShop;
let shop: TestShop;
let operator: TestClient;
let owner: TestClient;
beforeAll(async () => {
  const made = await issuingShop({ now });
  issuer = made.issuer;
  shop = await testShop({ plugins: ['example-hello'], processes: 2, now, licenceIssuer: made.trusted });
  ({ operator, owner } = await signedIn(shop));
});
afterAll(async () => {
  await shop?.stop();
  await issuer?.stop();
});

const tenant = () => `/api/super-admin/tenants/${shop.a.id}`;
const hello = 'example-hello';
const settings = `/api/admin/plugins/${hello}/settings`;
const plan = async (code: string, plugins: string[]): Promise<string> => {
  const { body } = await operator.post<{ id: string }>('/api/super-admin/plans', { code, name: code });
  if (plugins.length > 0)
    expect((await operator.patch(`/api/super-admin/plans/${body.id}/permissions`, { plugins })).status).toBe(200);
  return body.id;
};
const decision = async () =>
  (await operator.get<{ data: { plugin: string; on: boolean; why: string }[] }>(`${tenant()}/permissions`)).body.data.find(
    ({ plugin }) => plugin === hello,
  );

describe('what the licence limits', () => {
  it('tenants: of twenty simultaneous ones the licence allows up to its limit', async () => {
    const licence = await issue(issuer, { limits: { tenants: 4 } });
    expect((await owner.post('/api/admin/license/activate', { key: licence.key })).status).toBe(200);
    const planId = await plan('limited', []);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patiently(
          () =>
            operator.at(shop.bases[i % 2] as string).post('/api/super-admin/tenants', {
              name: `T${i}`,
              slug: `t-${i}`,
              hosts: [`t${i}.localhost`],
              planId,
              ownerEmail: `o${i}@t.example`,
            }),
          { busy: true },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toMatchObject({ status: 403, body: { code: 'license_required' } });
    expect(await shop.rows("select id from core_tenant where slug like 't-%'")).toHaveLength(2);
  });

  it('stores and domains: what is there goes on, what is new must fit', async () => {
    const [one, other] = await shop.rows<{ id: string }>("select id from core_tenant where slug like 't-%' order by id");
    const open = (await shop.rows("select id from core_tenant where status not in ('suspended', 'terminated')")).length;
    const licence = await issue(issuer, { limits: { stores: open - 1 }, domains: ['brand.example'] });
    expect((await owner.post('/api/admin/license/activate', { key: licence.key })).body).toMatchObject({
      state: 'valid',
      limits: { stores: open - 1 },
      domains: ['brand.example'],
    });
    const path = (tenant = one) => `/api/super-admin/tenants/${tenant?.id}`;
    const refused = { status: 403, body: { code: 'license_required' } };
    // One too many is open already: it sells on, and its name and hosts can be changed within the domains.
    expect((await shop.a.guest.get('/api/storefront/tenant-config/')).status).toBe(200);
    expect((await operator.patch(path(), { name: 'Renamed', status: 'past_due' })).status).toBe(200);
    expect(await operator.patch(path(), { hosts: ['other.example'] })).toMatchObject(refused);
    expect(await operator.patch(path(), { hosts: ['brand.example.evil.example'] })).toMatchObject(refused);
    expect((await operator.patch(path(), { hosts: ['www.brand.example', 'one.localhost'] })).status).toBe(200);
    // Two are closed, and of twenty simultaneous openings one succeeds.
    for (const tenant of [one, other]) expect((await operator.patch(path(tenant), { status: 'suspended' })).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patiently(() => operator.at(shop.bases[i % 2] as string).patch(path(i % 4 < 2 ? one : other), { status: 'active' }), {
          busy: true,
        }),
      ),
    );
    for (const answer of answers.filter(({ status }) => status !== 200)) expect(answer).toMatchObject(refused);
    const now = await shop.rows("select id from core_tenant where status not in ('suspended', 'terminated')");
    expect(now).toHaveLength(open - 1);
    console.log(`licence: ${open - 1} stores licensed, ${now.length} open after 20 simultaneous attempts to open two`);
  });

  it('a niche takes the versions of its range', async () => {
    const niche = { code: 'ranged', name: 'Ranged', plugins: [{ name: hello, range: '>=99' }] };
    const { body } = await operator.post<{ id: string }>('/api/super-admin/niche-packages', niche);
    await shop.rows('update core_tenant set niche_package_id = $1 where id = $2', [body.id, shop.a.id]);
    expect(await decision()).toMatchObject({ on: false, why: 'not_in_niche' });
    await operator.patch(`/api/super-admin/niche-packages/${body.id}`, { plugins: [{ name: hello, range: '^1.0.0' }] });
    expect(await decision()).toMatchObject({ on: true, why: 'on' });
    await expect.poll(async () => (await shop.a.guest.get('/api/storefront/example-hello/')).status).toBe(200);
    await operator.patch(`/api/super-admin/niche-packages/${body.id}`, { plugins: [] });
  });

  it('once it is over, what is off stays off by every way there is, and what is on goes on', async () => {
    expect(await decision()).toMatchObject({ on: false, why: 'not_in_niche' });
    const lacking = await plan('lacking', []);
    const whole = await plan('whole', ['*']);
    const [niche] = await shop.rows<{ id: string }>("select id from core_niche_package where code = 'ranged'");
    shop.clock.advance(420 * day);
    issuer.clock.advance(420 * day);
    ({ operator, owner } = await signedIn(shop));
    expect((await owner.get('/api/admin/license/')).body).toMatchObject({ state: 'expired' });

    const refused = { status: 403, body: { code: 'license_required', plugins: [hello] } };
    const on = { pluginId: hello, enabled: true, reason: 'a friend' };
    expect(await owner.put(settings, { enabled: true })).toMatchObject(refused);
    expect(await operator.put(`${tenant()}/features`, { features: { [hello]: true } })).toMatchObject(refused);
    expect(await operator.put(`${tenant()}/plugin-overrides`, on)).toMatchObject(refused);
    expect(
      await operator.patch(`/api/super-admin/niche-packages/${niche?.id}`, { plugins: [{ name: hello, range: null }] }),
    ).toMatchObject(refused);
    expect(await decision()).toMatchObject({ on: false, why: 'not_in_niche' });
    expect((await operator.get(`${tenant()}/features`)).body).toEqual({ features: {} });

    // Without its niche it is on again, and may be put off; then a plan, too, brings nothing back.
    await shop.rows('update core_tenant set niche_package_id = null where id = $1', [shop.a.id]);
    expect(await decision()).toMatchObject({ on: true, why: 'on' });
    expect((await operator.patch(`${tenant()}/plan`, { planId: lacking })).status).toBe(200);
    expect(await decision()).toMatchObject({ on: false, why: 'not_in_plan' });
    expect(await operator.patch(`${tenant()}/plan`, { planId: whole })).toMatchObject(refused);
    expect(await operator.patch(`/api/super-admin/plans/${lacking}/permissions`, { plugins: ['*'] })).toMatchObject(refused);
    expect(await decision()).toMatchObject({ on: false, why: 'not_in_plan' });

    // The other shop has it still, in the storefront and in the administration.
    expect((await shop.b.guest.get('/api/storefront/example-hello/')).status).toBe(200);
    expect((await shop.b.guest.get('/health')).body).toMatchObject({ ok: true, licence: 'expired' });
  });
});
