import { fileURLToPath } from 'node:url';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, type Json, make } from '../test/shop.ts';

const path = '/api/admin/sections/';
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({
    plugins: ['content'],
    processes: 2,
    themes: ['theme', 'theme-bare'].map((name) => fileURLToPath(new URL(`../test/${name}`, import.meta.url))),
  });
});
afterAll(() => shop?.stop());

const config = async (template: string, headers: Record<string, string> = {}): Promise<Json> =>
  (await shop.a.guest.get<Json>(`/api/storefront/page-config/?template=${template}`, { headers })).body;
const order = async (page: string): Promise<unknown[]> =>
  (
    await shop.rows<Json>(
      'select settings ->> $3 as n, position from content_section where tenant_id = $1 and page = $2 order by position',
      [shop.a.id, page, 'limit'],
    )
  ).map(({ n, position }) => [Number(n), position]);
const grid = (page: string, limit: number, position?: number): Promise<Json> =>
  make(shop.a, '/sections/', {
    page,
    type: 'product-grid',
    settings: { limit },
    ...(position === undefined ? {} : { position }),
  });

describe('a section', () => {
  it('has settings by the schema of the theme, in the language of the visitor', async () => {
    expect(await config('home')).toEqual({
      template: 'home',
      sections: [
        { type: 'hero', position: 0, settings: { heading: 'Salut', text: null, wide: false, links: [], groupId: null } },
        { type: 'product-grid', position: 1, settings: { limit: 4 } },
      ],
    });
    const made = await make(shop.a, '/sections/', {
      page: 'home',
      type: 'hero',
      settings: {
        heading: { ro: 'Bun venit', en: 'Welcome' },
        text: '<p onclick="x()">Da<script>x()</script></p>',
        links: [{ label: { ro: 'Mai mult', en: 'More' }, to: '/pages/about' }],
      },
    });
    expect(made).toMatchObject({
      position: 0,
      active: true,
      settings: { heading: { ro: 'Bun venit' }, text: { ro: '<p>Da</p>' }, wide: false },
    });
    expect(await config('home', { 'accept-language': 'en' })).toEqual({
      template: 'home',
      sections: [
        {
          type: 'hero',
          position: 0,
          settings: {
            heading: 'Welcome',
            text: '<p>Da</p>',
            wide: false,
            links: [{ label: 'More', to: '/pages/about' }],
            groupId: null,
          },
        },
      ],
    });
    await shop.a.admin.put(`${path}${made.id}`, { page: 'home', type: 'hero', settings: { heading: 'x' }, active: false });
    expect((await config('home')).sections).toEqual([]);
    expect((await shop.a.admin.delete(`${path}${made.id}`)).status).toBe(204);
    expect((await config('home')).sections).toHaveLength(2);
    expect((await shop.b.guest.get<Json>('/api/storefront/page-config/?template=home')).body.sections).toHaveLength(2);
  });

  it.each([
    [{ page: 'home', type: 'hero', settings: {} }, 422, '/settings/heading'],
    [{ page: 'home', type: 'hero', settings: { heading: { en: 'x' } } }, 422, '/settings/heading/ro'],
    [{ page: 'home', type: 'hero', settings: { heading: 'x', colour: 'red' } }, 422, '/settings/colour'],
    [{ page: 'home', type: 'hero', settings: { heading: 'x', links: [{ label: 'x' }] } }, 422, '/settings/links/0/to'],
    [
      { page: 'home', type: 'hero', settings: { heading: 'x', groupId: '0190a000-0000-7000-8000-000000000001' } },
      404,
      '/settings/groupId',
    ],
    [{ page: 'home', type: 'product-grid', settings: { limit: 99 } }, 422, '/settings/limit'],
    [{ page: 'home', type: 'carousel' }, 422, '/type'],
    [{ page: 'home', type: '__proto__' }, 422, '/type'],
    [{ page: 'product', type: 'hero', settings: { heading: 'x' } }, 422, '/type'],
    [{ page: 'nowhere', type: 'product-grid' }, 422, '/page'],
    [{ page: '0190a000-0000-7000-8000-000000000001', type: 'product-grid' }, 404, '/page'],
    [{ page: 'home', type: 'product-grid', link: '/x' }, 422, '/link'],
    [{ page: 'home', type: 'banner' }, 422, '/placement'],
    [{ page: 'home', type: 'banner', placement: 'top', link: 'javascript:alert(1)' }, 422, '/link'],
    [{ page: 'home', type: 'banner', placement: 'top', image: '//x.example/a.png' }, 422, '/image'],
    [
      { page: 'home', type: 'banner', placement: 'top', startsAt: '2026-02-01T00:00:00Z', endsAt: '2026-01-01T00:00:00Z' },
      422,
      '/endsAt',
    ],
    [
      { page: 'home', type: 'banner', placement: 'top', audience: { groupIds: ['0190a000-0000-7000-8000-000000000001'] } },
      404,
      '/audience/groupIds/0',
    ],
  ])('is not %j', async (body, status, pointer) => {
    const answer = await shop.a.admin.post<Json>(path, body);
    expect([answer.status, faultOf(answer.body)[1]]).toEqual([status, pointer]);
    expect((await shop.rows('select 1 from content_section where tenant_id = $1', [shop.a.id])).length).toBe(0);
  });

  it('stands in an order without gaps', async () => {
    const a = await grid('product', 1);
    const b = await grid('product', 2);
    const c = await grid('product', 3, 0);
    expect(await order('product')).toEqual([
      [3, 0],
      [1, 1],
      [2, 2],
    ]);
    const put = (row: Json, limit: number, position: number, page = 'product') =>
      shop.a.admin.put<Json>(`${path}${row.id}`, { page, type: 'product-grid', settings: { limit }, position });
    expect((await put(c, 3, 2)).body.position).toBe(2);
    expect(await order('product')).toEqual([
      [1, 0],
      [2, 1],
      [3, 2],
    ]);
    expect((await put(b, 2, 0)).body.position).toBe(0);
    expect(await order('product')).toEqual([
      [2, 0],
      [1, 1],
      [3, 2],
    ]);
    expect((await put(a, 1, 500)).body.position).toBe(2);
    expect(await order('product')).toEqual([
      [2, 0],
      [3, 1],
      [1, 2],
    ]);
    await grid('article', 9);
    expect((await put(b, 2, 0, 'article')).body.position).toBe(0);
    expect(await order('product')).toEqual([
      [3, 0],
      [1, 1],
    ]);
    expect(await order('article')).toEqual([
      [2, 0],
      [9, 1],
    ]);
    await shop.a.admin.delete(`${path}${c.id}`);
    expect(await order('product')).toEqual([[1, 0]]);
    // PUT replaces: what it doesn't name has its default again.
    const replaced = await shop.a.admin.put<Json>(`${path}${a.id}`, { page: 'product', type: 'product-grid' });
    expect(replaced.body).toMatchObject({ settings: { limit: 8 }, position: 0 });
    expect(
      (await shop.a.admin.put(`${path}${a.id}`, { page: 'product', type: 'product-grid' }, { 'if-match': '"1"' })).status,
    ).toBe(412);
    expect((await shop.b.admin.put(`${path}${a.id}`, { page: 'product', type: 'product-grid' })).status).toBe(404);
  });

  it('keeps that order with many simultaneous writes', async () => {
    const page = 'rentals/item';
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => grid(page, i + 1, i % 3)));
    const dense = async (n: number) =>
      expect((await order(page)).map((row) => (row as number[])[1])).toEqual(Array.from({ length: n }, (_, i) => i));
    await dense(12);
    const answers = await Promise.all(
      made.map((row, i) =>
        i % 4 === 0
          ? shop.a.admin.delete(`${path}${row.id}`)
          : shop.a.admin.put(`${path}${row.id}`, {
              page: i % 4 === 1 ? 'article' : page,
              type: 'product-grid',
              settings: { limit: i + 1 },
              position: (i * 5) % 7,
            }),
      ),
    );
    expect(answers.map(({ status }) => status).filter((status) => status >= 300)).toEqual([]);
    await dense(6);
  });

  it('of a page is shown with it and goes with it', async () => {
    const page = await make(shop.a, '/pages/', { title: 'Cu secțiuni', slug: 'cu-sectiuni', status: 'published' });
    await make(shop.a, '/sections/', { page: page.id, type: 'hero', settings: { heading: 'Sus' } });
    await grid(page.id, 5);
    const shown = await shop.a.guest.get<Json>('/api/storefront/pages/cu-sectiuni');
    expect(shown.body.sections.map((one: Json) => [one.type, one.position])).toEqual([
      ['hero', 0],
      ['product-grid', 1],
    ]);
    const cms = await shop.a.guest.get<Json>('/api/storefront/cms-page?path=/pages/cu-sectiuni');
    expect(cms.body.sections).toEqual(shown.body.sections);
    const foreign = await shop.b.admin.post<Json>(path, { page: page.id, type: 'product-grid' });
    expect([foreign.status, faultOf(foreign.body)[1]]).toEqual([404, '/page']);
    await shop.a.admin.delete(`/api/admin/pages/${page.id}`);
    expect(await shop.rows('select 1 from content_section where page = $1', [page.id])).toEqual([]);
  });

  it('is not left behind on a page that goes at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await make(shop.a, '/pages/', { title: `Goes ${round}` });
      const [removed, ...added] = await Promise.all([
        shop.a.admin.delete(`/api/admin/pages/${id}`),
        ...[1, 2, 3].map((limit) => shop.a.admin.post<Json>(path, { page: id, type: 'product-grid', settings: { limit } })),
      ]);
      expect(removed?.status).toBe(204);
      for (const { status } of added) expect([201, 404]).toContain(status);
      expect(await shop.rows('select 1 from content_section where page = $1', [id])).toEqual([]);
    }
  });

  it('is asked for by template', async () => {
    for (const query of ['', '?template=', '?template=nowhere', '?template=__proto__', '?template=home&x=1'])
      expect((await shop.a.guest.get(`/api/storefront/page-config/${query}`)).status).toBe(400);
  });
});

describe('banners', () => {
  const banner = (body: Json): Promise<Json> =>
    make(shop.a, '/sections/', { page: 'home', type: 'banner', placement: 'top', ...body });
  const seen = async (client = shop.a.guest, placement = 'top'): Promise<string[]> =>
    (await client.get<Json>(`/api/storefront/banners/${placement}`)).body.data.map((row: Json) => row.settings.heading);

  it('are those that are shown now to this visitor, the most important first', async () => {
    const customer = await shop.a.customer();
    const [retail] = (await shop.a.admin.get<Json>('/api/admin/customer-groups/')).body.data;
    const group = retail ?? (await make(shop.a, '/customer-groups/', { name: 'Friends', code: 'friends' }));
    const member = await shop.a.customer(undefined, { confirmed: true });
    await shop.a.admin.post(`/api/admin/customer-groups/${group.id}/assign`, { customerIds: [member.customerId] });
    const at = (seconds: number): string => new Date(shop.clock.ms() + seconds * 1000).toISOString();
    await banner({
      settings: { heading: 'low' },
      priority: -1,
      image: '/files/a.jpg',
      imageAlt: { ro: 'Reduceri', en: 'Sale' },
      link: '/sale',
    });
    await banner({ settings: { heading: 'high' }, priority: 10 });
    await banner({ settings: { heading: 'off' }, active: false });
    await banner({ settings: { heading: 'over' }, endsAt: at(-60) });
    await banner({ settings: { heading: 'soon' }, startsAt: at(3600), endsAt: at(7200), priority: 5 });
    await banner({ settings: { heading: 'guests' }, audience: { who: 'guests' }, priority: 3 });
    await banner({ settings: { heading: 'customers' }, audience: { who: 'customers' }, priority: 2 });
    await banner({ settings: { heading: 'members' }, audience: { groupIds: [group.id] }, priority: 1 });
    await banner({ settings: { heading: 'elsewhere' }, placement: 'footer' });
    expect(await seen()).toEqual(['high', 'guests', 'low']);
    expect(await seen(customer)).toEqual(['high', 'customers', 'low']);
    expect(await seen(member)).toEqual(['high', 'customers', 'members', 'low']);
    expect(await seen(shop.a.guest, 'footer')).toEqual(['elsewhere']);
    for (const unknown of ['nowhere', 'Home%20Top', '%3Cb%3E']) expect(await seen(shop.a.guest, unknown)).toEqual([]);
    expect(await seen(shop.b.guest)).toEqual([]);
    const list = await shop.a.guest.get<Json>('/api/storefront/banners/top', { headers: { 'accept-language': 'en' } });
    expect(list.body.data.at(-1)).toEqual({
      id: expect.any(String),
      placement: 'top',
      image: '/files/a.jpg',
      imageAlt: 'Sale',
      link: '/sale',
      priority: -1,
      settings: { heading: 'low', text: null, label: null },
    });
    expect((await config('home')).sections).toHaveLength(2);
    shop.clock.advance(3_601_000);
    // A signed-in visitor's answer is never a cached one.
    expect(await seen(customer)).toContain('soon');
    shop.clock.advance(3_600_000);
    expect(await seen(customer)).not.toContain('soon');
  });
});

describe('another theme', () => {
  it('knows sections of its own; what fits it no more is not shown, and not lost', async () => {
    const { b } = shop;
    const shown = async (base: string) =>
      (await b.guest.at(base).get<Json>('/api/storefront/page-config/?template=home')).body.sections;
    await make(b, '/sections/', { page: 'home', type: 'hero', settings: { heading: 'Salut' } });
    await make(b, '/sections/', { page: 'home', type: 'product-grid', settings: { limit: 12 } });
    for (const base of shop.bases)
      expect((await shown(base)).map((section: Json) => section.type)).toEqual(['hero', 'product-grid']);
    expect((await b.admin.post('/api/admin/themes/bare/install')).status).toBe(200);
    expect((await b.admin.post('/api/admin/themes/bare/activate')).status).toBe(200);
    for (const base of shop.bases)
      await expect.poll(() => shown(base)).toEqual([{ type: 'product-grid', position: 1, settings: { limit: 'all' } }]);
    expect(await b.admin.post(path, { page: 'home', type: 'hero', settings: { heading: 'x' } })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/type', code: 'unknown_section' }] },
    });
    expect((await b.admin.post(path, { page: 'rentals/item', type: 'product-grid' })).status).toBe(422);
    await b.admin.post('/api/admin/themes/shown/install');
    await b.admin.post('/api/admin/themes/shown/activate');
    for (const base of shop.bases)
      await expect.poll(() => shown(base)).toMatchObject([{ settings: { heading: 'Salut' } }, { settings: { limit: 12 } }]);
    // The other shop was never touched.
    expect((await shop.a.guest.get<Json>('/api/storefront/active-theme/')).body.id).toBe('shown');
  });

  it('has settings in several languages, which staff write and visitors see', async () => {
    const one = '/api/admin/settings/theme.slogan';
    const slogan = async (language: string) =>
      (await shop.a.guest.get<Json>('/api/storefront/active-theme/', { headers: { 'accept-language': language } })).body.settings;
    expect(await slogan('ro')).toEqual({ slogan: '…', columns: 4 });
    const put = (value: unknown) => shop.a.admin.put<Json>(one, { value });
    expect((await put({ ro: ' <b>Salut</b><script>x()</script> ', en: 'Hello' })).body).toMatchObject({
      value: { ro: '<b>Salut</b>', en: 'Hello' },
    });
    expect([await slogan('ro'), await slogan('en')]).toEqual([
      { slogan: '<b>Salut</b>', columns: 4 },
      { slogan: 'Hello', columns: 4 },
    ]);
    for (const [value, pointer] of [
      [{ en: 'x' }, '/value/ro'],
      [{ ro: 'x', xx: 'y' }, '/value/xx'],
      ['x'.repeat(201), '/value'],
      [{ ro: '\ud800' }, '/value/ro'],
      [{ $ne: 'x' }, '/value/$ne'],
      [7, '/value'],
    ] as const) {
      const answer = await put(value);
      expect([answer.status, faultOf(answer.body)[1]], JSON.stringify(value)).toEqual([422, pointer]);
    }
    expect((await put(null)).body.value).toBe('…');
  });
});
