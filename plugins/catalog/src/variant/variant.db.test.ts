import { catalog } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, makeProduct, patchProduct, productsPath, readProduct, ron, sized, sizes } from '../../test/shop.ts';
import { fileUses } from '../file-uses.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());

describe('variants', () => {
  const shirt = (more: object = {}) =>
    makeProduct(shop.a, { options: sizes, variants: [sized(`S-${++n}-s`, 'S'), sized(`S-${n}-m`, 'M')], ...more });
  let n = 0;
  it('are updated with id, created without, deleted with delete, and else unchanged', async () => {
    const made = await shirt();
    const [s, m] = made.variants;
    const answer = await patchProduct(shop.a, made.id, {
      variants: [{ id: s.id, price: ron(900) }, sized(`S-${n}-l`, 'L', 1100), { id: m.id, delete: true }],
    });
    expect(answer.status).toBe(200);
    expect(answer.body.version).toBe(made.version + 1);
    expect(answer.body.variants.map((one: Json) => [one.sku, one.price.amount])).toEqual([
      [s.sku, 900],
      [`S-${n}-l`, 1100],
    ]);
    expect(answer.body.variants[0]).toMatchObject({ compareAtPrice: null, active: true, trackInventory: true });
    expect(answer.body.priceRange).toEqual({ min: ron(900), max: ron(1100) });
  });
  it('may change places in one request; a repeated combination is 409', async () => {
    const made = await shirt();
    const [s, m] = made.variants;
    const swapped = await patchProduct(shop.a, made.id, {
      variants: [
        { id: s.id, optionValues: { Size: 'M' } },
        { id: m.id, optionValues: { Size: 'S' } },
      ],
    });
    expect(swapped.status).toBe(200);
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: s.id, optionValues: { Size: 'S' } }] })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      field: 'optionValues',
    });
    expect((await readProduct(shop.a, made.id)).variants.map((one: Json) => one.optionValues.Size).sort()).toEqual(['M', 'S']);
  });
  it('set exactly the product’s options', async () => {
    for (const optionValues of [{}, { Size: 'XXL' }, { Size: 'S', Color: 'Red' }, { Size: 1 }])
      expect(
        (
          await shop.a.admin.post<Json>(productsPath, {
            title: 'X',
            options: sizes,
            variants: [{ sku: 'x', price: ron(1), optionValues }],
          })
        ).body,
      ).toMatchObject({ status: 422, code: 'option_mismatch', errors: [{ pointer: '/variants/0/optionValues' }] });
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', options: sizes, price: ron(1) })).body).toMatchObject({
      code: 'option_mismatch',
    });
    expect(
      (
        await shop.a.admin.post<Json>(productsPath, {
          title: 'X',
          variants: [
            { sku: 'y1', price: ron(1) },
            { sku: 'y2', price: ron(1) },
          ],
        })
      ).body,
    ).toMatchObject({ code: 'option_mismatch' });
    const made = await shirt();
    expect((await patchProduct(shop.a, made.id, { options: [{ name: 'Fit', values: ['Slim'] }] })).body).toMatchObject({
      status: 422,
      code: 'option_mismatch',
      errors: [{ pointer: '/options' }],
    });
  });
  it('the last active one of an active product cannot go', async () => {
    const made = await shirt();
    const [s, m] = made.variants;
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: s.id, active: false }] })).status).toBe(200);
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: m.id, active: false }] })).body).toMatchObject({
      status: 409,
      code: 'last_variant',
    });
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: m.id, delete: true }] })).body).toMatchObject({
      status: 409,
      code: 'last_variant',
    });
    expect((await patchProduct(shop.a, made.id, { status: 'draft', variants: [{ id: m.id, active: false }] })).status).toBe(200);
    expect((await patchProduct(shop.a, made.id, { status: 'active' })).body).toMatchObject({ status: 409, code: 'last_variant' });
  });
  it('have a SKU unique without case and a barcode with its check digit', async () => {
    const made = await shirt({ variants: [sized('Dup-1', 'S', 1, { barcode: '4006381333931' })] });
    expect((await shop.a.admin.post<Json>(productsPath, { title: 'X', price: ron(1), sku: 'DUP-1' })).body).toMatchObject({
      status: 409,
      code: 'duplicate',
      field: 'sku',
    });
    expect(
      (
        await shop.a.admin.post<Json>(productsPath, {
          title: 'X',
          variants: [{ sku: 'z', price: ron(1), barcode: '4006381333932' }],
        })
      ).body,
    ).toMatchObject({ status: 422, errors: [{ pointer: '/variants/0/barcode', code: 'gtin_invalid' }] });
    expect(
      (
        await shop.a.admin.post<Json>(productsPath, {
          title: 'X',
          variants: [{ sku: 'z', price: ron(1), barcode: '4006381333931' }],
        })
      ).body,
    ).toMatchObject({ status: 409, field: 'barcode' });
    // After deletion, SKU and barcode are available again.
    await patchProduct(shop.a, made.id, { variants: [sized('Dup-2', 'M'), { id: made.variants[0].id, delete: true }] });
    expect(
      (
        await shop.a.admin.post(productsPath, {
          title: 'X',
          variants: [{ sku: 'DUP-1', price: ron(1), barcode: '4006381333931' }],
        })
      ).status,
    ).toBe(201);
    // SKUs and barcodes are unique per tenant.
    expect((await shop.b.admin.post(productsPath, { title: 'X', price: ron(1), sku: 'dup-1' })).status).toBe(201);
  });
  it('of another product are 404 with the pointer', async () => {
    const [one, two] = [await shirt(), await shirt()];
    expect((await patchProduct(shop.a, one.id, { variants: [{ id: two.variants[0].id, price: ron(1) }] })).body).toMatchObject({
      status: 404,
      errors: [{ pointer: '/variants/0/id' }],
    });
  });
  it('report errors of a PATCH with the pointer of the variant', async () => {
    const made = await shirt();
    expect(
      (await patchProduct(shop.a, made.id, { variants: [{ id: made.variants[0].id, price: { amount: 1.5, currency: 'RON' } }] }))
        .body,
    ).toMatchObject({ status: 422, code: 'money_invalid', errors: [{ pointer: '/variants/0/price/amount' }] });
    expect((await patchProduct(shop.a, made.id, { variants: [{ sku: 'new' }] })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/variants/0/price' }],
    });
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: made.variants[0].id, total: 1 }] })).body).toMatchObject({
      status: 422,
      code: 'unknown_field',
      errors: [{ pointer: '/variants/0/total' }],
    });
  });
  it('keep their currency, and need dates or a list for further prices in it', async () => {
    const made = await shirt();
    const [s] = made.variants;
    expect(
      (await patchProduct(shop.a, made.id, { variants: [{ id: s.id, price: { amount: 1, currency: 'EUR' } }] })).body,
    ).toMatchObject({
      code: 'currency_mismatch',
    });
    const prices = [
      { price: { amount: 200, currency: 'EUR' } },
      { price: ron(800), priceListCode: 'vip' },
      { price: ron(700), startsAt: '2030-01-01T00:00:00+02:00', endsAt: '2030-02-01T00:00:00Z' },
    ];
    const saved = await patchProduct(shop.a, made.id, { variants: [{ id: s.id, prices }] });
    expect(saved.body.variants[0].prices).toMatchObject([
      { price: { amount: 200, currency: 'EUR' }, priceListCode: null },
      { priceListCode: 'vip' },
      { startsAt: '2029-12-31T22:00:00.000Z' },
    ]);
    expect((await patchProduct(shop.a, made.id, { variants: [{ id: s.id, prices: [{ price: ron(1) }] }] })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/variants/0/prices/0' }],
    });
    expect(
      (
        await patchProduct(shop.a, made.id, {
          variants: [{ id: s.id, prices: [{ price: ron(1), startsAt: '2030-02-01T00:00:00Z', endsAt: '2030-01-01T00:00:00Z' }] }],
        })
      ).status,
    ).toBe(422);
  });
  it('show their cost only with the permission', async () => {
    const made = await shirt({ variants: [sized(`C-${++n}`, 'S', 1000, { cost: ron(400) })] });
    expect(made.variants[0].cost).toEqual(ron(400));
    const clerk = await shop.a.staff(['catalog.product.read']);
    const seen = (await clerk.get<Json>(`${productsPath}${made.id}`)).body.variants[0];
    expect(seen).toMatchObject({ cost: null, masked: ['cost'] });
    expect((await clerk.patch(`${productsPath}${made.id}`, { featured: true })).status).toBe(403);
  });
});

describe('the image of a variant', () => {
  const [red, blue] = ['/files/red.png', '/files/blue.png'];
  let n = 0;
  const illustrated = (): Promise<Json> => {
    n += 1;
    return makeProduct(shop.a, {
      slug: `illustrated-${n}`,
      options: sizes,
      images: [{ url: red, alt: { ro: 'Roșu', en: 'Red' } }, { url: blue }],
      variants: [{ ...sized(`IMG-${n}-s`, 'S'), image: red }, sized(`IMG-${n}-m`, 'M')],
    });
  };
  const shown = async (): Promise<Json> => (await shop.a.guest.get<Json>(`/api/storefront/products/illustrated-${n}`)).body;

  it('is one of the images of the product, on the page and in the cart', async () => {
    const made = await illustrated();
    expect(made.variants.map((one: Json) => one.image)).toEqual([red, null]);
    const [s, m] = made.variants;
    const changed = await patchProduct(shop.a, made.id, { variants: [{ id: m.id, image: blue }] });
    expect([changed.status, changed.body.variants.map((one: Json) => one.image)]).toEqual([200, [red, blue]]);
    expect((await shown()).variants.map((one: Json) => one.image?.url)).toEqual([red, blue]);
    expect((await shown()).variants[0].image).toEqual({ url: red, alt: expect.stringMatching(/^(Roșu|Red)$/) });
    const views = await shop.a.run('catalog', (ctx) => ctx.require(catalog).variants([s.id, m.id]));
    expect([s, m].map(({ id }) => views.find((view) => view.id === id)?.image)).toEqual([red, blue]);
    const cleared = await patchProduct(shop.a, made.id, { variants: [{ id: m.id, image: null }] });
    expect(cleared.body.variants.map((one: Json) => one.image)).toEqual([red, null]);
  });

  it('can’t be an image of another product, of another shop, or a script', async () => {
    const made = await illustrated();
    await makeProduct(shop.a, { images: [{ url: '/files/other-product.png' }] });
    await makeProduct(shop.b, { images: [{ url: '/files/other-shop.png' }] });
    for (const image of ['/files/other-product.png', '/files/other-shop.png']) {
      const refused = await patchProduct(shop.a, made.id, { variants: [{ id: made.variants[0].id, image }] });
      expect([refused.status, refused.body.errors[0]]).toMatchObject([
        422,
        { pointer: '/variants/0/image', code: 'unknown_image' },
      ]);
    }
    const script = await patchProduct(shop.a, made.id, { variants: [{ id: made.variants[0].id, image: 'javascript:alert(1)' }] });
    expect(script.status).toBe(422);
    expect((await readProduct(shop.a, made.id)).variants.map((one: Json) => one.image)).toEqual([red, null]);
  });

  it('ends when the product loses the image, and is counted as a use of the file', async () => {
    const made = await illustrated();
    const kept = await patchProduct(shop.a, made.id, { images: [{ url: red }] });
    expect(kept.body.variants.map((one: Json) => one.image)).toEqual([red, null]);
    const uses = () => shop.a.run('catalog', (ctx) => fileUses(ctx, { key: 'red.png' }));
    expect((await uses()).map(({ resource }) => resource)).toEqual(['products', 'variants']);
    const lost = await patchProduct(shop.a, made.id, { images: [{ url: blue }] });
    expect(lost.body.variants.map((one: Json) => one.image)).toEqual([null, null]);
    expect((await shown()).variants.map((one: Json) => one.image)).toEqual([null, null]);
  });
});
