import { pricing, taxes } from '@storeloom/commerce';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { line, place, price, shipping, summary } from '../../test/sale.ts';
import { type Json, makeCategory, makeProduct, makeRate, romanianRates, ron, setTaxes, taxShop } from '../../test/tax-shop.ts';

let shop: TestShop;
let standard: string;
let reduced: string;
beforeAll(async () => {
  shop = await taxShop();
  ({ standard, reduced } = await romanianRates(shop.a));
});
afterAll(() => shop?.stop());

describe('what a sale is taxed with', () => {
  it('at home: the domestic rate of each category, the default one where none is named', async () => {
    const priced = await price(shop.a, [line('a', 12_100), line('b', 11_100, { taxCategoryId: reduced })], {
      shippingAddress: place('RO'),
    });
    expect(priced).toMatchObject({ treatment: 'domestic', taxReason: null, countsForOss: false, taxHold: false });
    expect(summary(priced)).toEqual([
      [210_000, 'S', 10_000, 2100],
      [110_000, 'S', 10_000, 1100],
    ]);
    expect(priced.lines[0]?.taxLines).toEqual([{ ratePpm: 210_000, amount: 2100, name: '21 %' }]);
    // The destination is unknown yet.
    expect((await price(shop.a, [line('a', 12_100)])).treatment).toBe('domestic');
  });

  it('to a consumer in another member state, limit not passed: the rate of the origin', async () => {
    const priced = await price(shop.a, [line('a', 12_100)], { shippingAddress: place('DE') });
    expect(priced).toMatchObject({ treatment: 'origin', countsForOss: true });
    expect(summary(priced)).toEqual([[210_000, 'S', 10_000, 2100]]);
  });

  it('to a consumer in another member state, opted in: the published rate there, or the own one', async () => {
    await setTaxes(shop.a, { ossOptIn: true, ossOptInSince: '2026-01-01' });
    const german = await price(shop.a, [line('a', 11_900), line('b', 11_900, { taxCategoryId: reduced })], {
      shippingAddress: place('DE'),
    });
    expect(german).toMatchObject({ treatment: 'destination', countsForOss: true });
    expect(summary(german)).toEqual([[190_000, 'S', 20_000, 3800]]);
    await makeRate(shop.a, reduced, 70_000, { country: 'DE' });
    const own = await price(shop.a, [line('a', 11_900), line('b', 10_700, { taxCategoryId: reduced })], {
      shippingAddress: place('DE'),
    });
    expect(summary(own)).toEqual([
      [190_000, 'S', 10_000, 1900],
      [70_000, 'S', 10_000, 700],
    ]);
    // The opt-in binds for its year and the next one.
    await setTaxes(shop.a, { ossOptIn: false });
    expect((await price(shop.a, [line('a', 11_900)], { shippingAddress: place('DE') })).treatment).toBe('destination');
    expect(
      (await price(shop.a, [line('a', 11_900)], { shippingAddress: place('DE'), at: '2027-12-31T21:00:00.000Z' })).treatment,
    ).toBe('destination');
    expect(
      (await price(shop.a, [line('a', 11_900)], { shippingAddress: place('DE'), at: '2027-12-31T22:00:00.000Z' })).treatment,
    ).toBe('origin');
    await setTaxes(shop.a, { ossOptInSince: null });
  });

  it('outside the EU: nothing, export', async () => {
    const priced = await price(shop.a, [line('a', 10_000)], { shippingAddress: place('US') });
    expect(priced).toMatchObject({ treatment: 'export', taxReason: 'export', countsForOss: false });
    expect(summary(priced)).toEqual([[0, 'G', 10_000, 0]]);
    expect(
      (await price(shop.a, [line('a', 10_000)], { shippingAddress: place('GB', { postalCode: 'BT1 5GS' }) })).treatment,
    ).toBe('origin');
    expect((await price(shop.a, [line('a', 10_000)], { shippingAddress: place('GB') })).treatment).toBe('export');
  });

  it('to a customer marked exempt: nothing, the reason is kept', async () => {
    const buyer = await shop.a.customer();
    const group = await shop.a.admin.post<Json>('/api/admin/customer-groups', {
      name: 'Embassies',
      code: 'embassies',
      taxExempt: true,
    });
    await shop.a.admin.post(`/api/admin/customer-groups/${group.body.id}/assign`, { customerIds: [buyer.customerId] });
    const priced = await price(shop.a, [line('a', 10_000)], {
      shippingAddress: place('RO'),
      customer: { id: buyer.customerId, groupIds: [] },
    });
    expect(priced).toMatchObject({ treatment: 'exempt', taxReason: 'customer_exempt' });
    expect(summary(priced)).toEqual([[0, 'E', 10_000, 0]]);
  });

  it('by the category: a code of 0 without rates, electronic and other services', async () => {
    const insurance = await makeCategory(shop.a, 'insurance', { uneceCode: 'E' });
    const ebooks = await makeCategory(shop.a, 'ebooks', { kind: 'electronic_service' });
    const repairs = await makeCategory(shop.a, 'repairs', { kind: 'service' });
    expect(summary(await price(shop.a, [line('a', 500, { taxCategoryId: insurance.id })]))).toEqual([[0, 'E', 500, 0]]);
    const german = { shippingAddress: place('DE') };
    expect((await price(shop.a, [line('a', 500, { taxCategoryId: ebooks.id })], german)).countsForOss).toBe(true);
    expect(await price(shop.a, [line('a', 500, { taxCategoryId: repairs.id })], german)).toMatchObject({
      treatment: 'origin',
      countsForOss: false,
    });
    expect(
      summary(await price(shop.a, [line('a', 500, { taxCategoryId: ebooks.id })], { shippingAddress: place('US') })),
    ).toEqual([[0, 'O', 500, 0]]);
  });

  it('on the day at the place: a change at midnight there', async () => {
    const old = await makeCategory(shop.a, 'old');
    await makeRate(shop.a, old.id, 190_000, { validTo: '2025-07-31' });
    await makeRate(shop.a, old.id, 210_000, { validFrom: '2025-08-01' });
    const at = async (instant: string) =>
      (await price(shop.a, [line('a', 1000, { taxCategoryId: old.id })], { at: instant })).sheet.taxSummary[0]?.ratePpm;
    expect([await at('2025-07-31T20:59:59.999Z'), await at('2025-07-31T21:00:00.000Z')]).toEqual([190_000, 210_000]);
  });

  it('without any rates: 0 in one row, as without the plugin', async () => {
    const priced = await price(shop.b, [line('a', 1000), line('b', 500)], { shippingAddress: place('DE') }, shipping(200));
    expect(priced).toMatchObject({ treatment: 'untaxed', countsForOss: false });
    expect(summary(priced)).toEqual([[0, 'O', 1700, 0]]);
    const off = await shop.b.admin.put('/api/admin/plugins/taxes/settings', { enabled: false });
    expect(off.status).toBe(200);
    expect(
      summary(
        await shop.b.run('checkout', async (ctx) => {
          const service = ctx.require(pricing);
          return service.price({ context: await service.context({ purpose: 'cart' }), lines: [line('a', 1000)] });
        }),
      ),
    ).toEqual([[0, 'O', 1000, 0]]);
    await shop.b.admin.put('/api/admin/plugins/taxes/settings', { enabled: true });
  });

  it('in a cart over HTTP', async () => {
    const variantId = await makeProduct(shop.a, 12_100, { taxCategoryId: standard });
    const cart = await shop.a.guest.post<Json>('/api/storefront/cart/items', { variantId, quantity: 2 });
    expect(cart.body.lines[0]).toMatchObject({ tax: ron(4200), taxLines: [{ ratePpm: 210_000, amount: ron(4200) }] });
    expect(cart.body.taxSummary).toEqual([{ ratePpm: 210_000, categoryCode: 'S', base: ron(20_000), tax: ron(4200) }]);
  });
});

describe('the service for sales outside checkout', () => {
  const quote = (request: Parameters<ReturnType<typeof serviceOf>['quote']>[0]) =>
    shop.a.run('taxes', (ctx) => serviceOf(ctx).quote(request));
  const serviceOf = (ctx: { require<T>(token: { id: string; _type?: T }): T }) => ctx.require(taxes);

  it('taxes lines at the counter', async () => {
    const answer = await quote({
      lines: [
        { id: 'a', amount: ron(12_100), quantity: 1 },
        { id: 'b', amount: ron(11_100), quantity: 3, categoryId: reduced },
        { id: 'c', amount: ron(-1210), quantity: 1 },
      ],
    });
    expect(answer).toEqual({
      lines: [
        { id: 'a', taxLines: [{ ratePpm: 210_000, amount: 2100 }], tax: ron(2100) },
        { id: 'b', taxLines: [{ ratePpm: 110_000, amount: 1100 }], tax: ron(1100) },
        { id: 'c', taxLines: [{ ratePpm: 210_000, amount: -210 }], tax: ron(-210) },
      ],
      taxSummary: [
        { ratePpm: 210_000, categoryCode: 'S', base: ron(9000), tax: ron(1890) },
        { ratePpm: 110_000, categoryCode: 'S', base: ron(10_000), tax: ron(1100) },
      ],
      total: ron(21_990),
    });
    expect((await quote({ lines: [] })).total).toEqual(ron(0));
  });

  it('knows other days and countries, and refuses two currencies', async () => {
    const one = { id: 'a', amount: ron(1000), quantity: 1 };
    expect((await quote({ country: 'US', lines: [one] })).taxSummary).toEqual([
      { ratePpm: 0, categoryCode: 'G', base: ron(1000), tax: ron(0) },
    ]);
    await expect(quote({ lines: [one, { ...one, amount: { amount: 1, currency: 'EUR' } }] })).rejects.toMatchObject({
      code: 'currency_mismatch',
    });
    await expect(quote({ lines: [{ ...one, amount: { amount: 1.5, currency: 'RON' } }] })).rejects.toMatchObject({
      code: 'money_invalid',
    });
  });

  it('is untaxed where the shop has no rates, and lists categories', async () => {
    const answer = await shop.b.run('taxes', (ctx) =>
      ctx.require(taxes).quote({ lines: [{ id: 'a', amount: ron(1000), quantity: 1 }] }),
    );
    expect(answer.taxSummary).toEqual([{ ratePpm: 0, categoryCode: 'O', base: ron(1000), tax: ron(0) }]);
    const listed = await shop.a.run('taxes', (ctx) => ctx.require(taxes).categories());
    expect(listed.find((row) => row.id === standard)).toEqual({
      id: standard,
      code: 'standard',
      name: 'standard',
      isDefault: true,
      kind: 'goods',
    });
  });
});
