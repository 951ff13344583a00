import type { PricingContext, PricingLine } from '@storeloom/commerce';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { context, fault, line } from '../../test/lines.ts';
import { type Json, make, makeProduct, ron, sized, sizes } from '../../test/shop.ts';
import { resolveLines } from './lines.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'] });
});
afterAll(() => shop?.stop());

let count = 0;
const resolve = async (lines: PricingLine[], more: Partial<PricingContext> = {}): Promise<PricingLine[]> =>
  (await shop.a.run('catalog', (ctx) => resolveLines(ctx, { context: context(more), lines }))).lines;
const priced = async (variantId: string, quantity: number, more: Partial<PricingContext> = {}): Promise<number> => {
  const [resolved] = await resolve([line(variantId, quantity)], more);
  return resolved!.unitPrice * quantity;
};
const tier = (productId: string, body: object) => make(shop.a.admin, `/api/admin/volume-prices/${productId}`, body);

describe('lines.resolve', () => {
  it('C52: tiers 1:3250, 2:3200, 3:3150; add 1, then +2; then set 2', async () => {
    const shirt = await makeProduct(shop.a, { price: ron(3250) });
    await tier(shirt.id, { minQuantity: 2, price: ron(3200) });
    await tier(shirt.id, { minQuantity: 3, price: ron(3150) });
    const { id } = shirt.variants[0];
    expect(await priced(id, 1)).toBe(3250);
    expect(await priced(id, 3)).toBe(9450);
    expect(await priced(id, 2)).toBe(6400);
  });
  it('C53: base 295, 3–5: 273, 6+: 250; quantity 2, 3, 5, 6, back to 5', async () => {
    const part = await makeProduct(shop.a, { price: ron(295) });
    await tier(part.id, { minQuantity: 3, price: ron(273) });
    await tier(part.id, { minQuantity: 6, price: ron(250) });
    const totals: number[] = [];
    for (const quantity of [2, 3, 5, 6, 5]) totals.push(await priced(part.variants[0].id, quantity));
    expect(totals).toEqual([590, 819, 1365, 1500, 1365]);
  });
  it('counts units in all lines of the variant or the product, however they are split', async () => {
    const made = await makeProduct(shop.a, {
      options: sizes,
      variants: [sized(`L${++count}`, 'S', 1000), sized(`L${++count}`, 'M', 1000)],
    });
    const [s, m] = made.variants.map(({ id }: Json) => id);
    await tier(made.id, { minQuantity: 4, percentBp: 1000 });
    await tier(made.id, { minQuantity: 6, percentBp: 2000, aggregate: 'product' });
    const units = async (lines: PricingLine[]) => (await resolve(lines)).map(({ unitPrice }) => unitPrice);
    expect(await units([line(s, 2), line(s, 2)])).toEqual([900, 900]);
    expect(await units([line(s, 3), line(m, 2)])).toEqual([1000, 1000]);
    expect(await units([line(s, 3), line(m, 3)])).toEqual([800, 800]);
    expect(await units([line(s, 6, { locked: true, unitPrice: 5 }), line(m, 1)])).toEqual([5, 800]);
    // With purpose `browse` the lines are alternatives.
    expect((await resolve([line(s, 3), line(m, 3)], { purpose: 'browse' })).map(({ unitPrice }) => unitPrice)).toEqual([
      1000, 1000,
    ]);
  });
  it('sets the fields of product lines in the locale of the context, and skips locked lines and lines of other kinds', async () => {
    const category = await make(shop.a.admin, '/api/admin/categories/', { name: 'Sus' });
    const below = await make(shop.a.admin, '/api/admin/categories/', { name: 'Jos', parentId: category.id });
    const made = await makeProduct(shop.a, {
      title: { ro: 'Tricou', en: 'Shirt' },
      categoryIds: [below.id],
      weightG: 200,
      tags: ['x'],
      minAge: 18,
      images: [{ url: '/files/x.webp' }],
      options: sizes,
      variants: [sized(`L${++count}`, 'S', 1000, { compareAtPrice: ron(1500), minPrice: ron(700) })],
    });
    const [variant] = made.variants;
    const locked = line(variant.id, 1, { locked: true, unitPrice: 1, title: 'quoted' });
    const stay: PricingLine = { ...line('x', 1), kind: 'hotel.stay' };
    const [resolved, second, third] = await resolve([line(variant.id, 1, { facts: { other: 1 } }), locked, stay], {
      locale: 'en',
    });
    expect(resolved).toMatchObject({
      productId: made.id,
      title: 'Shirt – S',
      sku: variant.sku,
      image: '/files/x.webp',
      listPrice: 1000,
      unitPrice: 1000,
      minPrice: 700,
      ships: true,
      weightG: 200,
      facts: {
        other: 1,
        catalog: {
          level: 'general',
          tier: null,
          onSale: true,
          brandId: null,
          tags: ['x'],
          minAge: 18,
          returnable: true,
          productType: 'physical',
        },
      },
    });
    expect((resolved!.facts.catalog as Json).categoryIds.toSorted()).toEqual([category.id, below.id].sort());
    expect([second, third]).toEqual([locked, stay]);
  });
  it('applies company, group and general prices, and none of another buyer', async () => {
    const made = await makeProduct(shop.a, {
      variants: [
        {
          sku: `L${++count}`,
          price: ron(1000),
          prices: [
            { price: ron(500), priceListCode: 'company' },
            { price: ron(700), priceListCode: 'group' },
          ],
        },
      ],
    });
    const { id } = made.variants[0];
    const customer = { id: 'c', groupIds: [] };
    expect(await priced(id, 1)).toBe(1000);
    expect(await priced(id, 1, { customer: { ...customer, priceListCode: 'group' } })).toBe(700);
    expect(
      await priced(id, 1, { customer: { ...customer, priceListCode: 'group' }, company: { id: 'f', priceListCode: 'company' } }),
    ).toBe(500);
    expect(await priced(id, 1, { customer: { ...customer, groupDiscountBp: 1000 } })).toBe(900);
    expect(await priced(id, 1, { customer: { ...customer, priceListCode: 'other' } })).toBe(1000);
  });
  it('converts once with the cart’s fixed rate, or uses the price in the cart’s currency', async () => {
    const made = await makeProduct(shop.a, {
      options: sizes,
      variants: [
        sized(`L${++count}`, 'S', 5499),
        sized(`L${++count}`, 'M', 5499, { prices: [{ price: { amount: 1111, currency: 'EUR' } }] }),
      ],
    });
    const fx = { rate: '0.2', rateId: null };
    expect(await priced(made.variants[0].id, 5, { currency: 'EUR', fx })).toBe(5500); // 1099.8 → 1100
    expect(await priced(made.variants[1].id, 1, { currency: 'EUR', fx })).toBe(1111);
    expect(await fault(priced(made.variants[0].id, 1, { currency: 'EUR' }))).toMatchObject({ code: 'currency_mismatch' });
  });
  it('returns the children of bundles and prices them at the buyer’s level', async () => {
    const [cup, book] = [
      await makeProduct(shop.a, {
        title: 'Cană',
        weightG: 300,
        variants: [{ sku: `L${++count}`, price: ron(1000), prices: [{ price: ron(800), priceListCode: 'vip' }] }],
      }),
      await makeProduct(shop.a, { title: 'Abonament', type: 'service', price: ron(500) }),
    ];
    const kit = await makeProduct(shop.a, { title: 'Set', type: 'bundle' });
    await make(
      shop.a.admin,
      `/api/admin/bundles/${kit.id}`,
      {
        components: [
          { variantId: cup.variants[0].id, quantity: 2 },
          { variantId: book.variants[0].id, quantity: 1 },
        ],
        pricing: 'sum_minus_percent',
        percentBp: 1000,
      },
      200,
    );
    const [resolved] = await resolve([line(kit.variants[0].id, 1)]);
    expect(resolved).toMatchObject({
      unitPrice: 2250,
      listPrice: 2250,
      ships: true,
      weightG: 600,
      children: [
        { variantId: cup.variants[0].id, quantity: 2, title: 'Cană', listPrice: 1000, weightG: 300, ships: true },
        { variantId: book.variants[0].id, quantity: 1, listPrice: 500, ships: false },
      ],
    });
    expect(await priced(kit.variants[0].id, 1, { customer: { id: 'c', groupIds: [], priceListCode: 'vip' } })).toBe(1890);
  });
  it('reports lines with deleted variants, draft products and variants of another tenant', async () => {
    const [good, draft, foreign] = [
      await makeProduct(shop.a),
      await makeProduct(shop.a, { status: 'draft' }),
      await makeProduct(shop.b),
    ];
    const lines = [good, draft, foreign].map((one) => line(one.variants[0].id, 1));
    const answer = await fault(resolve(lines));
    expect(answer).toMatchObject({
      code: 'not_found',
      lines: [lines[1]!.id, lines[2]!.id],
      errors: [{ pointer: '/lines/1/variantId' }, { pointer: '/lines/2/variantId' }],
    });
    // Staff can sell unpublished products, but no products of another tenant.
    expect(await resolve([lines[1]!], { purpose: 'draft' })).toHaveLength(1);
    expect(await fault(resolve([lines[2]!], { purpose: 'pos' }))).toMatchObject({ code: 'not_found' });
  });
});
