import { orders } from '@storeloom/commerce';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addressIn,
  buy,
  FakeVies,
  type Json,
  makeProduct,
  orderOf,
  romanianRates,
  ron,
  setTaxes,
  taxShop,
} from '../../test/tax-shop.ts';

let shop: TestShop;
let register: FakeVies;
const goods = new Map<string, string>();

beforeAll(async () => {
  register = await new FakeVies().start();
  shop = await taxShop({ processes: 2 });
  await shop.b.admin.put('/api/admin/settings/store', { priceMode: 'net' });
  for (const tenant of [shop.a, shop.b]) {
    const { standard } = await romanianRates(tenant);
    await setTaxes(tenant, { viesUrl: register.url });
    const store = { vatId: 'RO 14399840', address: { line1: 'S', city: 'C', postalCode: '400001', country: 'RO' } };
    expect((await tenant.admin.put('/api/admin/settings/store', store)).status).toBe(200);
    expect((await tenant.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: '0.2' })).status).toBe(201);
    goods.set(tenant.id, await makeProduct(tenant, tenant === shop.a ? 12_100 : 10_000, { taxCategoryId: standard }));
  }
});
afterAll(async () => {
  await shop?.stop();
  await register?.stop();
});

const isDown = (): void => {
  register.answer = (_, res) => register.say(res, '', 500);
};
const says = (valid: boolean): void => {
  register.answer = (_, res) =>
    register.say(res, { valid, userError: valid ? 'VALID' : 'INVALID', requestIdentifier: 'WAPI1', name: 'Firma' });
};
beforeEach(isDown);

/** Places a taxed order of a German company while the register is down. */
async function taxed(tenant: TestTenant, vatId: string, quantity = 1): Promise<Json> {
  const variant = goods.get(tenant.id) as string;
  const placed = await buy(tenant, [[variant, quantity]], 'DE', 12_100 * quantity, {
    billingAddress: addressIn('DE', { company: 'Firma GmbH', vatId }),
    shippingAddress: addressIn('DE'),
  });
  expect([placed.status, placed.body.code, placed.body.warnings?.[0]?.code]).toEqual([201, undefined, 'vat_check_unavailable']);
  return orderOf(tenant, placed.body.order.id);
}
async function pay(tenant: TestTenant, order: Json): Promise<void> {
  const paid = await tenant.admin.post<Json>(`/api/admin/payments/${order.payments[0].id}/mark-paid`, {});
  expect([paid.status, paid.body.code]).toEqual([200, undefined]);
  await shop.settled();
}
/** Runs the next check of every unproven number. */
const nextChecks = (): Promise<void> => shop.settled(2 * 24 * 3600);
const counted = async (orderId: string): Promise<number[]> => {
  const [row] = await shop.rows<Json>(
    `select coalesce(sum(eur_amount), 0)::int as eur, coalesce(sum(tax_amount), 0)::int as tax from taxes_oss_entry where order_id = $1`,
    [orderId],
  );
  return [row.eur, row.tax];
};
const threshold = async (tenant: TestTenant): Promise<number> =>
  (await tenant.admin.get<Json>('/api/admin/taxes/oss/threshold')).body.currentYearNet.amount;
const documents = async (tenant: TestTenant, orderId: string): Promise<[string, number, number, number][]> => {
  const { invoices } = await orderOf(tenant, orderId);
  return Promise.all(
    invoices.map(async ({ id }: Json) => {
      const found = (await tenant.admin.get<Json>(`/api/admin/invoices/?id=${id}`)).body.data[0];
      const rate = found.taxSummary[0];
      return [found.kind, rate.ratePpm, found.totals.total.amount, found.totals.tax.amount];
    }),
  );
};

describe('a VAT number that the register confirms after the order was placed', () => {
  it('removes the tax of an invoiced order by a credit note and a new invoice, and leaves the one-stop shop', async () => {
    const before = await threshold(shop.a);
    const order = await taxed(shop.a, 'DE 129273398');
    await pay(shop.a, order);
    expect(await counted(order.id)).toEqual([2000, 2100]);
    expect(await orderOf(shop.a, order.id)).toMatchObject({
      taxReason: 'vat_check_unavailable',
      vat: { number: 'DE129273398', status: 'unavailable', checkedAt: null },
    });
    says(true);
    await nextChecks();
    const after = await orderOf(shop.a, order.id);
    expect(after).toMatchObject({
      taxTreatment: 'reverse_charge',
      vat: { number: 'DE129273398', status: 'valid', consultationNumber: 'WAPI1' },
      taxSummary: [{ ratePpm: 0, categoryCode: 'K', tax: ron(0) }],
      // A gross price is the same for a business, by the policy `constant_gross`.
      totals: { total: ron(12_100), amountDue: ron(0) },
      paymentStatus: 'paid',
    });
    expect(await documents(shop.a, order.id)).toEqual([
      ['invoice', 210_000, 12_100, 2100],
      ['credit_note', 210_000, 12_100, 2100],
      ['invoice', 0, 12_100, 0],
    ]);
    expect([await counted(order.id), await threshold(shop.a)]).toEqual([[0, 0], before]);
  });

  it('gives back the tax of a paid order, and lowers what an unpaid one owes, in a shop with net prices', async () => {
    const paid = await taxed(shop.b, 'DE 129273398');
    await pay(shop.b, paid);
    const unpaid = await taxed(shop.b, 'DE 129273398');
    says(true);
    await nextChecks();
    const refunded = await orderOf(shop.b, paid.id);
    expect(refunded).toMatchObject({ totals: { total: ron(10_000), amountDue: ron(0) }, refunded: ron(2100) });
    expect(refunded.refunds).toMatchObject([{ amount: ron(2100), status: 'pending' }]);
    expect(await documents(shop.b, paid.id)).toEqual([
      ['invoice', 210_000, 12_100, 2100],
      ['credit_note', 210_000, 12_100, 2100],
      ['invoice', 0, 10_000, 0],
    ]);
    const owing = await orderOf(shop.b, unpaid.id);
    expect([owing.totals.amountDue, owing.invoices]).toEqual([ron(10_000), []]);
    expect(owing.payments).toMatchObject([{ status: 'created', amount: ron(10_000) }]);
  });

  it('corrects an order once when checks race in two processes', async () => {
    const order = await taxed(shop.b, 'DE 136695976');
    await pay(shop.b, order);
    const proof = { number: 'DE136695976', checkedAt: shop.clock.now(), consultationNumber: 'WAPI1' };
    const done = await Promise.all(
      Array.from({ length: 12 }, () => shop.b.run('taxes', (ctx) => ctx.require(orders).confirmVat(order.id, proof))),
    );
    expect(done.filter(Boolean)).toHaveLength(1);
    expect((await documents(shop.b, order.id)).map(([kind]) => kind)).toEqual(['invoice', 'credit_note', 'invoice']);
    expect(await orderOf(shop.b, order.id)).toMatchObject({ refunded: ron(2100), revision: order.revision + 1 });
    expect(await counted(order.id)).toEqual([0, 0]);
  });

  it('doesn’t correct for a number that is denied, unanswered, another, or of a cancelled order', async () => {
    const denied = await taxed(shop.a, 'DE 266182271');
    says(false);
    await nextChecks();
    const waiting = `select (data -> 'data' ->> 'attempt')::int as attempt from jobs.job
      where state = 'created' and data ->> 'name' = 'proveVat' and data -> 'data' ->> 'orderId' = $1`;
    expect(await shop.rows(waiting, [denied.id])).toEqual([]);
    isDown();
    const silent = await taxed(shop.a, 'DE 143593603');
    await shop.settled(90);
    await shop.settled(400);
    expect(await shop.rows(waiting, [silent.id])).toEqual([{ attempt: 2 }]);
    const proof = { number: 'DE129273398', checkedAt: shop.clock.now(), consultationNumber: null };
    const confirm = (id: string, number: string) =>
      shop.a.run('taxes', (ctx) => ctx.require(orders).confirmVat(id, { ...proof, number }));
    expect(await confirm(silent.id, 'DE129273398')).toBe(false);
    const cancelled = await taxed(shop.a, 'DE 811569869');
    const cancel = { status: 'cancelled', reason: 'changed my mind' };
    expect((await shop.a.admin.post(`/api/admin/orders/${cancelled.id}/status`, cancel)).status).toBe(200);
    expect(await confirm(cancelled.id, 'DE811569869')).toBe(false);
    for (const { id } of [denied, silent, cancelled]) {
      const { taxSummary, revision } = await orderOf(shop.a, id);
      expect([taxSummary[0].ratePpm, revision]).toEqual([210_000, 1]);
    }
    // Another tenant has no such order.
    await expect(
      shop.b.run('taxes', (ctx) => ctx.require(orders).confirmVat(silent.id, { ...proof, number: 'DE143593603' })),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('corrects a shipped order, and releases one that was put on hold for the check', async () => {
    const shipped = await taxed(shop.a, 'DE 115235681');
    expect((await shop.a.admin.post(`/api/admin/orders/${shipped.id}/ship`, {})).status).toBe(200);
    await setTaxes(shop.a, { taxWhenVatCheckUnavailable: 'hold' });
    const held = await taxed(shop.a, 'DE 115235681');
    await setTaxes(shop.a, { taxWhenVatCheckUnavailable: 'charge' });
    expect(held).toMatchObject({ status: 'on_hold', holdReason: 'tax_check' });
    says(true);
    await nextChecks();
    expect(await orderOf(shop.a, shipped.id)).toMatchObject({ status: 'shipped', taxTreatment: 'reverse_charge' });
    expect(await orderOf(shop.a, held.id)).toMatchObject({
      status: 'confirmed',
      taxTreatment: 'reverse_charge',
      holdReason: null,
    });
  });

  it('invoices a partly refunded order without its refunded units', async () => {
    for (const tenant of [shop.a, shop.b]) {
      isDown();
      const vatId = tenant === shop.a ? 'DE 811907980' : 'DE 813495425';
      const order = await taxed(tenant, vatId, 2);
      await pay(tenant, order);
      const lines = [{ lineId: order.lines[0].id, quantity: 1 }];
      const refund = await tenant.admin.post<Json>(`/api/admin/orders/${order.id}/refund`, {
        lines,
        reason: 'broken',
        method: 'manual',
      });
      expect([refund.status, refund.body.code]).toEqual([200, undefined]);
      expect(refund.body.refund.status).toBe('succeeded');
      await shop.settled();
      says(true);
      await nextChecks();
      const rows = await documents(tenant, order.id);
      const open = rows.reduce((sum, [kind, , total]) => sum + (kind === 'invoice' ? total : -total), 0);
      const tax = rows.reduce((sum, [kind, , , amount]) => sum + (kind === 'invoice' ? amount : -amount), 0);
      expect([open, tax]).toEqual([tenant === shop.a ? 12_100 : 10_000, 0]);
      expect(await counted(order.id)).toEqual([0, 0]);
    }
  });
});

describe('a VAT number entered by a change of address', () => {
  const change = async (order: Json, vatId: string): Promise<Json> => {
    const billingAddress = addressIn('DE', { company: 'Firma GmbH', vatId });
    const { status, body } = await shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/address`, { billingAddress });
    expect([status, body.code]).toEqual([200, undefined]);
    return body;
  };
  const consumer = async (): Promise<Json> => {
    const placed = await buy(shop.a, [[goods.get(shop.a.id) as string, 1]], 'DE', 12_100);
    return orderOf(shop.a, placed.body.order.id);
  };

  it('warns that it isn’t confirmed yet, and corrects the order when it is', async () => {
    const order = await consumer();
    await pay(shop.a, order);
    const changed = await change(order, 'DE 118856456');
    expect(changed.warnings).toMatchObject([{ code: 'vat_check_unavailable', pointer: '/billingAddress/vatId' }]);
    expect(changed.order).toMatchObject({
      taxReason: 'vat_check_unavailable',
      vat: { number: 'DE118856456', status: 'unavailable' },
    });
    expect(await counted(order.id)).toEqual([2000, 2100]);
    says(true);
    await nextChecks();
    expect(await orderOf(shop.a, order.id)).toMatchObject({ taxTreatment: 'reverse_charge', vat: { status: 'valid' } });
    expect((await documents(shop.a, order.id)).map(([kind, rate]) => [kind, rate])).toEqual([
      ['invoice', 210_000],
      ['credit_note', 210_000],
      ['invoice', 0],
    ]);
    expect(await counted(order.id)).toEqual([0, 0]);
    // Back to a consumer: taxed and counted again.
    const back = await shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/address`, { billingAddress: addressIn('DE') });
    expect(back.body.order).toMatchObject({ taxTreatment: 'origin', vat: null, taxSummary: [{ ratePpm: 210_000 }] });
    expect(await counted(order.id)).toEqual([2000, 2100]);
  });

  it('takes the tax and the count away immediately if the number is confirmed already', async () => {
    const order = await consumer();
    says(true);
    await shop.a.guest.get('/api/storefront/vat/validate?vat=DE118856456');
    const changed = await change(order, 'DE 118856456');
    expect([changed.warnings, changed.order.taxTreatment]).toEqual([[], 'reverse_charge']);
    expect(await counted(order.id)).toEqual([0, 0]);
  });

  it('warns of an invalid number', async () => {
    const order = await consumer();
    const changed = await change(order, 'DE 118856457');
    expect(changed.warnings).toMatchObject([{ code: 'vat_number_invalid', pointer: '/billingAddress/vatId' }]);
    expect(changed.order.taxSummary).toMatchObject([{ ratePpm: 210_000 }]);
  });
});
