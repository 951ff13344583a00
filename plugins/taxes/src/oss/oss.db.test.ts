import { pricing } from '@storeloom/commerce';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { counted, fifthOfEuro, paid, price, rateOf, sell, stockUp, thing, threshold } from '../../test/abroad.ts';
import { addressIn, buy, eur, type Json, makeCategory, makeRate, ron, signedIn, taxShop } from '../../test/tax-shop.ts';
import { commitSale } from './sale.ts';

let shop: TestShop;
let a: TestTenant;
beforeAll(async () => {
  shop = await taxShop({ processes: 2 });
  for (const tenant of [shop.a, shop.b]) {
    await stockUp(tenant);
    await fifthOfEuro(tenant);
  }
  a = shop.a;
});
afterAll(() => shop?.stop());

describe('the limit of the one-stop shop', () => {
  it('counts cross-border sales to consumers only, without tax, in EUR', async () => {
    expect(await threshold(a)).toEqual({
      limit: eur(1_000_000),
      currentYearNet: eur(0),
      previousYearNet: eur(0),
      remaining: eur(1_000_000),
      exceeded: false,
      exceededAt: null,
      optedIn: false,
    });
    await sell(a, 'RO');
    await sell(a, 'US');
    expect((await threshold(a)).currentYearNet).toEqual(eur(0));
    for (const country of ['DE', 'FR', 'HU']) expect(rateOf(await sell(a, country))).toBe(210_000);
    expect(await threshold(a)).toMatchObject({ currentYearNet: eur(300_000), remaining: eur(700_000), exceeded: false });
  });

  it('is not passed by the sale that reaches it; the one that crosses it is taxed at destination in full, and all later ones', async () => {
    expect(rateOf(await sell(a, 'DE', 7))).toBe(210_000);
    expect(await threshold(a)).toMatchObject({ currentYearNet: eur(1_000_000), remaining: eur(0), exceeded: false });
    const crossing = await sell(a, 'DE');
    expect(crossing.taxSummary).toEqual([{ ratePpm: 190_000, categoryCode: 'S', base: ron(508_403), tax: ron(96_597) }]);
    expect(await threshold(a)).toMatchObject({ exceeded: true, exceededAt: shop.clock.now(), currentYearNet: eur(1_101_681) });
    expect(rateOf(await sell(a, 'HU'))).toBe(270_000);
    await shop.settled();
    const events = await shop.rows<Json>(
      `select data from core_event where type = 'taxes.oss.threshold_passed' and tenant_id = $1`,
      [a.id],
    );
    expect(events.map((event) => event.data)).toEqual([
      { year: 2026, net: eur(1_101_681), exceededAt: shop.clock.now(), orderId: crossing.id },
    ]);
    expect(await counted(a)).toBe((await threshold(a)).currentYearNet.amount);
  });

  it('is not passed by orders that were cancelled, but stays passed by one that was refunded', async () => {
    const orders = await shop.rows<Json>(
      `select order_id as id, sum(eur_amount)::int as eur from taxes_oss_entry where tenant_id = $1 and treatment = 'destination' group by order_id order by eur desc`,
      [a.id],
    );
    const [crossing, later] = orders;
    const cancel = (id: string) => a.admin.post<Json>(`/api/admin/orders/${id}/status`, { status: 'cancelled', reason: 'test' });
    const before = (await threshold(a)).currentYearNet.amount;
    expect((await cancel(crossing.id)).status).toBe(200);
    // The later sale keeps the sum above the limit.
    expect(await threshold(a)).toMatchObject({ exceeded: true, currentYearNet: eur(before - crossing.eur) });
    expect((await cancel(crossing.id)).status).toBe(200);
    expect((await threshold(a)).currentYearNet).toEqual(eur(before - crossing.eur));
    expect((await cancel(later.id)).status).toBe(200);
    expect(await threshold(a)).toMatchObject({ exceeded: false, exceededAt: null, currentYearNet: eur(1_000_000) });

    const again = await sell(a, 'DE');
    expect(rateOf(again)).toBe(190_000);
    await paid(a, again.id);
    const refund = await a.admin.post<Json>(`/api/admin/orders/${again.id}/refund`, {
      amount: ron(price),
      reason: 'test',
      method: 'manual',
    });
    expect([refund.status, refund.body.code]).toEqual([200, undefined]);
    expect(await threshold(a)).toMatchObject({ exceeded: true, currentYearNet: eur(1_000_000) });
    // A refund that is cancelled before its transfer counts again.
    const kept = await sell(a, 'DE');
    await paid(a, kept.id);
    const { currentYearNet } = await threshold(a);
    const pending = await a.admin.post<Json>(`/api/admin/orders/${kept.id}/refund`, { amount: ron(price), reason: 'test' });
    expect(pending.body.refund.status).toBe('pending');
    expect((await threshold(a)).currentYearNet.amount).toBeLessThan(currentYearNet.amount);
    const cancelled = await a.admin.post(`/api/admin/payments/refunds/${pending.body.refund.id}/cancel`, { reason: 'test' });
    expect(cancelled.status).toBe(200);
    await shop.settled();
    expect((await threshold(a)).currentYearNet).toEqual(currentYearNet);
    const hungarian = await sell(a, 'HU');
    expect(rateOf(hungarian)).toBe(270_000);
    expect(await counted(a)).toBe((await threshold(a)).currentYearNet.amount);
  });
});

describe('parallel orders', () => {
  it('can not both stay below the limit', async () => {
    const tenant = shop.b;
    await sell(tenant, 'DE', 7);
    const attempt = (i: number) =>
      buy(tenant, [[thing(tenant), 1]], 'DE', price, { email: `b${i}@example.org` }, shop.bases[i % 2]);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => attempt(i)));
    for (const { status, body } of answers)
      expect([status, body.code]).toEqual(status === 201 ? [201, undefined] : [409, 'total_changed']);
    const origin = answers.filter(({ status, body }) => status === 201 && rateOf(body.order) === 210_000);
    expect(origin.length).toBeLessThanOrEqual(3);
    const refused = answers.filter(({ status }) => status === 409);
    // The totals that come with the refusal are those of the destination.
    for (const { body } of refused) expect(body.totals).toMatchObject({ total: ron(price), taxTotal: ron(96_597) });
    for (let i = 0; i < refused.length; i++) {
      const again = await attempt(100 + i);
      expect([again.status, rateOf(again.body.order)]).toEqual([201, 190_000]);
    }
    const [sum] = await shop.rows<Json>(
      `select sum(eur_amount) filter (where treatment = 'origin')::int as origin, count(distinct order_id)::int as orders from taxes_oss_entry where tenant_id = $1`,
      [tenant.id],
    );
    expect(sum.origin).toBeLessThanOrEqual(1_000_000);
    expect(sum.origin).toBe(700_000 + origin.length * 100_000);
    expect(sum.orders).toBe(13);
    expect(await counted(tenant)).toBe((await threshold(tenant)).currentYearNet.amount);
    const placed = await shop.rows<Json>(`select count(*)::int as n from orders_order where tenant_id = $1`, [tenant.id]);
    expect(placed[0].n).toBe(13);
  });

  it('are priced again when a rate changed between price and commit, with nothing written', async () => {
    const tenant = shop.b;
    const category = await makeCategory(tenant, 'changing');
    const rate = await makeRate(tenant, category.id, 100_000);
    const outcome = tenant.run('taxes', async (ctx) => {
      const service = ctx.require(pricing);
      const context = await service.context({ purpose: 'draft', shippingAddress: addressIn('RO') as never });
      const given = {
        id: 'a',
        kind: 'test.given',
        quantity: 1,
        title: 'a',
        listPrice: 1100,
        unitPrice: 1100,
        ships: true,
        weightG: 0,
        facts: {},
      };
      const priced = await service.price({ context, lines: [{ ...given, taxCategoryId: category.id }] });
      expect(priced.totals.taxTotal).toBe(100);
      expect((await tenant.admin.patch(`/api/admin/taxes/rates/${rate.id}`, { ratePpm: 200_000 })).status).toBe(200);
      await commitSale(ctx, { priced, orderId: '01900000-0000-7000-8000-000000000001' } as never);
    });
    await expect(outcome).rejects.toMatchObject({
      code: 'total_changed',
      extra: { totals: { total: ron(1100), taxTotal: ron(183) } },
    });
    expect(await shop.rows('select 1 from taxes_rate_use where rate_id = $1', [rate.id])).toEqual([]);
    expect((await tenant.admin.delete(`/api/admin/taxes/rates/${rate.id}`)).status).toBe(204);
  });
});

describe('the year after', () => {
  it('begins where the limit was passed already', async () => {
    const before = await counted(a);
    shop.clock.freeze('2027-01-04T10:00:00.000Z');
    a = await signedIn(a);
    expect(await threshold(a)).toMatchObject({ currentYearNet: eur(0), previousYearNet: eur(before), exceeded: true });
    expect(rateOf(await sell(a, 'DE'))).toBe(190_000);
  });
});
