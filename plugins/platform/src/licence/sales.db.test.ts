import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashOf } from './payment-c.ts';

const secretKey = 'a-secret-of-the-account';
let shop: TestShop;
let api: Server;
/** Orders as the provider has them, and who asked. */
const orders = new Map<string, { status: string; code: string; price: number; currency: string; quantity: number }>();
const asked: { path: string; authentication: string }[] = [];
let down = false;

beforeAll(async () => {
  api = createServer((req, res) => {
    asked.push({ path: req.url ?? '', authentication: String(req.headers['x-avangate-authentication']) });
    const refNo = /^\/rest\/orders\/([^/]+)\/$/.exec(req.url ?? '')?.[1] ?? '';
    const order = orders.get(refNo);
    if (down || !order) {
      res.writeHead(down ? 503 : 404).end();
      return;
    }
    res.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        RefNo: refNo,
        Status: order.status,
        Currency: order.currency,
        BillingDetails: { Email: 'Buyer@Customer.example', City: 'Cluj' },
        Items: [{ Code: order.code, Quantity: order.quantity, Price: { UnitGrossPrice: order.price, Currency: order.currency } }],
      }),
    );
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  shop = await testShop({ plugins: [], processes: 2 });
});
afterAll(async () => {
  await shop?.stop();
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});
beforeEach(() => {
  down = false;
  asked.length = 0;
});

const sales = () => ({
  account: 'STORELOOM',
  secretKey,
  apiUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}/rest`,
  products: [
    {
      code: 'AGENCY',
      price: { amount: 49900, currency: 'EUR' },
      months: 12,
      updateMonths: 12,
      plan: 'agency',
      plugins: { '*': '^1.0.0' },
      env: 'production',
      maxActivations: 2,
    },
  ],
});
const notify = (refNo: string, { status = 'COMPLETE', date = '20261127122210', secret = secretKey } = {}) => {
  const pairs: [string, string][] = [
    ['REFNO', refNo],
    ['ORDERSTATUS', status],
    ['CUSTOMEREMAIL', 'someone@else.example'],
    ['IPN_PID[]', '1'],
    ['IPN_PNAME[]', 'Licență de agenție'],
    ['IPN_DATE', date],
  ];
  pairs.push([
    'HASH',
    hashOf(
      pairs.map(([, value]) => value),
      secret,
    ),
  ]);
  const content = new URLSearchParams(pairs).toString();
  return shop.a.guest.call<string>('POST', '/api/webhooks/payment-c-license', {
    raw: { content, type: 'application/x-www-form-urlencoded' },
  });
};
const licences = () =>
  shop.rows<{ id: string; source: string; customer_email: string; max_activations: number; plan: string; expires_at: Date }>(
    'select * from platform_license order by created_at, id',
  );
const order = (refNo: string, change: object = {}): void =>
  void orders.set(refNo, { status: 'COMPLETE', code: 'AGENCY', price: 499, currency: 'EUR', quantity: 1, ...change });

describe('the sale of licences', () => {
  it('answers that it is not configured', async () => {
    expect(await notify('1')).toMatchObject({ status: 501 });
    const set = await shop.operator.patch<{ licenseSales: { secretKey: string } }>('/api/super-admin/settings', {
      licenseSales: sales(),
    });
    expect(set.status, set.text).toBe(200);
    // Write-only: masked, and its mask changes nothing.
    expect(set.body.licenseSales.secretKey).toBe('••••ount');
    const again = await shop.operator.patch('/api/super-admin/settings', { licenseSales: { ...sales(), secretKey: '••••ount' } });
    expect(again.status, again.text).toBe(200);
    expect(
      await shop.operator.patch('/api/super-admin/settings', { licenseSales: { ...sales(), secretKey: '••••zzzz' } }),
    ).toMatchObject({ status: 422, body: { errors: [{ pointer: '/licenseSales/secretKey' }] } });
    const rows = await shop.rows('select value from platform_setting union all select changes from core_platform_audit');
    expect(JSON.stringify(rows)).not.toContain(secretKey);
  });

  it('turns a paid order into one licence and e-mail, also with repeated notifications', async () => {
    order('R-1', { quantity: 3 });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => notify('R-1', { date: i % 2 === 0 ? '20261127122210' : '20261127122311' })),
    );
    for (const { status, text } of answers) {
      expect(status, text).toBe(200);
      expect(text).toMatch(/^<EPAYMENT>\d{14}\|[0-9a-f]{32}<\/EPAYMENT>$/);
    }
    await shop.settled();
    const made = await licences();
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({
      source: 'payment-c:R-1:AGENCY',
      customer_email: 'buyer@customer.example',
      max_activations: 6,
      plan: 'agency',
    });
    expect((await shop.mails()).filter(({ template }) => template === 'platform.licence')).toEqual([
      expect.objectContaining({ to: 'buyer@customer.example' }),
    ]);
    expect(asked[0]).toMatchObject({
      path: '/rest/orders/R-1/',
      authentication: expect.stringMatching(/^code="STORELOOM" date="/),
    });
    const { data } = (
      await shop.operator.get<{ data: { type: string; data: object }[] }>(
        `/api/super-admin/license-events?licenseId=${made[0]?.id}`,
      )
    ).body;
    expect(data).toMatchObject([{ type: 'issued', data: { source: 'payment-c:R-1:AGENCY' } }]);
  });

  it('believes nothing but what the provider says: not paid, too little, another currency, another product', async () => {
    const before = (await licences()).length;
    order('R-2', { status: 'PENDING' });
    order('R-3', { price: 498.99 });
    order('R-4', { currency: 'RON' });
    order('R-5', { code: 'SHIRT' });
    for (const refNo of ['R-2', 'R-3', 'R-4', 'R-5']) expect((await notify(refNo)).status).toBe(200);
    await shop.settled();
    expect(await licences()).toHaveLength(before);
    // It is paid later.
    order('R-2');
    await notify('R-2', { date: '20261128000000' });
    await shop.settled();
    expect(await licences()).toHaveLength(before + 1);
  });

  it('a bad signature is refused, and leaves nothing', async () => {
    order('R-6');
    expect(await notify('R-6', { secret: 'another' })).toMatchObject({ status: 401 });
    expect(await shop.rows("select id from core_inbound where event_id like 'R-6%'")).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('a provider that is away is asked again', async () => {
    order('R-7');
    down = true;
    await notify('R-7');
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    down = false;
    await shop.settled();
    expect((await licences()).at(-1)?.source).toBe('payment-c:R-7:AGENCY');
  });
});

describe('settings of the operator', () => {
  const path = '/api/super-admin/settings';
  it('announce a maintenance window, and acknowledge it', async () => {
    const startsAt = new Date(Date.now() - 60_000).toISOString();
    const endsAt = new Date(Date.now() + 3_600_000).toISOString();
    const before = await shop.operator.get<{ version: number }>(path);
    expect(before.body).toMatchObject({ maintenance: null, licence: { state: 'valid' }, issuer: { keys: [{}, {}] } });
    const etag = String(before.headers.etag);
    const set = await shop.operator.patch<{ version: number }>(
      path,
      { maintenance: { startsAt, endsAt, message: 'Upgrade' } },
      { 'if-match': etag },
    );
    expect(set.body).toMatchObject({ maintenance: { startsAt, endsAt, message: 'Upgrade', acknowledgedAt: null, active: true } });
    expect((await shop.operator.patch(path, { maintenance: null }, { 'if-match': etag })).status).toBe(412);
    const acknowledged = await shop.operator.patch<{ maintenance: { acknowledgedAt: string } }>(path, {
      maintenanceAcknowledged: true,
    });
    expect(acknowledged.body.maintenance.acknowledgedAt).toEqual(expect.any(String));
    expect((await shop.operator.patch(path, { maintenanceAcknowledged: true })).body.maintenance).toEqual(
      acknowledged.body.maintenance,
    );
    for (const bad of [
      { maintenance: { startsAt, endsAt: startsAt } },
      { maintenance: { startsAt: 'soon', endsAt } },
      { maintenance: { startsAt: '2026-11-27T10:00:00', endsAt } },
      { more: 1 },
    ])
      expect((await shop.operator.patch(path, bad)).status, JSON.stringify(bad)).toBe(422);
    expect((await shop.operator.patch(path, {})).body.maintenance).toEqual(acknowledged.body.maintenance);
    expect((await shop.operator.patch(path, { maintenance: null })).body).toMatchObject({ maintenance: null });
    expect(await shop.operator.patch(path, { maintenanceAcknowledged: true })).toMatchObject({ status: 422 });
    const { data } = (await shop.operator.get<{ data: object[] }>('/api/super-admin/activity?entity=platform.setting')).body;
    expect(data.length).toBeGreaterThan(3);
  });

  it('shows a window that the upgrade has written', async () => {
    await shop.rows(`insert into core_installation (key, value) values ('maintenance', '{"startsAt": "2026-11-27T10:00:00Z", "endsAt": "2026-11-27T11:00:00Z"}')
      on conflict (key) do update set value = excluded.value`);
    expect((await shop.operator.get(path)).body).toMatchObject({
      maintenance: { startsAt: '2026-11-27T10:00:00.000Z', message: null, acknowledgedAt: null, active: expect.any(Boolean) },
    });
  });

  it('are the operator’s', async () => {
    expect((await shop.a.guest.get(path)).status).toBe(401);
    expect((await shop.a.admin.get(path)).status).toBe(403);
    for (const route of ['issue', 'revoke', 'resend-email'])
      expect((await shop.a.admin.post(`/api/super-admin/licenses/${route}`, {})).status).toBe(403);
  });
});
