import { catalog } from '@storeloom/commerce';
import { contractTest, type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import plugin from './index.ts';

contractTest(plugin, { plugins: ['catalog'] });

type Cards = {
  data: { slug: string }[];
  page: { total: number; nextCursor: string | null };
  didYouMean: string | null;
  mode: string;
};

describe('search', () => {
  let shop: TestShop;
  const products: [slug: string, ro: string, en: string, brand: string, category: string, sizes: string[], price: number][] = [
    ['jacheta-munte', 'Jachetă de munte Făgăraș', 'Făgăraș mountain jacket', 'Vântoasa', 'Haine', ['S', 'M'], 50000],
    ['sapca-soare', 'Șapcă de soare', 'Sun cap', 'Vântoasa', 'Haine', ['M'], 9000],
    ['cana-lut', 'Cană de lut ars', 'Fired clay mug', 'Olarii', 'Bucătărie', [], 4500],
    ['jacheta-ploaie', 'Jachetă de ploaie', 'Rain jacket', 'Olarii', 'Haine', ['M', 'L'], 30000],
  ];
  beforeAll(async () => {
    shop = await testShop({ plugins: ['catalog', 'search'] });
    await shop.a.run('search', async (ctx) => {
      for (const [slug, ro, en, brand, category, sizes, amount] of products)
        await ctx.require(catalog).importProduct(
          {
            slug,
            title: { ro, en },
            description: { ro: `<p>${ro}</p>` },
            status: 'active',
            type: 'physical',
            brand,
            categoryPath: [category],
            tags: [],
            seo: null,
            images: [],
            options: sizes.length > 0 ? [{ name: 'Mărime', values: sizes }] : [],
            variants: (sizes.length > 0 ? sizes : ['']).map((size, position) => ({
              sku: `${slug}-${size || '1'}`.toUpperCase(),
              barcode: null,
              optionValues: (size ? { Mărime: size } : {}) as Record<string, string>,
              price: { amount, currency: 'RON' },
              compareAtPrice: null,
              weightG: null,
              trackInventory: false,
              allowBackorder: false,
              position,
            })),
          },
          'upsert',
        );
    });
    // The words are gathered some seconds later.
    await shop.settled(10);
  });
  afterAll(() => shop?.stop());
  const search = (query: string, client = shop.a.guest) => client.get<Cards>(`/api/storefront/search/?${query}`);
  const slugs = async (q: string, more = '') =>
    (await search(`q=${encodeURIComponent(q)}${more}`)).body.data.map((card) => card.slug);

  it('forgives case, diacritics, unfinished words and typing errors', async () => {
    expect(await slugs('JACHETA')).toEqual(expect.arrayContaining(['jacheta-munte', 'jacheta-ploaie']));
    expect(await slugs('şapcă')).toEqual(['sapca-soare']);
    expect(await slugs('sapc')).toEqual(['sapca-soare']);
    expect(await slugs('fagaras jach')).toEqual(['jacheta-munte']);
    expect(await slugs('rain jacket')).toEqual(['jacheta-ploaie']);
    const misspelt = await search('q=jachtea%20ploaie');
    expect(misspelt.body.data.map((card) => card.slug)).toEqual(['jacheta-ploaie']);
    expect(misspelt.body.didYouMean).toBe('jacheta ploaie');
    expect((await slugs('CANA-LUT-1'))[0]).toBe('cana-lut');
    expect(await slugs('')).toEqual([]);
    expect(await slugs("'; drop table x; & | ! :* <->")).toEqual([]);
    expect((await search('q=a&q=b')).status).toBe(400);
    expect((await search('q=lut&nothing=1')).body).toMatchObject({ code: 'invalid_parameter', parameter: 'nothing' });
    expect((await search('q=jacheta', shop.b.guest)).body.data).toEqual([]);
  });

  it('filters, sorts and pages like the product list', async () => {
    expect(await slugs('jacheta', '&sort=price')).toEqual(['jacheta-ploaie', 'jacheta-munte']);
    expect(await slugs('jacheta', '&option[M%C4%83rime]=S')).toEqual(['jacheta-munte']);
    expect(await slugs('jacheta', '&brand=olarii')).toEqual(['jacheta-ploaie']);
    const first = await search('q=jacheta&limit=1');
    expect(first.body.page.total).toBe(2);
    const second = await search(`q=jacheta&limit=1&cursor=${first.body.page.nextCursor}`);
    expect(new Set([...first.body.data, ...second.body.data].map((card) => card.slug)).size).toBe(2);
    expect(second.body.page.nextCursor).toBeNull();
    expect((await search('q=jacheta&cursor=x')).status).toBe(400);
    expect((await shop.a.guest.get<Cards>('/api/storefront/search/semantic?q=lut')).body.mode).toBe('lexical');
  });

  it('counts what each value would give, and agrees with the total', async () => {
    type Facets = {
      facets: { code: string; values: { value: string; count: number; selected: boolean }[] }[];
      price: { min: { amount: number } };
    };
    const counts = async (query: string) => {
      const { body } = await shop.a.guest.get<Facets>(`/api/storefront/facets/?${query}`);
      return {
        of: (code: string) =>
          Object.fromEntries(
            body.facets.find((facet) => facet.code === code)?.values.map((value) => [value.value, value.count]) ?? [],
          ),
        price: body.price,
      };
    };
    const all = await counts('');
    expect(all.of('category')).toEqual({ haine: 3, bucatarie: 1 });
    expect(all.of('option[Mărime]')).toEqual({ S: 1, M: 3, L: 1 });
    expect(all.price.min.amount).toBe(4500);
    const chosen = await counts('brand=olarii&option[M%C4%83rime]=L');
    // The own facet is left out of its counts, the others narrow them.
    expect(chosen.of('brand')).toEqual({ olarii: 1 });
    expect(chosen.of('option[Mărime]')).toEqual({ M: 1, L: 1 });
    for (const [value, count] of Object.entries((await counts('q=jacheta')).of('brand')))
      expect((await search(`q=jacheta&brand=${value}`)).body.page.total).toBe(count);
  });

  it('a count is the total of the list with that value, with any other selection', async () => {
    const changed = await shop.a.run('search', async (ctx) => {
      const { productId } = await ctx.require(catalog).importProduct(
        {
          slug: 'coming',
          title: { ro: 'Haină care vine', en: 'Coming coat' },
          description: null,
          status: 'active',
          type: 'physical',
          brand: 'Olarii',
          categoryPath: ['Haine', 'De iarnă'],
          tags: ['nou'],
          seo: null,
          images: [],
          options: [],
          variants: [
            {
              sku: 'COMING',
              barcode: null,
              optionValues: {},
              price: { amount: 20000, currency: 'RON' },
              compareAtPrice: null,
              weightG: null,
              trackInventory: false,
              allowBackorder: false,
              position: 0,
            },
          ],
        },
        'create',
      );
      return productId;
    });
    const compare = async (): Promise<number> => {
      let compared = 0;
      for (const query of [
        '',
        'category=haine',
        'brand=olarii',
        'category=haine&brand=olarii',
        'option[Mărime]=M',
        'option[Mărime][in]=S,L&category=haine',
        'price[gte]=10000&category=haine',
        'inStock=true&brand[in]=olarii,vantoasa',
        'tag=nou',
      ]) {
        const chosen = new URLSearchParams(query);
        const { body } = await shop.a.guest.get<{ facets: { code: string; values: { value: string; count: number }[] }[] }>(
          `/api/storefront/facets/?${chosen}`,
        );
        for (const { code, values } of body.facets) {
          if (code === 'availability' || code === 'rating') continue;
          const others = [...chosen].filter(([name]) => name.replace(/\[in\]$/, '') !== code);
          for (const { value, count } of values) {
            const wanted = new URLSearchParams([...others, [code, value], ['total', 'true']]);
            const { page } = (await shop.a.guest.get<Cards>(`/api/storefront/products/?${wanted}`)).body;
            expect([query, code, value, page.total]).toEqual([query, code, value, count]);
            compared++;
          }
        }
      }
      return compared;
    };
    expect(await compare()).toBeGreaterThan(40);
    // On the shelves already, and shown only later.
    const later = new Date(shop.clock.ms() + 86_400_000).toISOString();
    expect((await shop.a.admin.patch(`/api/admin/products/${changed}`, { publishedAt: later })).status).toBe(200);
    expect(await compare()).toBeGreaterThan(30);
    expect((await shop.a.admin.delete(`/api/admin/products/${changed}`)).status).toBe(204);
    await shop.settled(10);
  });

  it('suggests and recommends what is visible, and never the product itself', async () => {
    const suggested = await shop.a.guest.get<{ products: object[]; categories: { slug: string }[] }>(
      '/api/storefront/search/suggest?q=jach',
    );
    expect(suggested.body.products).toHaveLength(2);
    expect(suggested.body.categories.map((category) => category.slug)).toEqual(['haine']);
    const [row] = await shop.rows<{ id: string }>(
      "select id from catalog_product where slug = 'jacheta-munte' and tenant_id = $1",
      [shop.a.id],
    );
    const similar = await shop.a.guest.get<{ data: { slug: string }[]; strategy: string }>(
      `/api/storefront/recommendations/similar/${row?.id}`,
    );
    expect(similar.body.strategy).toBe('similar');
    expect(similar.body.data.map((card) => card.slug)).not.toContain('jacheta-munte');
    expect((await shop.b.guest.get(`/api/storefront/recommendations/similar/${row?.id}`)).status).toBe(404);
    expect(
      (await shop.a.guest.post('/api/storefront/recommendations/track', { event: 'view', productId: row?.id, session: 's1' }))
        .status,
    ).toBe(202);
    const home = await shop.a.guest.get<{ data: { slug: string }[]; strategy: string }>(
      '/api/storefront/recommendations/?session=s1',
    );
    expect(home.body).toMatchObject({ strategy: 'recently_viewed', data: [{ slug: 'jacheta-munte' }] });
    expect((await shop.a.guest.get('/api/storefront/recommendations/?context=x')).status).toBe(400);
  });

  it('goes on behind a product that vanished between two pages', async () => {
    const all = (await search('q=jacheta')).body.data as { slug: string; id: string }[];
    const first = await search('q=jacheta&limit=1');
    expect(first.body.data.map((card) => card.slug)).toEqual([all[0]?.slug]);
    expect((await shop.a.admin.delete(`/api/admin/products/${all[0]?.id}`)).status).toBe(204);
    const second = await search(`q=jacheta&limit=1&cursor=${first.body.page.nextCursor}`);
    expect(second.body.data.map((card) => card.slug)).toEqual([all[1]?.slug]);
    expect(second.body.page).toMatchObject({ total: 1, nextCursor: null });
    expect((await shop.a.admin.delete(`/api/admin/products/${all[1]?.id}`)).status).toBe(204);
    const none = await search(`q=jacheta&limit=1&cursor=${first.body.page.nextCursor}`);
    expect(none.body).toMatchObject({ data: [], page: { total: 0, nextCursor: null } });
  });
});
