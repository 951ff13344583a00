import { notifications } from '@storeloom/plugin-sdk';
import { adminUrl, storefrontUrl } from '@storeloom/plugin-sdk/public';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'identity'], processes: 2 });
});
afterAll(() => shop?.stop());

type Store = Record<string, unknown> & { version: number };
const store = '/api/admin/settings/store';

describe('settings/store', () => {
  it('shows what the shop is', async () => {
    const { status, body, headers } = await shop.a.admin.get<Store>(store);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'Shop A',
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      locales: ['ro', 'en'],
      defaultLocale: 'ro',
      priceMode: 'gross',
      legalName: null,
      address: null,
      allowedOrigins: [],
    });
    expect(headers.etag).toBe(`"${body.version}"`);
  });

  it('changes what is sent, leaves the rest, and is felt by both processes', async () => {
    const before = (await shop.a.admin.get<Store>(store)).body;
    const address = { line1: 'Strada Lungă 1', line2: null, city: 'Brașov', region: null, postalCode: '500001', country: 'RO' };
    const put = await shop.a.admin.put<Store>(
      store,
      { name: 'Prăvălia A', legalName: 'Prăvălia SRL', address, timezone: 'Europe/Vienna' },
      { 'if-match': `"${before.version}"` },
    );
    expect(put.status, put.text).toBe(200);
    expect(put.body).toMatchObject({
      name: 'Prăvălia A',
      legalName: 'Prăvălia SRL',
      address,
      timezone: 'Europe/Vienna',
      currency: 'RON',
    });
    expect(put.body.version).toBeGreaterThan(before.version);
    for (const base of shop.bases) {
      const config = await shop.a.guest.at(base).get('/api/storefront/tenant-config/');
      expect(config.body).toMatchObject({
        name: 'Prăvălia A',
        timezone: 'Europe/Vienna',
        legal: { legalName: 'Prăvălia SRL', address },
      });
    }
    expect((await shop.b.admin.get<Store>(store)).body).toMatchObject({ name: 'Shop B', legalName: null });
  });

  it('a stale version changes nothing; of two with the same version one wins', async () => {
    const { version } = (await shop.a.admin.get<Store>(store)).body;
    expect((await shop.a.admin.put(store, { regNo: 'J1' }, { 'if-match': `"${version - 1}"` })).status).toBe(412);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        shop.a.admin
          .at(shop.bases[i % 2] as string)
          .put(store, { regNo: `J${i}`, phone: `+40 21 000 00 0${i}` }, { 'if-match': `"${version}"` }),
      ),
    );
    const won = answers.filter(({ status }) => status === 200);
    expect(won).toHaveLength(1);
    for (const { status } of answers) expect([200, 409, 412]).toContain(status);
    const { regNo, phone } = (await shop.a.admin.get<Store>(store)).body as unknown as { regNo: string; phone: string };
    expect(phone.at(-1)).toBe(regNo.at(-1));
  });

  it('writes nothing of a body with a fault', async () => {
    const before = (await shop.a.admin.get<Store>(store)).body;
    for (const [body, code, pointer] of [
      [{ legalName: 'Other SRL', nonsense: 1 }, 'unknown_field', '/nonsense'],
      [{ legalName: 'Other SRL', timezone: 'Mars/Olympus' }, 'validation_failed', '/timezone'],
      [{ legalName: 'Other SRL', currency: 'XXQ' }, 'validation_failed', '/currency'],
      [{ name: 'Other', address: { city: 'x' } }, 'validation_failed', '/address/line1'],
      [{ name: 'Other', defaultLocale: 'fr' }, 'validation_failed', '/defaultLocale'],
      [{ name: 'Other', locales: ['en'] }, 'validation_failed', '/locales'],
      [{ name: 'Other', locales: [] }, 'validation_failed', '/locales'],
      [{ name: null }, 'validation_failed', '/name'],
      [{ name: 'Other', allowedOrigins: ['*'] }, 'validation_failed', '/allowedOrigins/0'],
    ] as const) {
      const answer = await shop.a.admin.put(store, body);
      expect(answer.status, answer.text).toBe(422);
      expect(answer.body.code).toBe(code);
      expect((answer.body.errors as { pointer: string }[]).map((error) => error.pointer)).toContain(pointer);
    }
    expect((await shop.a.admin.get<Store>(store)).body).toEqual(before);
  });

  it('each write leaves an audit row', async () => {
    await shop.a.admin.put(store, { priceMode: 'net', vatId: 'RO123' });
    const log = await shop.a.admin.get<{ data: { id: string; action: string; changes: unknown; actor: { type: string } }[] }>(
      '/api/admin/audit-logs/?entity=core.setting',
    );
    expect(log.body.data.length).toBeGreaterThan(0);
    expect(log.body.data[0]).toMatchObject({ action: 'workspace.setting.update', actor: { type: 'staff' } });
    expect(JSON.stringify(log.body.data.slice(0, 2))).toContain('RO123');
    await shop.a.admin.put(store, { priceMode: 'gross' });
  });
});

describe('settings', () => {
  it('are listed with value, schema and version', async () => {
    const { data } = (await shop.a.admin.get<{ data: { key: string; schema: object }[] }>('/api/admin/settings/')).body;
    const keys = data.map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(['workspace.currency', 'workspace.legalName', 'identity.idpAIssuer']));
    expect(keys).toEqual([...keys].sort());
    expect(data.every(({ schema }) => typeof schema === 'object')).toBe(true);
  });

  it('one is read and written by its key', async () => {
    const key = '/api/admin/settings/workspace.storefrontUrl';
    const before = await shop.a.admin.get<{ version: number; value: unknown }>(key);
    expect(before.body).toMatchObject({ key: 'workspace.storefrontUrl', value: null });
    const put = await shop.a.admin.put(key, { value: 'https://shop.example' }, { 'if-match': `"${before.body.version}"` });
    expect(put.body).toMatchObject({ value: 'https://shop.example' });
    expect(
      (await shop.a.admin.put(key, { value: 'https://other.example' }, { 'if-match': `"${before.body.version}"` })).status,
    ).toBe(412);
    expect(await shop.a.admin.put(key, { value: 'no address' })).toMatchObject({ status: 422 });
    expect(await shop.a.admin.put(key, {})).toMatchObject({ status: 422, body: { errors: [{ pointer: '/value' }] } });
    expect((await shop.b.admin.get<{ value: unknown }>(key)).body.value).toBeNull();
    expect((await shop.a.admin.put(key, { value: null })).body).toMatchObject({ value: null });
  });

  it("the tenant's own members have keys too", async () => {
    const key = '/api/admin/settings/workspace.timezone';
    expect((await shop.a.admin.put(key, { value: 'Europe/Paris' })).body).toMatchObject({
      key: 'workspace.timezone',
      value: 'Europe/Paris',
    });
    expect((await shop.a.admin.get<Store>(store)).body.timezone).toBe('Europe/Paris');
    expect(await shop.a.admin.put(key, { value: 'nowhere' })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/value' }] },
    });
  });

  it('an unknown key is 404', async () => {
    for (const key of ['nothing.here', 'workspace.nothing', 'workspace', 'toString', 'workspace.constructor', 'theme.colors'])
      expect((await shop.a.admin.get(`/api/admin/settings/${key}`)).status, key).toBe(404);
  });
});

describe('notifications', () => {
  const send = (tenant = shop.a, userIds?: string[]) =>
    tenant.run('workspace', (ctx) =>
      ctx.require(notifications).notifyStaff({
        type: 'test.hello',
        title: { ro: 'Salut', en: 'Hello' },
        body: { ro: 'Text', en: 'Text' },
        link: '/x',
        ...(userIds ? { userIds } : {}),
      }),
    );
  const list = '/api/admin/notifications/';
  type Page = { data: { id: string; readAt: string | null; title: unknown }[] };

  it('reach all staff, each with an own row to read', async () => {
    const member = await shop.a.staff(['workspace.notification.read', 'workspace.notification.update']);
    await send();
    for (const client of [shop.a.admin, member]) {
      const { data } = (await client.get<Page>(`${list}?read=false`)).body;
      expect(data).toEqual([
        expect.objectContaining({ type: 'test.hello', title: { ro: 'Salut', en: 'Hello' }, link: '/x', readAt: null }),
      ]);
    }
    const own = (await member.get<Page>(list)).body.data[0] as Page['data'][number];
    const read = await member.put<{ readAt: string; version: number }>(`${list}${own.id}/read`);
    expect(read.body.readAt).toEqual(expect.any(String));
    expect((await member.put(`${list}${own.id}/read`)).body).toEqual(read.body);
    expect((await shop.a.admin.get<Page>(`${list}?read=false`)).body.data).toHaveLength(1);
    // Another's is unknown.
    expect((await shop.a.admin.put(`${list}${own.id}/read`)).status).toBe(404);
    expect((await shop.b.admin.put(`${list}${own.id}/read`)).status).toBe(404);
  });

  it("read-all reads one's own, again and again", async () => {
    await send();
    expect((await shop.a.admin.put(`${list}read-all`)).body).toEqual({ read: 2 });
    expect((await shop.a.admin.put(`${list}read-all`)).body).toEqual({ read: 0 });
    expect((await shop.b.admin.get<Page>(list)).body.data).toEqual([]);
  });

  it('go to staff only', async () => {
    await send(shop.b, [crypto.randomUUID()]);
    expect((await shop.b.admin.get<Page>(list)).body.data).toEqual([]);
  });

  it('events lists the catalogue', async () => {
    const { data } = (await shop.a.admin.get<{ data: { type: string; plugin: string; public: boolean }[] }>(`${list}events`))
      .body;
    expect(data.map(({ type }) => type)).toContain('customers.customer.created');
  });
});

describe('the audit log', () => {
  it('is paged, filtered, and chained by hash', async () => {
    for (let i = 0; i < 4; i++) await shop.a.admin.put(store, { regNo: `R${i}` });
    type Row = { id: string; hash: string; prevHash: string; at: string };
    const first = await shop.a.admin.get<{ data: Row[]; page: { nextCursor: string } }>('/api/admin/audit-logs/?limit=2');
    const second = await shop.a.admin.get<{ data: Row[] }>(`/api/admin/audit-logs/?limit=2&cursor=${first.body.page.nextCursor}`);
    const rows = [...first.body.data, ...second.body.data];
    expect(rows).toHaveLength(4);
    for (let i = 0; i < 3; i++) expect(rows[i]?.prevHash).toBe(rows[i + 1]?.hash);
    expect((await shop.a.admin.get(`/api/admin/audit-logs/${rows[0]?.id}`)).body).toEqual(rows[0]);
    expect((await shop.b.admin.get(`/api/admin/audit-logs/${rows[0]?.id}`)).status).toBe(404);
    const none = await shop.a.admin.get<{ data: Row[] }>('/api/admin/audit-logs/?entity=nothing.here');
    expect(none.body.data).toEqual([]);
    for (const query of ['limit=0', 'limit=101', 'cursor=x', 'from=yesterday', 'nope=1', 'entity=a&entity=b'])
      expect((await shop.a.admin.get(`/api/admin/audit-logs/?${query}`)).status, query).toBe(400);
  });
});

describe('links in e-mails', () => {
  const pages = () => shop.b.run('identity', async (ctx) => [storefrontUrl(ctx, '/orders/1'), adminUrl(ctx, '/orders/1')]);

  it('lead to the shop’s own host until staff say otherwise, for every plugin', async () => {
    expect(await pages()).toEqual([`http://${shop.b.host}/orders/1`, `http://${shop.b.host}/admin/orders/1`]);
    const set = async (name: string, value: string) => {
      const path = `/api/admin/settings/workspace.${name}`;
      const { version } = (await shop.b.admin.get<{ version: number }>(path)).body;
      expect((await shop.b.admin.put(path, { value }, { 'if-match': `"${version}"` })).status).toBe(200);
    };
    await set('storefrontUrl', 'https://shop.example/ro/');
    await set('adminUrl', 'https://office.example');
    expect(await pages()).toEqual(['https://shop.example/ro/orders/1', 'https://office.example/orders/1']);
  });
});
