import { type Address, type PriceRequest, type PricingContext, pricing } from '@storeloom/plugin-checkout/contract';
import { sql } from '@storeloom/plugin-sdk';
import type { PricedSheet } from '@storeloom/plugin-sdk/money';
import type { TestShop } from '@storeloom/plugin-sdk/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressIn,
  type Json,
  makeCategory,
  makeProduct,
  makeRate,
  romanianRates,
  ron,
  setTaxes,
  taxShop,
} from '../test/tax-shop.ts';
import { taxes } from './contract.ts';

let shop: TestShop;
let standard: string;
let reduced: string;
beforeAll(async () => {
  shop = await taxShop();
  ({ standard, reduced } = await romanianRates(shop.a));
});
afterAll(() => shop?.stop());

const place = (country: string, more: Record<string, unknown> = {}): Address =>
  ({ company: null, vatId: null, line2: null, region: null, phone: null, email: null, ...addressIn(country, more) }) as Address;
const line = (id: string, unitPrice: number, more: Record<string, unknown> = {}): PriceRequest['lines'][number] => ({
  id,
  kind: 'product',
  quantity: 1,
  title: id,
  listPrice: unitPrice,
  unitPrice,
  ships: true,
  weightG: 0,
  locked: true,
  facts: {},
  ...more,
});

/** Prices lines by the real pipeline in the shop's own unit of work. */
async function price(
  lines: PriceRequest['lines'],
  context: Partial<PricingContext> = {},
  more: Partial<PriceRequest> = {},
  tenant = shop.a,
) {
  return tenant.run('taxes', async (ctx) => {
    const service = ctx.require(pricing);
    const resolved = await service.context({ purpose: 'cart', ...context });
    return service.price({ context: resolved, lines, ...more });
  });
}
const shipping = (amount: number) => ({ shippingFixed: { name: 'Post', code: 'post', amount, methodId: null } });
const summary = ({ sheet }: { sheet: PricedSheet }) =>
  sheet.taxSummary.map((row) => [row.ratePpm, row.categoryCode, row.base, row.tax]);

describe('what a sale is taxed with', () => {
  it('at home: the domestic rate of each category, the default one where none is named', async () => {
    const priced = await price([line('a', 12_100), line('b', 11_100, { taxCategoryId: reduced })], {
      shippingAddress: place('RO'),
    });
    expect(priced).toMatchObject({ treatment: 'domestic', taxReason: null, countsForOss: false, taxHold: false });
    expect(summary(priced)).toEqual([
      [210_000, 'S', 10_000, 2100],
      [110_000, 'S', 10_000, 1100],
    ]);
    expect(priced.lines[0]?.taxLines).toEqual([{ ratePpm: 210_000, amount: 2100, name: '21 %' }]);
    // Nobody has said where to yet.
    expect((await price([line('a', 12_100)])).treatment).toBe('domestic');
  });

  it('to a consumer in another member state, limit not passed: the rate of the origin', async () => {
    const priced = await price([line('a', 12_100)], { shippingAddress: place('DE') });
    expect(priced).toMatchObject({ treatment: 'origin', countsForOss: true });
    expect(summary(priced)).toEqual([[210_000, 'S', 10_000, 2100]]);
  });

  it('to a consumer in another member state, opted in: the published rate there, or the own one', async () => {
    await setTaxes(shop.a, { ossOptIn: true, ossOptInSince: '2026-01-01' });
    const german = await price([line('a', 11_900), line('b', 11_900, { taxCategoryId: reduced })], {
      shippingAddress: place('DE'),
    });
    expect(german).toMatchObject({ treatment: 'destination', countsForOss: true });
    expect(summary(german)).toEqual([[190_000, 'S', 20_000, 3800]]);
    await makeRate(shop.a, reduced, 70_000, { country: 'DE' });
    const own = await price([line('a', 11_900), line('b', 10_700, { taxCategoryId: reduced })], { shippingAddress: place('DE') });
    expect(summary(own)).toEqual([
      [190_000, 'S', 10_000, 1900],
      [70_000, 'S', 10_000, 700],
    ]);
    // The choice binds for the year it was made in and the next one.
    await setTaxes(shop.a, { ossOptIn: false });
    expect((await price([line('a', 11_900)], { shippingAddress: place('DE') })).treatment).toBe('destination');
    expect((await price([line('a', 11_900)], { shippingAddress: place('DE'), at: '2027-12-31T21:00:00.000Z' })).treatment).toBe(
      'destination',
    );
    expect((await price([line('a', 11_900)], { shippingAddress: place('DE'), at: '2027-12-31T22:00:00.000Z' })).treatment).toBe(
      'origin',
    );
    await setTaxes(shop.a, { ossOptInSince: null });
  });

  it('outside the EU: nothing, export', async () => {
    const priced = await price([line('a', 10_000)], { shippingAddress: place('US') });
    expect(priced).toMatchObject({ treatment: 'export', taxReason: 'export', countsForOss: false });
    expect(summary(priced)).toEqual([[0, 'G', 10_000, 0]]);
    expect((await price([line('a', 10_000)], { shippingAddress: place('GB', { postalCode: 'BT1 5GS' }) })).treatment).toBe(
      'origin',
    );
    expect((await price([line('a', 10_000)], { shippingAddress: place('GB') })).treatment).toBe('export');
  });

  it('to a customer marked exempt: nothing, the reason is kept', async () => {
    const buyer = await shop.a.customer();
    const group = await shop.a.admin.post<Json>('/api/admin/customer-groups', {
      name: 'Embassies',
      code: 'embassies',
      taxExempt: true,
    });
    await shop.a.admin.post(`/api/admin/customer-groups/${group.body.id}/assign`, { customerIds: [buyer.customerId] });
    const priced = await price([line('a', 10_000)], {
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
    expect(summary(await price([line('a', 500, { taxCategoryId: insurance.id })]))).toEqual([[0, 'E', 500, 0]]);
    const german = { shippingAddress: place('DE') };
    expect((await price([line('a', 500, { taxCategoryId: ebooks.id })], german)).countsForOss).toBe(true);
    expect(await price([line('a', 500, { taxCategoryId: repairs.id })], german)).toMatchObject({
      treatment: 'origin',
      countsForOss: false,
    });
    expect(summary(await price([line('a', 500, { taxCategoryId: ebooks.id })], { shippingAddress: place('US') }))).toEqual([
      [0, 'O', 500, 0],
    ]);
  });

  it('on the day at the place: a change at midnight there', async () => {
    const old = await makeCategory(shop.a, 'old');
    await makeRate(shop.a, old.id, 190_000, { validTo: '2025-07-31' });
    await makeRate(shop.a, old.id, 210_000, { validFrom: '2025-08-01' });
    const at = async (instant: string) =>
      (await price([line('a', 1000, { taxCategoryId: old.id })], { at: instant })).sheet.taxSummary[0]?.ratePpm;
    expect([await at('2025-07-31T20:59:59.999Z'), await at('2025-07-31T21:00:00.000Z')]).toEqual([190_000, 210_000]);
  });

  it('without any rates: 0 in one row, as without the plugin', async () => {
    const priced = await price([line('a', 1000), line('b', 500)], { shippingAddress: place('DE') }, shipping(200), shop.b);
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

describe('rules of the shop', () => {
  const net: Partial<PricingContext> = { priceMode: 'net', shippingAddress: place('RO') };
  let seven: string;
  let nineteen: string;
  beforeAll(async () => {
    seven = (await makeCategory(shop.a, 'seven')).id;
    nineteen = (await makeCategory(shop.a, 'nineteen')).id;
    await makeRate(shop.a, seven, 70_000);
    await makeRate(shop.a, nineteen, 190_000);
  });

  it('C13 and B36: shipping is taxed in proportion to the goods', async () => {
    const priced = await price(
      [line('a', 1000, { taxCategoryId: seven }), line('b', 2000, { taxCategoryId: nineteen })],
      net,
      shipping(600),
    );
    expect(priced.sheet.shippingLines[0]?.taxGroups.map((group) => [group.ratePpm, group.base, group.tax])).toEqual([
      [190_000, 400, 76],
      [70_000, 200, 14],
    ]);
  });

  it('C14: goods of 7 % only: shipping has 7 %', async () => {
    const priced = await price([line('a', 5000, { taxCategoryId: seven })], net, shipping(1000));
    expect(priced.shippingLines[0]?.tax).toBe(70);
  });

  it('C15: constant_net to a place without tax', async () => {
    await setTaxes(shop.a, { crossBorderPricePolicy: 'constant_net' });
    const lines = [
      line('a', 2000, { taxCategoryId: seven, locked: false }),
      line('b', 3000, { taxCategoryId: nineteen, locked: false }),
      line('c', 1000, { taxCategoryId: nineteen, locked: false }),
    ];
    // Kind of nobody: the prices stay as they are given.
    const given = lines.map((one) => ({ ...one, kind: 'test.given' }));
    const abroad = await price(given, { shippingAddress: place('US') });
    expect(abroad.lines.map((one) => one.total)).toEqual([1869, 2521, 840]);
    expect(abroad.totals.taxTotal).toBe(0);
    const home = await price(given, { shippingAddress: place('RO') });
    expect(home.lines.map((one) => one.total)).toEqual([2000, 3000, 1000]);
    await setTaxes(shop.a, { crossBorderPricePolicy: 'constant_gross' });
  });

  it('shippingTaxMode and its category', async () => {
    const lines = [line('a', 1000, { taxCategoryId: seven }), line('b', 2000, { taxCategoryId: nineteen })];
    const tax = async () => (await price(lines, net, shipping(1000))).shippingLines[0]?.tax;
    await setTaxes(shop.a, { shippingTaxMode: 'highest_rate' });
    expect(await tax()).toBe(190);
    await setTaxes(shop.a, { shippingTaxMode: 'fixed_category', shippingTaxCategoryId: reduced });
    expect(await tax()).toBe(110);
    await setTaxes(shop.a, { shippingTaxCategoryId: null });
    expect(await tax()).toBe(210);
    await setTaxes(shop.a, { shippingTaxMode: 'proportional' });
    expect((await shop.a.admin.get<Json>('/api/admin/settings/store')).body).toMatchObject({
      taxRoundingLevel: 'line',
      crossBorderPricePolicy: 'constant_gross',
      shippingTaxMode: 'proportional',
    });
    expect((await shop.a.admin.put('/api/admin/settings/store', { shippingTaxMode: 'cheapest' })).status).toBe(422);
  });

  it('taxRoundingLevel (C03)', async () => {
    const lines = [line('a', 108, { quantity: 3, taxCategoryId: nineteen })];
    expect((await price(lines, net)).totals.total).toBe(386);
    await setTaxes(shop.a, { taxRoundingLevel: 'unit' });
    expect((await price(lines, net)).totals.total).toBe(387);
    // An edit keeps the rules of its order.
    const kept = {
      purpose: 'edit' as const,
      rules: { ...(await price(lines, net)).context.rules, taxRoundingLevel: 'line' as const },
    };
    expect((await price(lines, { ...net, ...kept })).totals.total).toBe(386);
    await setTaxes(shop.a, { taxRoundingLevel: 'line' });
  });

  it('P2: bases and taxes of the summary add up to the total, whatever is sold where', async () => {
    const categories = () => [undefined, standard, reduced, seven, nineteen];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ price: fc.nat(50_000), quantity: fc.integer({ min: 1, max: 5 }), category: fc.nat(4) }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.constantFrom('RO', 'DE', 'US'),
        fc.constantFrom('gross' as const, 'net' as const),
        fc.nat(3000),
        fc.integer({ min: 0, max: 10_000 }),
        async (items, country, priceMode, postage, percentBp) => {
          const lines = items.map((item, i) => {
            const taxCategoryId = categories()[item.category];
            return line(`l${i}`, item.price, {
              quantity: item.quantity,
              ...(taxCategoryId === undefined ? {} : { taxCategoryId }),
            });
          });
          const discount = {
            source: { type: 'test', id: 't' },
            name: 't',
            target: 'order' as const,
            lineIds: lines.map(({ id }) => id),
            percentBp,
          };
          const priced = await price(
            lines,
            { priceMode, shippingAddress: place(country) },
            { ...shipping(postage), manualDiscounts: [discount] },
          );
          const { sheet } = priced;
          const sum = (of: { tax: number }[]) => of.reduce((total, one) => total + one.tax, 0);
          const taxed = sum(sheet.taxSummary);
          expect(taxed).toBe(sum([...sheet.lines, ...sheet.shippingLines, ...sheet.surcharges]));
          expect(taxed + sheet.taxSummary.reduce((total, row) => total + row.base, 0)).toBe(sheet.totals.total);
          if (country === 'US') expect(taxed).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('reads its tables once in a pricing run, and not again for the next one of the same places', async () => {
    const scans = await shop.a.run('taxes', async (ctx) => {
      // PostgreSQL's own count, which goes on from one transaction of a connection to the next.
      const count = async () => {
        const row = await ctx.db.first<{ n: number }>(sql`
          select (pg_stat_get_xact_numscans('taxes_category'::regclass) + (select sum(pg_stat_get_xact_numscans(indexrelid))
            from pg_index where indrelid = 'taxes_category'::regclass))::int as n`);
        return row?.n ?? 0;
      };
      const before = await count();
      const service = ctx.require(pricing);
      const context = await service.context({ purpose: 'cart', shippingAddress: place('DE') });
      const given = [line('a', 1000, { kind: 'test.given', locked: false })];
      // Constant net asks for the taxes of both places besides those of the sale.
      context.rules.crossBorderPricePolicy = 'constant_net';
      await service.price({ context, lines: given });
      await service.price({ context, lines: given });
      return (await count()) - before;
    });
    expect(scans).toBe(1);
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
