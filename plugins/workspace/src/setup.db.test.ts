import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pngOf, uploadOf } from '../test/upload.ts';
import { contrast } from './contrast.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['workspace', 'customers'], processes: 2 });
});
afterAll(() => shop?.stop());

describe('branding', () => {
  const path = '/api/admin/branding/';
  it('is replaced as a whole, with warnings where text is hard to read', async () => {
    const { key, url } = (await uploadOf(shop.a.admin, 'image', await pngOf(8, 8))).body;
    const put = await shop.a.admin.put(path, {
      logo: key,
      colors: { background: '#ffffff', text: '#777777', primary: '#003366', onPrimary: '#ffffff' },
      fonts: { heading: `"Source Serif 4", 'Times New Roman', serif`, body: null },
      emailFooter: { ro: 'Prăvălia SRL', en: 'Shop Ltd' },
    });
    expect(put.body, put.text).toMatchObject({
      logo: key,
      logoUrl: url,
      favicon: null,
      warnings: [{ code: 'contrast_low', pointer: '/colors/text' }],
    });
    expect(put.headers.etag).toBe(`"${put.body.version}"`);
    expect((await shop.a.admin.get(path)).body).toEqual(put.body);
    const next = await shop.a.admin.put(path, {}, { 'if-match': `"${put.body.version}"` });
    expect(next.body).toMatchObject({ logo: null, colors: {}, fonts: null, emailFooter: null, warnings: [] });
    expect((await shop.a.admin.put(path, {}, { 'if-match': `"${put.body.version}"` })).status).toBe(412);
    expect((await shop.b.admin.get(path)).body).toMatchObject({ logo: null, colors: {} });
  });

  it('takes only what it can show', async () => {
    const { key } = (await uploadOf(shop.b.admin, 'image', await pngOf(8, 8))).body;
    const { key: text } = (await uploadOf(shop.a.admin, 'document', Buffer.from('plain words'))).body;
    for (const [body, status, pointer] of [
      [{ logo: key }, 404, '/logo'],
      [{ favicon: text }, 422, '/favicon'],
      [{ logo: '../../etc/passwd' }, 404, '/logo'],
      [{ colors: { text: 'red' } }, 422, '/colors/text'],
      [{ colors: { 'no name': '#000000' } }, 422, '/colors/no name'],
      [{ colors: { text: { $ne: '' } } }, 422, '/colors/text'],
      [{ fonts: { heading: 'x;}</style>' } }, 422, '/fonts/heading'],
      [{ fonts: { body: 'x} body{background:url(/x)' } }, 422, '/fonts/body'],
    ] as const) {
      const answer = await shop.a.admin.put<{ errors: { pointer: string }[] }>(path, body);
      expect(answer.status, answer.text).toBe(status);
      expect(answer.body.errors[0]?.pointer).toBe(pointer);
    }
  });

  it('and the key for push messages are in the storefront immediately, in every process', async () => {
    const { key, url } = (await uploadOf(shop.a.admin, 'image', await pngOf(8, 8))).body;
    const told = (base: string) => shop.a.guest.at(base).get('/api/storefront/tenant-config/');
    for (const base of shop.bases) await told(base);
    await shop.a.admin.put(path, { logo: key, colors: { text: '#101010' } });
    for (const base of shop.bases)
      expect((await told(base)).body).toMatchObject({
        branding: { logo: url, favicon: null, colors: { text: '#101010' }, fonts: null },
        pushPublicKey: expect.stringMatching(/^B[\w-]{86}$/),
      });
  });

  it('its footer is in e-mails', async () => {
    await shop.a.admin.put(path, { emailFooter: { ro: 'Prăvălia SRL', en: 'Shop Ltd' } });
    await shop.a.run('identity', async (ctx) => {
      const { mailer } = await import('@storeloom/plugin-sdk');
      await ctx
        .require(mailer)
        .send({ to: 'ana@mail.example', template: 'identity.verify', locale: 'en', data: {}, key: 'footer' });
    });
    expect(await shop.rows("select footer from core_mail where key = 'footer'")).toEqual([{ footer: 'Shop Ltd' }]);
  });

  it('measures contrast as WCAG does', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
    expect(contrast('#123456', '#123456')).toBe(1);
  });
});

describe('onboarding', () => {
  const status = '/api/admin/onboarding/status';
  const step = (body: object, client = shop.a.admin) => client.put('/api/admin/onboarding/step', body);
  it('leads through the steps of the plugins that are on', async () => {
    expect((await shop.a.admin.get(status)).body).toMatchObject({
      steps: [{ key: 'store', done: false, skipped: false }, { key: 'currency' }, { key: 'theme' }, { key: 'domain' }],
      current: 'store',
      dismissedAt: null,
    });
    expect((await step({ key: 'store', skipped: true })).body).toMatchObject({ current: 'currency' });
    expect((await step({ key: 'store', done: true })).body).toMatchObject({
      steps: [{ key: 'store', done: true, skipped: false }, {}, {}, {}],
    });
    for (const body of [
      { key: 'payment', done: true },
      { key: 'constructor', done: true },
    ])
      expect((await step(body)).body).toMatchObject({ code: 'validation_failed', errors: [{ pointer: '/key' }] });
    for (const body of [{ key: 'theme' }, { key: 'theme', done: false }, { key: 'theme', done: true, skipped: true }])
      expect((await step(body)).status).toBe(422);
    expect((await shop.b.admin.get(status)).body).toMatchObject({ current: 'store' });
  });

  it('a completed step stays completed with concurrent changes', async () => {
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        step({ key: 'theme', ...(i % 2 ? { done: true } : { skipped: true }) }, shop.a.admin.at(shop.bases[i % 2] as string)),
      ),
    );
    const { version } = (await step({ key: 'theme', skipped: true })).body;
    const { body } = await shop.a.admin.get<{ steps: object[]; version: number }>(status);
    expect(body.steps).toContainEqual({ key: 'theme', done: true, skipped: false });
    expect(body.version).toBe(version);
  });

  it('is put away once', async () => {
    const first = (await shop.a.admin.put('/api/admin/onboarding/dismiss')).body;
    expect(first.dismissedAt).toEqual(expect.any(String));
    expect((await shop.a.admin.put('/api/admin/onboarding/dismiss')).body).toEqual(first);
  });
});

describe('tracking tags', () => {
  it('are public by the consent that each needs, in every process after a change', async () => {
    const key = '/api/admin/settings/workspace.trackingTags';
    const tags = [{ purpose: 'analytics', provider: 'analytics-a', id: 'G-123' }];
    const read = (base: string) => shop.a.guest.at(base).get('/api/storefront/analytics-config/');
    for (const base of shop.bases) expect((await read(base)).body).toEqual({ tags: [] });
    expect((await shop.a.admin.put(key, { value: tags })).status).toBe(200);
    for (const base of shop.bases) expect((await read(base)).body).toEqual({ tags });
    const answer = await shop.a.guest.get('/api/v1/storefront/analytics-config/');
    expect(answer.headers['cache-control']).toContain('public');
    expect(
      (await shop.a.guest.with({ 'if-none-match': String(answer.headers.etag) }).get('/api/storefront/analytics-config/')).status,
    ).toBe(304);
    for (const bad of [
      [{ purpose: 'spying', provider: 'a', id: 'x' }],
      [{ purpose: 'marketing', provider: 'a', id: '<script>' }],
    ])
      expect((await shop.a.admin.put(key, { value: bad })).status).toBe(422);
  });
});

describe('saved views', () => {
  const path = '/api/admin/settings/views.customers.customer';
  it('have a key a resource', async () => {
    expect((await shop.a.admin.get(path)).body).toMatchObject({ key: 'views.customers.customer', value: [], version: 0 });
    const value = [{ name: 'Best', query: 'sort=-ordersCount', columns: ['email'], isDefault: true }];
    const put = await shop.a.admin.put<{ version: number }>(path, { value }, { 'if-match': '"0"' });
    expect(put.body).toMatchObject({ value, version: 1 });
    expect((await shop.a.admin.put(path, { value: [] }, { 'if-match': '"0"' })).status).toBe(412);
    const { data } = (await shop.a.admin.get<{ data: { key: string }[] }>('/api/admin/settings/')).body;
    expect(data.map((entry) => entry.key)).toContain('views.customers.customer');
    expect((await shop.b.admin.get(path)).body).toMatchObject({ value: [] });
    expect((await shop.a.admin.put(path, { value: [{ query: 'x' }] })).body).toMatchObject({
      errors: [{ pointer: '/value/0/name' }],
    });
    for (const key of ['views.', 'views.no.such', 'views.toString', 'views.orders.order'])
      expect((await shop.a.admin.get(`/api/admin/settings/${key}`)).status, key).toBe(404);
  });
});
