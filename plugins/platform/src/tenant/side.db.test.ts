import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['example-hello'], processes: 2 });
});
afterAll(() => shop?.stop());

describe("the tenant's side", () => {
  it('sees its plugins and their settings', async () => {
    const { data } = (await shop.a.admin.get<{ data: { name: string; on: boolean; why: string }[] }>('/api/admin/plugins/')).body;
    expect(data.find(({ name }) => name === 'example-hello')).toMatchObject({ on: true, why: 'on', state: 'ready' });
    const settings = '/api/admin/plugins/identity/settings';
    const before = await shop.a.admin.get<{ version: number }>(settings);
    expect(before.body).toMatchObject({
      enabled: null,
      on: true,
      settings: { idpAIssuer: null, idpBIssuer: null },
      schema: { type: 'object' },
    });
    const put = await shop.a.admin.put(
      settings,
      { settings: { idpAIssuer: 'https://admin.example' } },
      { 'if-match': `"${before.body.version}"` },
    );
    expect(put.body).toMatchObject({ settings: { idpAIssuer: 'https://admin.example', idpBIssuer: null } });
    expect(
      (await shop.a.admin.put(settings, { settings: { idpAIssuer: null } }, { 'if-match': `"${before.body.version}"` })).status,
    ).toBe(412);
    expect(await shop.a.admin.put(settings, { settings: { idpAIssuer: 'x' } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/settings/idpAIssuer' }] },
    });
    expect(await shop.a.admin.put(settings, { settings: { nothing: 1 } })).toMatchObject({
      status: 422,
      body: { code: 'unknown_field' },
    });
    expect((await shop.b.admin.get<{ settings: object }>(settings)).body.settings).toMatchObject({ idpAIssuer: null });
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

  it('sees its own queues, integrations and events only', async () => {
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
