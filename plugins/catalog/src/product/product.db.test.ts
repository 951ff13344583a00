import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, make, makeProduct, patchProduct, productsPath, readProduct, ron, sized, sizes } from '../../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());
const events = (type: string) =>
  shop.rows<{ data: Json }>('select data from core_event where type = $1 order by created_at, sequence', [type]);

describe('making a product', () => {
  it('with a title alone: a draft with one default variant', async () => {
    const answer = await shop.a.admin.post<Json>(productsPath, { title: 'Cană Roșie' });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`/api/admin/products/${answer.body.id}`);
    expect(answer.body).toMatchObject({
      title: { ro: 'Cană Roșie' },
      slug: 'cana-rosie',
      status: 'draft',
      type: 'physical',
      publishedAt: null,
      ratingAvg: null,
      ratingCount: 0,
      version: 1,
      variants: [{ sku: 'cana-rosie', price: ron(0), optionValues: {}, active: true, trackInventory: true, prices: [] }],
    });
    expect(await readProduct(shop.a, answer.body.id)).toEqual(answer.body);
  });
  it('takes price and SKU of the default variant, and publishes what is active', async () => {
    const made = await make(shop.a.admin, productsPath, { title: 'Farfurie', price: ron(4500), sku: 'F-1', status: 'active' });
    expect(made.variants).toMatchObject([{ sku: 'F-1', price: ron(4500) }]);
    expect(made.priceRange).toEqual({ min: ron(4500), max: ron(4500) });
    expect(Date.parse(made.publishedAt)).toBeGreaterThan(0);
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'Fără preț', status: 'active' })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/price' }],
    });
  });
  it('gives an own slug to equal titles, and refuses one that is taken, archived or not', async () => {
    const [one, two] = [
      await make(shop.a.admin, productsPath, { title: 'Lampă' }),
      await make(shop.a.admin, productsPath, { title: 'Lampă' }),
    ];
    expect([one.slug, two.slug]).toEqual(['lampa', 'lampa-2']);
    expect((await patchProduct(shop.a, one.id, { status: 'archived' })).status).toBe(200);
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', slug: 'lampa' })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      field: 'slug',
    });
  });
  it('refuses members that the server sets, unknown ones, and bad money', async () => {
    for (const member of ['ratingAvg', 'priceRange', 'listed', 'inStock', 'popularity', 'tenantId', 'id'])
      expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', [member]: 1 })).body).toMatchObject({
        status: 422,
        code: 'unknown_field',
      });
    for (const price of [{ amount: 1.5, currency: 'RON' }, { amount: '1', currency: 'RON' }, { amount: 1 }])
      expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', price })).body).toMatchObject({
        status: 422,
        code: 'money_invalid',
      });
    expect((await shop.a.admin.post(productsPath, { title: 'X', price: ron(-1) })).status).toBe(422);
    expect(
      (await shop.a.admin.post<Json>(productsPath, { title: 'X', price: { amount: 1, currency: 'EUR' } })).body,
    ).toMatchObject({
      status: 422,
      code: 'currency_mismatch',
    });
  });
  it('sanitises rich text and keeps images in order', async () => {
    const made = await make(shop.a.admin, productsPath, {
      title: 'Poze',
      description: '<p onclick="x()">Bun<script>alert(1)</script></p>',
      images: [
        { url: '/files/b.webp', position: 2 },
        { url: 'https://img.example/a.jpg', position: 1, alt: 'A' },
      ],
    });
    expect(made.description).toEqual({ ro: '<p>Bun</p>' });
    expect(made.images).toEqual([
      { url: 'https://img.example/a.jpg', alt: { ro: 'A' }, position: 0 },
      { url: '/files/b.webp', alt: null, position: 1 },
    ]);
    for (const url of ['javascript:alert(1)', '//evil.example/x.png', 'x.png'])
      expect((await shop.a.admin.post(productsPath, { title: 'X', images: [{ url }] })).status).toBe(422);
  });
  it('knows nothing of another tenant: brand, category', async () => {
    const brand = await make(shop.b.admin, '/api/admin/brands/', { name: 'B' });
    const category = await make(shop.b.admin, '/api/admin/categories/', { name: 'B' });
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', brandId: brand.id })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/brandId' }],
    });
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', categoryIds: [category.id] })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/categoryIds/0' }],
    });
  });
  it('is announced with a public snapshot', async () => {
    const made = await makeProduct(shop.a, { title: 'Știre' });
    expect((await events('catalog.product.created')).at(-1)?.data).toEqual({
      id: made.id,
      slug: 'stire',
      title: { ro: 'Știre' },
      status: 'active',
    });
  });
});

describe('changing a product', () => {
  it('leaves what is absent, clears what is null, and keeps versions', async () => {
    const made = await makeProduct(shop.a, { shortDescription: 'Scurt', hsCode: '6109.10', tags: ['nou'] });
    const answer = await patchProduct(shop.a, made.id, { shortDescription: null }, { 'if-match': `"${made.version}"` });
    expect(answer.body).toMatchObject({ shortDescription: null, hsCode: '6109.10', tags: ['nou'], version: made.version + 1 });
    expect(answer.headers.etag).toBe(`"${made.version + 1}"`);
    expect((await patchProduct(shop.a, made.id, { featured: true }, { 'if-match': `"${made.version}"` })).body).toMatchObject({
      status: 412,
      code: 'version_conflict',
    });
    expect((await patchProduct(shop.a, made.id, { title: null })).status).toBe(422);
    expect((await patchProduct(shop.a, made.id, {})).body.version).toBe(made.version + 1);
  });
  it('a digital product is active only with a file', async () => {
    const made = await make(shop.a.admin, productsPath, { title: 'Carte', type: 'digital', price: ron(2000) });
    expect((await patchProduct(shop.a, made.id, { status: 'active' })).body).toMatchObject({
      status: 409,
      code: 'digital_file_missing',
      variants: [made.variants[0].id],
    });
    expect(
      (
        await patchProduct(shop.a, made.id, {
          variants: [{ id: made.variants[0].id, digitalFiles: [{ uploadKey: 'a/none', name: 'x.pdf' }] }],
        })
      ).body,
    ).toMatchObject({ status: 422, errors: [{ pointer: '/variants/0/digitalFiles/0/uploadKey' }] });
    const key = await shop.a.run('catalog', async (ctx) => {
      const { files } = await import('@storeloom/plugin-sdk');
      return (
        await ctx.require(files).put(Buffer.from('%PDF-1.4'), { name: 'x.pdf', contentType: 'application/pdf', public: false })
      ).key;
    });
    const active = await patchProduct(shop.a, made.id, {
      status: 'active',
      variants: [{ id: made.variants[0].id, digitalFiles: [{ uploadKey: key, name: 'x.pdf', version: '1' }] }],
    });
    expect(active.body).toMatchObject({
      status: 'active',
      variants: [{ digitalFiles: [{ uploadKey: key, name: 'x.pdf', version: '1' }] }],
    });
    expect(
      (await patchProduct(shop.a, made.id, { variants: [{ id: made.variants[0].id, digitalFiles: [] }] })).body,
    ).toMatchObject({
      code: 'digital_file_missing',
    });
  });
  it('writes an audit row with what was before', async () => {
    const made = await makeProduct(shop.a);
    await patchProduct(shop.a, made.id, { featured: true });
    const rows = await shop.rows<{ action: string; changes: Json }>(
      `select action, changes from core_audit where entity = 'catalog.product' and entity_id = $1 order by position`,
      [made.id],
    );
    expect(rows.map(({ action }) => action)).toEqual(['catalog.product.create', 'catalog.product.update']);
    expect(JSON.stringify(rows[1]!.changes)).toContain('featured');
  });
  it('two writers of one version: one wins', async () => {
    const made = await makeProduct(shop.a);
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) => patchProduct(shop.a, made.id, { position: i + 1 }, { 'if-match': '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(412)]);
  });
});

describe('duplicate', () => {
  it('copies all but slug, SKUs, barcodes and status, with one suffix', async () => {
    const made = await makeProduct(shop.a, {
      title: 'Original',
      slug: 'orig',
      options: sizes,
      tags: ['x'],
      featured: true,
      variants: [sized('O-S', 'S', 500, { barcode: '73513537', prices: [{ price: ron(400), priceListCode: 'vip' }] })],
    });
    await make(shop.a.admin, `/api/admin/volume-prices/${made.id}`, {
      minQuantity: 5,
      percentBp: 500,
      variantId: made.variants[0].id,
    });
    const copy = await shop.a.admin.post<Json>(`${productsPath}${made.id}/duplicate`);
    expect(copy.status).toBe(201);
    expect(copy.body).toMatchObject({
      title: { ro: 'Original' },
      slug: 'orig-copy',
      status: 'draft',
      publishedAt: null,
      featured: true,
      tags: ['x'],
      variants: [
        { sku: 'O-S-copy', barcode: null, price: ron(500), optionValues: { Size: 'S' }, prices: [{ priceListCode: 'vip' }] },
      ],
    });
    const tiers = (await shop.a.admin.get<Json>(`/api/admin/volume-prices/${copy.body.id}`)).body.data;
    expect(tiers).toMatchObject([{ minQuantity: 5, percentBp: 500, variantId: copy.body.variants[0].id }]);
    expect((await make(shop.a.admin, `${productsPath}${made.id}/duplicate`, {})).slug).toBe('orig-copy-2');
    await make(shop.a.admin, productsPath, { title: 'In the way', sku: 'O-S-copy-3' });
    expect(await make(shop.a.admin, `${productsPath}${made.id}/duplicate`, {})).toMatchObject({
      slug: 'orig-copy-4',
      variants: [{ sku: 'O-S-copy-4' }],
    });
  });
  it('copies more rows than one statement takes values', async () => {
    const values = Array.from({ length: 80 }, (_, i) => `No ${i}`);
    const made = await makeProduct(shop.a, {
      slug: 'large',
      options: [{ name: 'No', values }],
      variants: values.map((value, i) => ({ sku: `LARGE-${i}`, optionValues: { No: value }, price: ron(500) })),
    });
    await shop.rows(
      `insert into catalog_variant_price (tenant_id, id, variant_id, price_amount, price_currency, price_list_code, created_at, updated_at)
        select tenant_id, gen_random_uuid(), id, n, 'RON', 'list-' || n, created_at, updated_at
        from catalog_variant, generate_series(1, 100) n where product_id = $1`,
      [made.id],
    );
    const copy = await shop.a.admin.post<Json>(`${productsPath}${made.id}/duplicate`);
    expect([copy.status, copy.body.variants?.length]).toEqual([201, 80]);
    const prices = (id: string) =>
      shop.rows<{ n: number; sum: number }>(
        `select count(*)::int as n, sum(p.price_amount * (v.position + 1))::int as sum from catalog_variant_price p
          join catalog_variant v on v.tenant_id = p.tenant_id and v.id = p.variant_id where v.product_id = $1`,
        [id],
      );
    expect((await prices(made.id))[0]?.n).toBe(8000);
    expect(await prices(copy.body.id)).toEqual(await prices(made.id));
  });
  it('of an unknown product is 404', async () => {
    expect((await shop.a.admin.post(`${productsPath}0190a000-0000-7000-8000-000000000001/duplicate`)).status).toBe(404);
  });
});

describe('generate-description', () => {
  it('answers 501 without a provider, never filler text', async () => {
    const made = await makeProduct(shop.a);
    expect(
      (await shop.a.admin.post<Json>(`${productsPath}${made.id}/generate-description`, { facts: ['100 % bumbac'] })).body,
    ).toMatchObject({ status: 501, code: 'provider_not_configured', provider: 'text-generation' });
    expect((await shop.a.admin.post(`${productsPath}0190a000-0000-7000-8000-000000000001/generate-description`, {})).status).toBe(
      404,
    );
    expect(
      (await shop.a.admin.post<Json>(`${productsPath}${made.id}/generate-description`, { locale: 'fr' })).body,
    ).toMatchObject({
      status: 422,
      errors: [{ pointer: '/locale' }],
    });
  });
});

describe('deleting', () => {
  it('removes what no order names; again 404', async () => {
    const made = await makeProduct(shop.a, { title: 'De șters' });
    expect((await shop.a.admin.delete(`${productsPath}${made.id}`)).status).toBe(204);
    expect((await shop.a.admin.delete(`${productsPath}${made.id}`)).status).toBe(404);
    expect((await shop.a.admin.get(`${productsPath}${made.id}`)).status).toBe(404);
    expect(await shop.rows('select 1 from catalog_variant where product_id = $1', [made.id])).toEqual([]);
    // What was asked for it stays on record.
    expect(await shop.rows('select 1 from catalog_price_history where variant_id = $1', [made.variants[0].id])).toHaveLength(1);
    expect((await make(shop.a.admin, productsPath, { title: 'De șters' })).slug).toBe('de-sters');
  });
});
