import { fileURLToPath } from 'node:url';
import { patiently, type TestClient, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issue, issuingShop, signedIn } from '../../test/issuer.ts';
import { themes } from '../contract.ts';

const folder = (name: string): string => fileURLToPath(new URL(`../../test/themes/${name}`, import.meta.url));
const now = '2026-11-27T12:00:00.000Z';
let issuer: TestShop;
let shop: TestShop;
beforeAll(async () => {
  const made = await issuingShop({ now });
  issuer = made.issuer;
  shop = await testShop({
    plugins: [],
    processes: 2,
    now,
    licenceIssuer: made.trusted,
    themes: [folder('nord'), folder('casa'), folder('broken'), folder('nothing')],
  });
});
afterAll(async () => {
  await shop?.stop();
  await issuer?.stop();
});

interface Theme {
  id: string;
  state: string;
  licensed: boolean;
  problems: { code: string }[];
}
const path = '/api/admin/themes/';
const themesOf = async (admin: TestClient = shop.a.admin, which = '') =>
  (await admin.get<{ data: Theme[] }>(`${path}${which}`)).body.data;
const states = async (admin?: TestClient) => Object.fromEntries((await themesOf(admin)).map(({ id, state }) => [id, state]));
const active = (base = shop.bases[0] as string, tenant = shop.a) =>
  tenant.guest
    .at(base)
    .get<{ id: string; tokens: { color: Record<string, unknown> }; settings: object; templates: string[] }>(
      '/api/storefront/active-theme/',
    );

describe('themes', () => {
  it('a shop that has chosen none is drawn with the default one', async () => {
    expect(await states()).toEqual({ nord: 'active', casa: 'available', broken: 'available', nothing: 'available' });
    expect(await themesOf(undefined, 'installed')).toMatchObject([{ id: 'nord' }]);
    const shown = await active();
    expect(shown.body).toEqual({
      id: 'nord',
      version: '2.1.0',
      tokens: expect.objectContaining({ radius: { small: { $value: 4 } } }),
      settings: { columns: 4, banner: null },
      templates: expect.arrayContaining(['home', 'maintenance']),
    });
    const etag = String(shown.headers.etag);
    expect((await shop.a.guest.get('/api/storefront/active-theme/', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await shop.a.guest.get('/api/v1/storefront/active-theme/')).status).toBe(200);
  });

  it('one is installed, then activated, and every process shows it immediately', async () => {
    expect(await shop.a.admin.post(`${path}casa/activate`)).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', from: 'available', to: 'active', allowed: ['installed'] },
    });
    for (let i = 0; i < 2; i++)
      expect((await shop.a.admin.post(`${path}casa/install`)).body).toMatchObject({ id: 'casa', state: 'installed' });
    for (const base of shop.bases) expect((await active(base)).body.id).toBe('nord');
    expect((await shop.a.admin.post(`${path}casa/activate`)).body).toMatchObject({ id: 'casa', state: 'active' });
    for (const base of shop.bases) await expect.poll(async () => (await active(base)).body.id).toBe('casa');
    // It stands on its parent: what it doesn't say is the parent's.
    expect((await active()).body).toMatchObject({
      tokens: { color: { primary: { $value: '#aa0000' }, accent: { $value: '#654321' } } },
      settings: { columns: 2, banner: null },
      templates: expect.arrayContaining(['home', 'events/calendar']),
    });
    expect((await shop.a.admin.post(`${path}casa/activate`)).status).toBe(200);
    await shop.settled();
    expect(await shop.rows("select data from core_event where type = 'platform.theme.activated'")).toEqual([
      { data: { theme: 'casa', version: '1.0.0' } },
    ]);
    // Another shop has its own.
    expect((await active(shop.bases[0], shop.b)).body.id).toBe('nord');
    expect(await states(shop.b.admin)).toMatchObject({ nord: 'active', casa: 'available' });
  });

  it('of two repeatedly activated simultaneously, one is active', async () => {
    await shop.a.admin.post(`${path}nord/install`);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        patiently(() => shop.a.admin.at(shop.bases[i % 2] as string).post(`${path}${i % 3 === 0 ? 'nord' : 'casa'}/activate`), {
          busy: true,
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await shop.rows('select name from platform_theme where active and tenant_id = $1', [shop.a.id])).toHaveLength(1);
    expect(Object.values(await states()).filter((state) => state === 'active')).toHaveLength(1);
    // Whichever was the last: the tests below go on with this one.
    expect((await shop.a.admin.post(`${path}casa/activate`)).status).toBe(200);
  });

  it('a broken or missing one says why, and is refused', async () => {
    const broken = (await themesOf()).find(({ id }) => id === 'broken');
    expect(broken?.problems.map(({ code }) => code)).toEqual(expect.arrayContaining(['token_invalid', 'template_missing']));
    expect(await shop.a.admin.post(`${path}broken/install`)).toMatchObject({
      status: 409,
      body: {
        code: 'theme_incompatible',
        problems: expect.arrayContaining([expect.objectContaining({ code: 'token_invalid' })]),
      },
    });
    expect(await shop.a.admin.post(`${path}nothing/install`)).toMatchObject({
      status: 409,
      body: { problems: [{ code: 'package_missing' }] },
    });
    for (const id of ['unknown', 'constructor']) expect((await shop.a.admin.post(`${path}${id}/install`)).status, id).toBe(404);
    const reader = await shop.a.staff(['platform.theme.read']);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.post(`${path}casa/install`)).status).toBe(403);
    expect((await reader.post(`${path}casa/activate`)).status).toBe(403);
  });

  it('its settings are checked by its schema, and shown', async () => {
    const put = (key: string, value: unknown, version?: number) =>
      shop.b.run('platform', (ctx) => ctx.require(themes).putSetting(key, value, version));
    const entries = await shop.b.run('platform', (ctx) => ctx.require(themes).settings());
    expect(entries.map(({ key, value, version }) => [key, value, version])).toEqual([
      ['theme.columns', 4, 0],
      ['theme.banner', null, 0],
    ]);
    expect(await put('theme.columns', 5, 0)).toMatchObject({ value: 5 });
    expect((await active(shop.bases[0], shop.b)).body.settings).toEqual({ columns: 5, banner: null });
    await expect(put('theme.columns', 6, 0)).rejects.toMatchObject({ code: 'version_conflict' });
    for (const value of [7, '5', 4.5, {}, [1]])
      await expect(put('theme.columns', value)).rejects.toMatchObject({ extra: { errors: [{ pointer: '/value' }] } });
    for (const key of ['theme.nothing', 'theme.constructor', 'columns', 'theme.']) expect(await put(key, 1)).toBeUndefined();
    expect(await put('theme.columns', null)).toMatchObject({ value: 4 });
    // Staff write them where they write every setting.
    const one = '/api/admin/settings/theme.columns';
    const saved = await shop.b.admin.put<{ version: number }>(one, { value: 3 });
    expect(saved.body, saved.text).toMatchObject({ key: 'theme.columns', value: 3, schema: { minimum: 2, maximum: 6 } });
    expect((await shop.b.admin.get(one)).body).toEqual(saved.body);
    expect(await shop.b.admin.put(one, { value: 9 })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/value' }] } });
    expect((await shop.b.admin.put(one, { value: 2 }, { 'if-match': '"99"' })).status).toBe(412);
    expect((await shop.b.admin.put('/api/admin/settings/theme.nothing', { value: 2 })).status).toBe(404);
    const { data } = (await shop.b.admin.get<{ data: { key: string }[] }>('/api/admin/settings/')).body;
    expect(data.map(({ key }) => key)).toEqual(expect.arrayContaining(['theme.banner', 'theme.columns']));
    expect((await shop.a.admin.get<{ value: number }>(one)).body.value).toBe(2);
    expect((await active(shop.bases[0], shop.a)).body.settings).not.toMatchObject({ columns: 5 });
  });

  it('the licence decides which may be put on; what is on stays when it ends', async () => {
    const { owner } = await signedIn(shop);
    const licence = await issue(issuer, { themes: { nord: '^2.0.0' }, plugins: {} });
    expect((await owner.post('/api/admin/license/activate', { key: licence.key })).status).toBe(200);
    expect(await states()).toMatchObject({});
    expect((await themesOf()).map(({ id, licensed }) => [id, licensed])).toEqual(
      expect.arrayContaining([
        ['nord', true],
        ['casa', false],
      ]),
    );
    expect(await shop.b.admin.post(`${path}casa/install`)).toMatchObject({
      status: 403,
      body: { code: 'license_required', theme: 'casa' },
    });
    await shop.a.admin.post(`${path}nord/activate`);
    expect(await shop.a.admin.post(`${path}casa/activate`)).toMatchObject({ status: 403, body: { code: 'license_required' } });
    shop.clock.advance(420 * 86_400_000);
    const later = await signedIn(shop);
    expect((await later.owner.get('/api/admin/license/')).body).toMatchObject({ state: 'expired' });
    expect((await active()).body.id).toBe('nord');
    expect(await later.owner.post(`${path}nord/activate`)).toMatchObject({ status: 200, body: { state: 'active' } });
    expect(await later.owner.post(`${path}casa/activate`)).toMatchObject({ status: 403 });
  });
});
