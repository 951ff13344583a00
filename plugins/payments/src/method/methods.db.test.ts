import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['payments'] });
});
afterAll(() => shop?.stop());

type Method = Record<string, unknown> & { id: string; code: string; version: number; config: Record<string, unknown> };
interface Page {
  data: Method[];
}
const door = '/api/admin/payment-methods/';
const settings = '/api/admin/settings/payment-methods';
const config = {
  apiUrl: 'https://api.provider.example',
  accountId: 'acct_methods',
  secretKey: 'sk_test_0123456789',
  webhookSecret: 'whsec_0123456789abcd',
};

let counter = 0;
async function make(body: Record<string, unknown> = {}): Promise<Method> {
  const response = await shop.a.admin.post<Method>(door, { code: `m${++counter}`, name: 'Metodă', provider: 'cod', ...body });
  expect(response.status, response.text).toBe(201);
  return response.body;
}

describe('payment methods', () => {
  it('are one resource at two paths', async () => {
    const created = await make();
    const listed = await shop.a.admin.get<Page>(`${settings}?id=${created.id}`);
    expect(listed.body.data).toMatchObject([{ id: created.id, code: created.code, enabled: false, capture: 'auto', config: {} }]);
    const other = await shop.a.admin.post<Method>(settings, {
      code: 'door2',
      name: { ro: 'Doi', en: 'Two' },
      provider: 'manual',
    });
    expect(other.status).toBe(201);
    expect((await shop.a.admin.get<Page>(`${door}?code=door2`)).body.data).toMatchObject([
      { id: other.body.id, name: { ro: 'Doi', en: 'Two' } },
    ]);
    const patched = await shop.a.admin.patch<Method>(`${door}${other.body.id}`, { position: 7 });
    expect(patched.body).toMatchObject({ position: 7, version: 2 });
    const put = await shop.a.admin.put<Method>(`${settings}/${other.body.id}`, {
      code: 'door2',
      name: 'Doi',
      provider: 'manual',
    });
    expect(put.body).toMatchObject({ position: 0, version: 3, name: { ro: 'Doi' } });
    expect((await shop.a.admin.delete(`${settings}/${other.body.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${door}${other.body.id}`)).status).toBe(404);
  });

  it('have case-insensitively unique codes, and the code of a deleted one can be reused', async () => {
    const created = await make({ code: 'Unique' });
    const again = await shop.a.admin.post(door, { code: 'unique', name: 'x', provider: 'cod' });
    expect(again).toMatchObject({ status: 409, body: { code: 'duplicate', field: 'code' } });
    expect((await shop.b.admin.post(door, { code: 'unique', name: 'x', provider: 'cod' })).status).toBe(201);
    await shop.a.admin.delete(`${door}${created.id}`);
    expect((await shop.a.admin.post(door, { code: 'unique', name: 'x', provider: 'cod' })).status).toBe(201);
  });

  it('can be enabled only with a complete config', async () => {
    const bad = await shop.a.admin.post<{ errors: { pointer: string }[] }>(door, {
      code: 'card1',
      name: 'Card',
      provider: 'payment-a',
      enabled: true,
      config: { apiUrl: config.apiUrl },
    });
    expect(bad).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
    expect(bad.body.errors.map((e) => e.pointer)).toEqual(['/config/accountId', '/config/secretKey', '/config/webhookSecret']);
    const created = await make({ provider: 'payment-a', config: { apiUrl: config.apiUrl } });
    expect((await shop.a.admin.patch(`${door}${created.id}`, { enabled: true })).status).toBe(422);
    expect((await shop.a.admin.patch(`${door}${created.id}`, { enabled: true, config })).status).toBe(200);
    expect((await shop.a.admin.patch(`${door}${created.id}`, { config: { secretKey: null } })).status).toBe(422);
  });

  it('accept providers without an adapter, but respond 501 when enabled', async () => {
    for (const provider of ['payment-b', 'payment-c']) {
      const created = await make({ provider });
      expect(await shop.a.admin.patch(`${door}${created.id}`, { enabled: true })).toMatchObject({
        status: 501,
        body: { code: 'provider_not_configured', provider },
      });
    }
  });

  it('never return secrets', async () => {
    const created = await make({ provider: 'payment-a', config });
    expect(created.config).toEqual({
      ...config,
      secretKey: '••••6789',
      webhookSecret: '••••abcd',
      publishableKey: null,
      webhookSecretNext: null,
      flow: null,
    });
    const [row] = await shop.rows<{ config: Record<string, string> }>(
      'select config from payments_payment_method where id = $1',
      [created.id],
    );
    expect(JSON.stringify(row)).not.toContain('0123456789');
    const sealed = row?.config.secretKey;
    // A masked secret keeps its value at both paths; absent fields are kept by PATCH and removed by PUT.
    await shop.a.admin.patch(`${door}${created.id}`, { config: { secretKey: '••••6789', flow: 'embedded' } });
    await shop.a.admin.put(`${settings}/${created.id}`, {
      code: created.code,
      name: 'Card',
      provider: 'payment-a',
      config: { apiUrl: config.apiUrl, secretKey: '••••6789' },
    });
    const [after] = await shop.rows<{ config: Record<string, string> }>(
      'select config from payments_payment_method where id = $1',
      [created.id],
    );
    expect(after?.config).toEqual({ apiUrl: config.apiUrl, secretKey: sealed });
    const audit = await shop.rows<{ changes: unknown }>(`select changes from core_audit where entity_id = $1`, [created.id]);
    expect(audit.length).toBeGreaterThan(1);
    expect(JSON.stringify(audit)).not.toContain('0123456789');
  });

  it.each([
    [{ config: { nonsense: 1 } }, 'unknown_field', '/config/nonsense'],
    [{ provider: 'payment-a', config: { apiUrl: 'ftp://x' } }, 'validation_failed', '/config/apiUrl'],
    [{ fee: { fixed: { amount: 1.5, currency: 'RON' } } }, 'money_invalid', '/fee/fixed/amount'],
    [{ fee: { percentBp: 10_001 } }, 'validation_failed', '/fee/percentBp'],
    [{ countries: ['ro'] }, 'validation_failed', '/countries/0'],
    [
      { minTotal: { amount: 2, currency: 'RON' }, maxTotal: { amount: 1, currency: 'RON' } },
      'validation_failed',
      '/maxTotal/amount',
    ],
    [
      { minTotal: { amount: 2, currency: 'RON' }, maxTotal: { amount: 3, currency: 'EUR' } },
      'currency_mismatch',
      '/maxTotal/currency',
    ],
    [{ capture: 'later' }, 'validation_failed', '/capture'],
    [{ id: '0190a000-0000-7000-8000-000000000001' }, 'unknown_field', '/id'],
  ])('refuses %j', async (body, code, pointer) => {
    const response = await shop.a.admin.post(door, { code: `bad${++counter}`, name: 'x', provider: 'cod', ...body });
    expect(response).toMatchObject({ status: 422, body: { code, errors: [{ pointer }] } });
  });

  it('require their permissions', async () => {
    const reader = await shop.a.staff(['payments.payment-method.read']);
    expect((await reader.get(door)).status).toBe(200);
    expect((await reader.get(settings)).status).toBe(200);
    expect(await reader.post(settings, { code: 'no', name: 'x', provider: 'cod' })).toMatchObject({
      status: 403,
      body: { permission: 'payments.payment-method.create' },
    });
  });

  it('are invisible to other tenants and guests', async () => {
    const created = await make();
    expect((await shop.b.admin.patch(`${door}${created.id}`, { position: 1 })).status).toBe(404);
    expect((await shop.b.admin.put(`${settings}/${created.id}`, { code: 'x', name: 'x', provider: 'cod' })).status).toBe(404);
    expect((await shop.b.admin.delete(`${settings}/${created.id}`)).status).toBe(404);
    expect((await shop.b.admin.get<Page>(`${door}?id=${created.id}`)).body.data).toEqual([]);
  });

  it('support If-Match', async () => {
    const created = await make();
    expect((await shop.a.admin.patch(`${door}${created.id}`, { position: 1 }, { 'if-match': '"9"' })).status).toBe(412);
    expect((await shop.a.admin.delete(`${door}${created.id}`, { 'if-match': '"9"' })).status).toBe(412);
  });
});
