import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, ron, sizes } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());

describe('filters and sorts', () => {
  let t: TestShop['b'];
  const list = async (query: string): Promise<string[]> => {
    const answer = await t.guest.get<Json>(`/api/storefront/products/?${query}`);
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data.map(({ slug }: Json) => slug);
  };
  beforeAll(async () => {
    t = shop.b;
    const brand = await make(t.admin, '/api/admin/brands/', { name: 'Acme' });
    const root = await make(t.admin, '/api/admin/categories/', { name: 'Radacina' });
    const leaf = await make(t.admin, '/api/admin/categories/', { name: 'Frunza', parentId: root.id });
    const colors = [...sizes, { name: 'Color', values: ['Red', 'Blue'] }];
    await makeProduct(t, {
      title: { ro: 'Ștefan', en: 'Zebra' },
      slug: 'a',
      position: 3,
      brandId: brand.id,
      categoryIds: [leaf.id],
      tags: ['nou', 'vară'],
      options: [{ name: 'Capacity', values: ['0,5 L'] }],
      variants: [{ sku: 'a1', price: ron(300), optionValues: { Capacity: '0,5 L' } }],
    });
    await makeProduct(t, {
      title: { ro: 'albastru', en: 'Middle' },
      slug: 'b',
      position: 1,
      categoryIds: [root.id],
      tags: ['mic, alb'],
      options: [{ name: 'Capacity', values: ['20 L'] }],
      variants: [{ sku: 'b1', price: ron(100), optionValues: { Capacity: '20 L' } }],
    });
    await makeProduct(t, {
      title: { ro: 'Zmeu', en: 'Ant' },
      slug: 'c',
      position: 2,
      options: colors,
      variants: [
        { sku: 'c1', price: ron(150), optionValues: { Size: 'S', Color: 'Red' } },
        { sku: 'c2', price: ron(500), optionValues: { Size: 'M', Color: 'Blue' } },
      ],
    });
    await makeProduct(t, { slug: 'd', position: 1, price: ron(100), status: 'draft' });
  });

  it.each([
    ['', ['b', 'c', 'a']],
    ['sort=price', ['b', 'c', 'a']],
    ['sort=-price', ['a', 'c', 'b']],
    ['sort=title', ['b', 'a', 'c']],
    ['sort=-title', ['c', 'a', 'b']],
    ['sort=createdAt', ['a', 'b', 'c']],
    ['sort=-popularity,price', ['b', 'c', 'a']],
    ['brand=acme', ['a']],
    ['brand=unknown', []],
    ['category=radacina', ['b', 'a']],
    ['category=frunza', ['a']],
    ['category[in]=frunza,unknown', ['a']],
    ['tag=nou', ['a']],
    [`tag=${encodeURIComponent('vară')}`, ['a']],
    ['price[gte]=300', ['c', 'a']],
    ['price[lte]=150', ['b', 'c']],
    ['price[gte]=101&price[lt]=301', ['c', 'a']],
    ['option[Size]=S', ['c']],
    ['option[Size]=S&option[Color]=Red', ['c']],
    // No single variant matches both small and blue.
    ['option[Size]=S&option[Color]=Blue', []],
    ['option[Size][in]=S,L', ['c']],
    // A comma in a value is escaped.
    ['option[Capacity][in]=20 L,0\\,5 L', ['b', 'a']],
    ['option[Capacity]=0,5 L', ['a']],
    ['tag[in]=nou,unknown', ['a']],
    ['tag[in]=mic\\, alb,nou', ['b', 'a']],
    ['option[Size]=s', []],
    ['inStock=true', ['b', 'c', 'a']],
    ['inStock=false', []],
    ['brand=acme&tag=nou&price[lte]=300', ['a']],
  ])('%s', async (query, expected) => expect(await list(query)).toEqual(expected));

  it('sorts titles in the caller’s locale', async () => {
    const english = await t.guest.get<Json>('/api/storefront/products/?sort=title&limit=2', {
      headers: { 'accept-language': 'en' },
    });
    expect(english.body.data.map(({ title }: Json) => title)).toEqual(['Ant', 'Middle']);
    const next = await t.guest.get<Json>(`/api/storefront/products/?sort=title&limit=2&cursor=${english.body.page.nextCursor}`, {
      headers: { 'accept-language': 'en' },
    });
    expect(next.body).toMatchObject({ data: [{ title: 'Zebra' }], page: { nextCursor: null } });
  });

  it('pages through all rows without gaps or duplicates, even while rows are added', async () => {
    for (const sort of [
      'position',
      '-position',
      'price',
      '-price',
      'title',
      '-createdAt',
      '-rating',
      'popularity',
      '-price,title',
    ]) {
      const seen: string[] = [];
      let cursor = '';
      do {
        const answer: Json = (await t.guest.get(`/api/storefront/products/?limit=1&sort=${sort}${cursor && `&cursor=${cursor}`}`))
          .body;
        seen.push(...answer.data.map(({ slug }: Json) => slug));
        cursor = answer.page.nextCursor ?? '';
      } while (cursor);
      expect([sort, seen.toSorted()]).toEqual([sort, ['a', 'b', 'c']]);
    }
  });

  it('counts with total=true, filters included', async () => {
    expect((await t.guest.get<Json>('/api/storefront/products/?total=true&limit=1')).body.page.total).toBe(3);
    expect(
      (await t.guest.get<Json>('/api/storefront/products/?total=true&category=radacina&option[Size]=S')).body.page.total,
    ).toBe(0);
  });

  it('the category tree counts each visible product once', async () => {
    const answer = await t.guest.get<Json>('/api/storefront/categories/');
    expect(answer.body.data).toMatchObject([
      {
        name: 'Radacina',
        slug: 'radacina',
        image: null,
        position: 0,
        productCount: 2,
        children: [{ name: 'Frunza', productCount: 1, children: [] }],
      },
    ]);
    expect(answer.headers['cache-control']).toContain('public');
    const id = answer.body.data[0].children[0].id;
    await t.admin.patch(`/api/admin/categories/${id}`, { active: false });
    expect((await t.guest.get<Json>('/api/storefront/categories/')).body.data[0].children).toEqual([]);
  });

  it('is cached for visitors with a cart too, and not for signed-in customers', async () => {
    const path = '/api/storefront/products/?limit=2';
    const plain = await t.guest.get<Json>(path);
    const withCart = await t.guest.with({ 'x-cart-token': 'x'.repeat(43) }).get<Json>(path);
    const withCookie = await t.guest.with({ cookie: `cart=${'y'.repeat(43)}` }).get<Json>(path);
    for (const answer of [withCart, withCookie]) {
      expect(answer.headers['cache-control']).toContain('public');
      expect(answer.headers.etag).toBe(plain.headers.etag);
      expect(answer.body).toEqual(plain.body);
    }
    const customer = await (await t.customer()).get<Json>(path);
    expect(customer.headers['cache-control']).toBe('no-store');
  });

  it('staff filter and search their list', async () => {
    const admin = async (query: string): Promise<string[]> =>
      (await t.admin.get<Json>(`/api/admin/products/?${query}`)).body.data.map(({ slug }: Json) => slug).sort();
    expect(await admin('status=draft')).toEqual(['d']);
    expect(await admin('status[in]=draft,active&total=true')).toEqual(['a', 'b', 'c', 'd']);
    expect(await admin('q=stefan')).toEqual(['a']);
    expect(await admin('q=ZEBRA')).toEqual(['a']);
    expect(await admin('q=C2')).toEqual(['c']);
    expect(await admin(`q=${encodeURIComponent('100%')}`)).toEqual([]);
    expect(await admin('tag=nou&featured=false&type=physical')).toEqual(['a']);
    expect(await admin('price[gte]=400')).toEqual(['c']);
    expect(await admin('updatedAt[gte]=2027-01-01T00:00:00Z')).toEqual([]);
    expect(await admin('inStock=false')).toEqual([]);
    for (const sort of ['title', '-createdAt', 'updatedAt', '-price', 'position'])
      expect(await admin(`sort=${sort}`)).toHaveLength(4);
    const row = (await t.admin.get<Json>('/api/admin/products/?status=draft')).body.data[0];
    expect(row).toMatchObject({ version: 1, priceRange: { min: ron(100) }, ratingAvg: null, categoryIds: [] });
    expect(row).not.toHaveProperty('description');
    expect((await t.admin.get('/api/admin/products/?secret=1')).status).toBe(400);
  });
});
