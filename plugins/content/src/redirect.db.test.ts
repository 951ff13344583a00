import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { faultOf, type Json, make } from '../test/shop.ts';
import { redirects } from './contract.ts';

const path = '/api/admin/redirects/';
let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['content', 'catalog'] });
});
afterAll(() => shop?.stop());

const add = (fromPath: string, to: string, more: Json = {}) => shop.a.admin.post<Json>(path, { fromPath, to, ...more });
const cms = (at: string) => shop.a.guest.get<Json>(`/api/storefront/cms-page?path=${encodeURIComponent(at)}`);

describe('a redirect', () => {
  it('is made in its normal form, changed, counted and removed', async () => {
    const made = await make(shop.a, '/redirects/', { fromPath: '//Vechi//pagina/', to: 'https://a.localhost/nou/?a=1' });
    expect(made).toMatchObject({ fromPath: '/Vechi/pagina', to: '/nou?a=1', code: 301, active: true, hits: 0 });
    expect((await add('/Vechi/pagina/', '/x')).body).toMatchObject({ status: 409, code: 'duplicate', field: 'fromPath' });
    expect((await cms('/Vechi/pagina/')).body.redirect).toEqual({ to: '/nou?a=1', code: 301 });
    const changed = await shop.a.admin.patch<Json>(`${path}${made.id}`, { code: 308, to: 'https://elsewhere.example/x' });
    expect(changed.body).toMatchObject({ code: 308, to: 'https://elsewhere.example/x' });
    expect((await cms('/Vechi/pagina')).body.redirect).toEqual({ to: 'https://elsewhere.example/x', code: 308 });
    const counted = async (): Promise<Json> => (await shop.a.admin.get<Json>(`${path}?id=${made.id}`)).body.data[0];
    expect(await counted()).toMatchObject({ hits: 2, version: 2 });
    // A cached answer isn't counted; the word of the change may drop it once more.
    const countedByAnother = async (): Promise<number> => {
      const { hits } = await counted();
      await cms('/Vechi/pagina');
      return (await counted()).hits - hits;
    };
    await expect.poll(countedByAnother).toBe(0);
    expect((await shop.a.admin.patch(`${path}${made.id}`, { active: false }, { 'if-match': '"1"' })).status).toBe(412);
    await shop.a.admin.patch(`${path}${made.id}`, { active: false });
    expect((await cms('/Vechi/pagina')).status).toBe(404);
    expect((await shop.a.admin.delete(`${path}${made.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${path}${made.id}`)).status).toBe(404);
    expect((await shop.b.admin.patch(`${path}${made.id}`, { active: true })).status).toBe(404);
  });

  it.each([
    [{ fromPath: 'no-slash', to: '/x' }, '/fromPath'],
    [{ fromPath: '/a?b=1', to: '/x' }, '/fromPath'],
    [{ fromPath: '/a', to: 'javascript:alert(1)' }, '/to'],
    [{ fromPath: '/a', to: '//elsewhere.example' }, '/to'],
    [{ fromPath: '/a', to: '/\\elsewhere.example' }, '/to'],
    [{ fromPath: '/a', to: 'ftp://elsewhere.example' }, '/to'],
    [{ fromPath: '/a', to: '/b', code: 303 }, '/code'],
    [{ fromPath: '/a', to: '/b', code: 200 }, '/code'],
    [{ fromPath: '/a', to: '/b', hits: 5 }, '/hits'],
  ])('is not %j', async (body, pointer) => {
    const answer = await shop.a.admin.post<Json>(path, body);
    expect([answer.status, faultOf(answer.body)[1]]).toEqual([422, pointer]);
  });

  it('never leads back to itself', async () => {
    expect((await add('/self', '/self')).body.code).toBe('redirect_loop');
    expect((await add('/self', '/self/?a=1#b')).body.code).toBe('redirect_loop');
    expect((await add('/self', 'https://a.localhost/self')).body.code).toBe('redirect_loop');
    await add('/l1', '/l2');
    await add('/l2', '/l3');
    const closing = await add('/l3', '/l1');
    expect([closing.status, closing.body.code]).toEqual([409, 'redirect_loop']);
    // Off it does no harm; switched on it would.
    const off = await make(shop.a, '/redirects/', { fromPath: '/l3', to: '/l1', active: false });
    expect((await shop.a.admin.patch<Json>(`${path}${off.id}`, { active: true })).body.code).toBe('redirect_loop');
    expect((await shop.a.admin.patch<Json>(`${path}${off.id}`, { to: '/elsewhere', active: true })).status).toBe(200);
    expect((await shop.a.admin.patch<Json>(`${path}${off.id}`, { to: '/l2' })).body.code).toBe('redirect_loop');
    expect((await cms('/l3')).body.redirect.to).toBe('/elsewhere');
  });

  it('follows at most five redirects', async () => {
    for (let i = 1; i <= 5; i++) expect((await add(`/c${i}`, `/c${i + 1}`)).status).toBe(201);
    expect((await add('/c6', '/c7')).body.code).toBe('redirect_loop');
    expect((await add('/c6', 'https://elsewhere.example/')).body.code).toBe('redirect_loop');
    expect((await add('/c0', '/c1')).body.code).toBe('redirect_loop');
    // Two chains that would become one.
    for (const [from, to] of [
      ['/d1', '/d2'],
      ['/d2', '/d3'],
      ['/e1', '/e2'],
      ['/e2', '/e3'],
      ['/e3', '/e4'],
    ])
      await add(from!, to!);
    expect((await add('/d3', '/e1')).body.code).toBe('redirect_loop');
    expect((await add('/d3', '/e2')).status).toBe(201);
  });

  it('creates no loop with many simultaneous redirects', async () => {
    for (let round = 0; round < 5; round++) {
      const names = Array.from({ length: 6 }, (_, i) => `/r${round}-${i}`);
      const answers = await Promise.all(names.map((name, i) => add(name, names[(i + 1) % names.length]!)));
      const codes = answers.map(({ status, body }) => (status === 201 ? status : body.code));
      // A ring of six: one of them at least is refused.
      expect(codes.filter((code) => code === 'redirect_loop').length).toBeGreaterThanOrEqual(1);
      expect(codes.every((code) => code === 201 || code === 'redirect_loop')).toBe(true);
      let at: string | undefined = names[0];
      for (let hops = 0; at !== undefined; hops++) {
        expect(hops).toBeLessThanOrEqual(5);
        at = (await cms(at)).body.redirect?.to;
      }
    }
  });

  it('needs a permission for each thing', async () => {
    const made = await make(shop.a, '/redirects/', { fromPath: '/rights', to: '/x' });
    const reader = await shop.a.staff(['content.redirect.read']);
    expect((await reader.get(path)).status).toBe(200);
    expect((await reader.post(path, { fromPath: '/y', to: '/x' })).status).toBe(403);
    expect((await reader.patch(`${path}${made.id}`, { to: '/y' })).status).toBe(403);
    expect((await reader.delete(`${path}${made.id}`)).status).toBe(403);
  });
});

describe('other plugins', () => {
  const service = <T>(
    fn: (service: { add(r: { fromPath: string; to: string }): Promise<void>; find(p: string): Promise<unknown> }) => Promise<T>,
  ) => shop.a.run('customers', (ctx) => fn(ctx.require(redirects)));

  it('leave an address behind, as often as it moves', async () => {
    await make(shop.a, '/redirects/', { fromPath: '/campaign', to: '/products/one?from=x' });
    await service((it) => it.add({ fromPath: '/products/one', to: '/products/two' }));
    await service((it) => it.add({ fromPath: '/products/two', to: '/products/three' }));
    await service((it) => it.add({ fromPath: '/products/two', to: '/products/three' }));
    for (const from of ['/campaign', '/products/one', '/products/two'])
      expect(await service((it) => it.find(from))).toEqual({ to: '/products/three', code: 301 });
    // Back where it was.
    await service((it) => it.add({ fromPath: '/products/three', to: '/products/one' }));
    expect(await service((it) => it.find('/products/one'))).toBeUndefined();
    expect(await service((it) => it.find('/products/two'))).toEqual({ to: '/products/one', code: 301 });
    expect(await service((it) => it.find('/unknown'))).toBeUndefined();
    expect(await service((it) => it.find('no path'))).toBeUndefined();
    expect(await shop.b.run('customers', (ctx) => ctx.require(redirects).find('/products/two'))).toBeUndefined();
  });

  it('as catalog does when the slug of a product changes', async () => {
    const variants = [{ sku: 'LAMP', optionValues: {}, price: { amount: 100, currency: 'RON' } }];
    const product = await make(shop.a, '/products/', { title: 'Lampă', slug: 'lampa', status: 'active', variants });
    const renamed = await shop.a.admin.patch(`/api/admin/products/${product.id}`, { slug: 'lampa-noua' });
    expect(renamed.status).toBe(200);
    expect((await cms('/products/lampa')).body.redirect).toEqual({ to: '/products/lampa-noua', code: 301 });
    const old = await shop.a.guest.get<Json>('/api/storefront/products/lampa');
    expect([old.status, old.body.redirect]).toEqual([404, { to: '/products/lampa-noua', code: 301 }]);
  });

  it('at the same time', async () => {
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => service((it) => it.add({ fromPath: `/m/${i % 4}`, to: `/m/${(i + 1) % 4}` }))),
    );
    for (let i = 0; i < 4; i++) {
      let at: string | undefined = `/m/${i}`;
      for (let hops = 0; at !== undefined; hops++) {
        expect(hops).toBeLessThanOrEqual(4);
        at = ((await service((it) => it.find(at as string))) as { to: string } | undefined)?.to;
      }
    }
  });
});

describe('a path of the shop', () => {
  it('shows its page, by either address; a page goes before a redirect', async () => {
    const page = await make(shop.a, '/pages/', { title: 'Contact', slug: 'contact', status: 'published', body: '<p>x</p>' });
    await make(shop.a, '/redirects/', { fromPath: '/pages/contact', to: '/elsewhere' });
    for (const at of ['/pages/contact', '/contact', '/contact/']) {
      const answer = await cms(at);
      expect(answer.body).toMatchObject({
        page: { id: page.id, slug: 'contact', body: '<p>x</p>' },
        sections: [],
        seo: { canonical: '/pages/contact' },
        redirect: null,
      });
    }
    await shop.a.admin.patch(`/api/admin/pages/${page.id}`, { status: 'draft' });
    expect((await cms('/pages/contact')).body.redirect).toEqual({ to: '/elsewhere', code: 301 });
    expect((await cms('/contact')).status).toBe(404);
    expect((await cms('/pages/contact/more')).status).toBe(404);
    expect((await shop.a.guest.get('/api/storefront/cms-page')).status).toBe(400);
    for (const bad of ['contact', '/a?b', 'https://x.example/']) expect((await cms(bad)).status).toBe(400);
  });
});
