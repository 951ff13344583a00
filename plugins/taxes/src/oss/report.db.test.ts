import { job } from '@storeloom/plugin-sdk';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counted, fifthOfEuro, paid, price, rateOf, sell, stockUp, threshold } from '../../test/abroad.ts';
import { addressIn, eur, type Json, orderOf, ron, setTaxes, signedIn, taxShop } from '../../test/tax-shop.ts';

let shop: TestShop;
let a: TestTenant;
beforeAll(async () => {
  shop = await taxShop();
  a = shop.a;
  await stockUp(a);
  await fifthOfEuro(a);
  await setTaxes(a, { ossOptIn: true });
});
afterAll(() => shop?.stop());

const report = (tenant: TestTenant, quarter: string) => tenant.admin.get<Json>(`/api/admin/taxes/oss/report?quarter=${quarter}`);

describe('the report of a quarter', () => {
  it('lists what was taxed at destination, in EUR, with refunds of the same quarter taken off', async () => {
    expect(rateOf(await sell(a, 'HU'))).toBe(270_000);
    const before = (await report(a, '2026-Q4')).body;
    expect(before.lines).toEqual([{ country: 'HU', supplyType: 'goods', ratePpm: 270_000, base: eur(95_276), tax: eur(25_724) }]);
    expect(before.corrections).toEqual([]);
    expect(before.exchangeRates).toMatchObject([{ quarter: '2026-Q4', currency: 'RON', rate: '0.2' }]);
    expect(before.warnings).toMatchObject([{ code: 'rate_outdated' }]);

    const order = await sell(a, 'DE', 2);
    await paid(a, order.id);
    const [line] = (await orderOf(a, order.id)).lines;
    const refund = await a.admin.post<Json>(`/api/admin/orders/${order.id}/refund`, {
      lines: [{ lineId: line.id, quantity: 1 }],
      reason: 'test',
      method: 'manual',
    });
    expect([refund.status, refund.body.code]).toEqual([200, undefined]);
    const after = (await report(a, '2026-Q4')).body;
    expect(after.lines).toEqual([
      { country: 'DE', supplyType: 'goods', ratePpm: 190_000, base: eur(101_681), tax: eur(19_319) },
      ...before.lines,
    ]);
    expect(after.totals).toEqual({ base: eur(196_957), tax: eur(45_043), corrections: eur(0), payable: eur(45_043) });
    expect(await counted(a)).toBe((await threshold(a)).currentYearNet.amount);

    // In the next quarter, and year: at the old rate and the old quarter's exchange rate.
    shop.clock.freeze('2027-01-04T10:00:00.000Z');
    a = await signedIn(a);
    await a.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.25', asOf: '2026-12-31T13:00:00Z' });
    await a.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.3', asOf: '2027-01-04T00:00:00Z' });
    const rest = await a.admin.post<Json>(`/api/admin/orders/${order.id}/refund`, {
      amount: ron(price),
      reason: 'test',
      method: 'manual',
    });
    expect([rest.status, rest.body.code]).toEqual([200, undefined]);
    const next = (await report(a, '2027-Q1')).body;
    expect(next.lines).toEqual([]);
    expect(next.corrections).toEqual([
      { quarter: '2026-Q4', country: 'DE', supplyType: 'goods', ratePpm: 190_000, base: eur(-127_101), tax: eur(-24_149) },
    ]);
    expect(next).toMatchObject({ exchangeRates: [{ quarter: '2026-Q4', currency: 'RON', rate: '0.25' }], warnings: [] });
    expect(next.totals).toMatchObject({ tax: eur(0), corrections: eur(-24_149), payable: eur(-24_149) });
    // What was sold in the old quarter stays reported there.
    expect((await report(a, '2026-Q4')).body.lines[0]).toMatchObject({ country: 'DE', base: eur(127_101) });
  });

  it('refuses a quarter that is none', async () => {
    for (const quarter of ['2026-Q5', '2026-Q0', '2026', 'Q1', '2026-q1', '202'])
      expect([quarter, (await report(a, quarter)).status]).toEqual([quarter, 400]);
    expect((await a.admin.get('/api/admin/taxes/oss/report')).status).toBe(400);
    expect((await report(a, '2019-Q1')).body).toMatchObject({ lines: [], corrections: [], totals: { payable: eur(0) } });
  });
});

describe('an edited order', () => {
  it('is counted as it stands, in its country', async () => {
    const order = await sell(a, 'DE');
    const before = await counted(a);
    const [line] = (await orderOf(a, order.id)).lines;
    const edit = await a.admin.patch<Json>(`/api/admin/orders/${order.id}/edit`, {
      operations: [{ op: 'change_quantity', itemId: line.id, quantity: 3 }],
    });
    expect([edit.status, edit.body.code]).toEqual([200, undefined]);
    const entries = await shop.rows<Json>(
      'select kind, country, base_amount::int as base from taxes_oss_entry where order_id = $1 order by created_at, kind desc',
      [order.id],
    );
    expect(entries.map((entry) => [entry.kind, entry.country, entry.base])).toEqual([
      ['sale', 'DE', 508_403],
      ['edit', 'DE', 1_016_807],
    ]);
    expect(await counted(a)).toBeGreaterThan(before);

    // Moved to another member state, and then home.
    const move = (country: string) =>
      a.admin.patch<Json>(`/api/admin/orders/${order.id}/address`, {
        shippingAddress: addressIn(country),
        billingAddress: addressIn(country),
      });
    const sums = async () =>
      (
        await shop.rows<Json>(
          'select country, sum(base_amount)::int as base, sum(tax_amount)::int as tax, sum(eur_amount)::int as eur from taxes_oss_entry where order_id = $1 group by country order by country',
          [order.id],
        )
      ).map((row) => [row.country, row.base, row.tax]);
    const toHungary = await move('HU');
    expect([toHungary.status, toHungary.body.code]).toEqual([200, undefined]);
    expect(await sums()).toEqual([
      ['DE', 0, 0],
      ['HU', 1_429_134, 385_866],
    ]);
    expect((await move('RO')).status).toBe(200);
    expect((await sums()).every(([, base, tax]) => base === 0 && tax === 0)).toBe(true);
    expect((await move('FR')).status).toBe(200);
    expect((await sums()).filter(([, base]) => base !== 0)).toEqual([['FR', 1_512_500, 302_500]]);
    const total = await threshold(a);
    expect(total.currentYearNet.amount + total.previousYearNet.amount).toBe(await counted(a));
  });
});

describe('opting in', () => {
  it('taxes at destination from the first sale, and binds for two calendar years once it was used', async () => {
    const fresh = await taxShop();
    let b = fresh.a;
    try {
      await stockUp(b);
      // National law says what the limit is in the shop's currency: no exchange rate is needed.
      await setTaxes(b, { ossOptIn: true, ossLimit: ron(4_633_700) });
      expect(await threshold(b)).toMatchObject({ optedIn: true, exceeded: false, limit: eur(1_000_000) });
      expect(rateOf(await sell(b, 'DE'))).toBe(190_000);
      expect((await threshold(b)).currentYearNet).toEqual(eur(109_719));
      await setTaxes(b, { ossOptIn: false });
      expect(await threshold(b)).toMatchObject({ optedIn: true });
      expect(rateOf(await sell(b, 'DE'))).toBe(190_000);
      fresh.clock.freeze('2027-12-31T20:00:00.000Z');
      b = await signedIn(b);
      expect(rateOf(await sell(b, 'DE'))).toBe(190_000);
      fresh.clock.freeze('2028-01-01T10:00:00.000Z');
      b = await signedIn(b);
      expect(await threshold(b)).toMatchObject({ optedIn: false, exceeded: false });
      expect(rateOf(await sell(b, 'DE'))).toBe(210_000);

      // A currency without any rate waits, and is counted when there is one.
      await setTaxes(b, { ossLimit: eur(1_000_000) });
      const waiting = await sell(b, 'FR');
      const before = (await threshold(b)).currentYearNet.amount;
      expect(
        await fresh.rows('select 1 from taxes_oss_entry where order_id = $1 and eur_amount is null', [waiting.id]),
      ).toHaveLength(1);
      await b.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.2', asOf: '2028-01-01T00:00:00Z' });
      await b.run('taxes', (ctx) => ctx.enqueue(job('daily'), {}));
      await fresh.settled();
      expect((await threshold(b)).currentYearNet).toEqual(eur(before + 100_000));
    } finally {
      await fresh.stop();
    }
  });
});
