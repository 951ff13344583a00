import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, sender } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['shipping'], processes: 2 });
});
afterAll(() => shop?.stop());

describe('carriers', () => {
  const at = (provider = '') => `/api/admin/shipping-carriers/${provider}`;
  const body = {
    credentials: { baseUrl: 'https://carrier.example/api', apiKey: 'a-very-secret-key-9876', username: 'shop' },
    sender,
    services: ['next-day'],
    webhookSecret: 'a-webhook-secret-1234',
    mode: 'live',
    verification: 'secret',
  };
  it('are three, with masked secrets, and configured once base URL, authentication and sender are set', async () => {
    const { admin } = shop.a;
    const empty = await admin.get<Json>(at());
    expect(empty.body.data.map((row: Json) => [row.provider, row.configured])).toEqual([
      ['carrier-a', false],
      ['carrier-b', false],
      ['carrier-c', false],
    ]);
    for (const call of [admin.get(at('carrier-z')), admin.put(at('carrier-z'), body), admin.delete(at('carrier-z'))])
      expect((await call).status).toBe(404);
    const put = await admin.put<Json>(at('carrier-a'), body);
    expect(put.body).toMatchObject({
      provider: 'carrier-a',
      enabled: true,
      configured: true,
      healthy: null,
      credentials: { baseUrl: 'https://carrier.example/api', apiKey: '••••9876', username: 'shop' },
      webhookSecret: '••••1234',
    });
    expect(
      put.text + (await admin.get(at())).text + JSON.stringify(await shop.rows('select * from shipping_carrier')),
    ).not.toMatch(/a-very-secret|a-webhook-secret/);
    expect((await shop.rows<Json>("select changes from core_audit where entity = 'shipping.carrier'")).length).toBe(1);
    // A mask changes nothing.
    const again = await admin.put<Json>(at('carrier-a'), {
      ...body,
      credentials: put.body.credentials,
      webhookSecret: put.body.webhookSecret,
    });
    expect(again.body).toMatchObject({ configured: true, credentials: put.body.credentials, webhookSecret: '••••1234' });
    expect((await shop.b.admin.get<Json>(at('carrier-a'))).body.configured).toBe(false);
    const integrations = await admin.get<Json>('/api/admin/integrations/');
    expect(integrations.body.data).toContainEqual({
      code: 'carrier-a',
      kind: 'carrier',
      configured: true,
      enabled: true,
      healthy: null,
      lastError: null,
    });
    expect((await admin.put(at('carrier-a'), body, { 'if-match': '"1"' })).status).toBe(412);
    expect((await admin.delete(at('carrier-a'))).status).toBe(204);
    expect((await admin.delete(at('carrier-a'))).status).toBe(404);
  });

  it('refuse invalid accounts', async () => {
    for (const wrong of [
      { credentials: { baseUrl: 'file:///etc/passwd' } },
      { credentials: { apiKey: 5 } },
      { credentials: { 'a b': 'x' } },
      { verification: 'basic', webhookSecret: 'no-colon' },
      { verification: 'ip_list', allowedIps: ['10.0.0.0/33'] },
      { mode: 'dry' },
      { sender: { ...sender, country: 'Romania' } },
      { configured: true },
    ])
      expect([wrong, (await shop.a.admin.put(at('carrier-b'), { ...body, ...wrong })).status]).toEqual([wrong, 422]);
  });

  it('refuse notifications with 501 if no shop has an account', async () => {
    const response = await shop.a.guest.post<Json>('/api/webhooks/carrier-c', { id: '1' });
    expect([response.status, response.body.code, response.body.provider]).toEqual([501, 'provider_not_configured', 'carrier-c']);
  });
});
