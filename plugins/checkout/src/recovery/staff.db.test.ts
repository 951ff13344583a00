import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, ron, visitor } from '../../test/goods.ts';
import { hour, listPath, recoveryTools } from '../../test/recovery-tools.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const { shopper, rest, mailsTo, rowOf, cartStatus } = recoveryTools(() => till);

describe('recovery by staff', () => {
  it('starts the recovery of a cart once', async () => {
    const { cartId, email, customer, variantId } = await shopper();
    const answers = [
      await shop.a.admin.post<Json>(listPath, { cartId, templateId: 'last_call' }),
      await shop.a.admin.post<Json>(listPath, { cartId }),
    ];
    expect(answers.map((answer) => answer.status)).toEqual([201, 200]);
    expect((await mailsTo(email)).map((mail) => mail.template)).toEqual(['checkout.last_call']);
    expect(await cartStatus(cartId)).toBe('abandoned');
    const refused = async (id: string) => {
      const answer = await shop.a.admin.post<Json>(listPath, { cartId: id });
      return [answer.status, answer.body.why ?? answer.body.errors[0].pointer];
    };
    expect(await refused('01900000-0000-7000-8000-000000000001')).toEqual([404, '/cartId']);
    expect((await shop.b.admin.post(listPath, { cartId })).status).toBe(404);
    expect(await refused((await visitor(shop.a, [variantId, 1])).cart.id)).toEqual([409, 'no_contact']);
    expect(await refused((await shopper(false)).cartId)).toEqual([409, 'no_consent']);
    const lineId = (await customer.get<Json>(`${cartPath}/`)).body.lines[0].id;
    await customer.delete(`${cartPath}/items/${lineId}`);
    expect(await refused(cartId)).toEqual([409, 'empty']);
    await customer.post(`${cartPath}/items`, { variantId, quantity: 1 });
    await till.place(customer, 1000, { email });
    expect(await refused(cartId)).toEqual([409, 'converted']);
  });

  it('takes a cart over for a buyer on the phone, once for each token', async () => {
    const { cartId } = await shopper();
    await rest();
    await shop.a.admin.post(listPath, { cartId });
    const { recoveryToken: token } = await rowOf(cartId);
    const recover = (client = shop.a.admin) => client.post<Json>(`/api/admin/abandoned-carts/recover/${token}`);
    expect((await recover(shop.b.admin)).status).toBe(404);
    const clerk = await shop.a.staff(['checkout.abandoned-cart.read']);
    expect((await recover(clerk)).status).toBe(403);
    expect((await clerk.get<Json>(`${listPath}?cartId=${cartId}`)).body.data[0]).toMatchObject({
      recoveryToken: null,
      masked: ['recoveryToken'],
    });
    const answers = await Promise.all([recover(), recover(), recover()]);
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 410, 410]);
    const taken = answers.find((answer) => answer.status === 200)!.body;
    expect(taken.cart).toMatchObject({ id: cartId, status: 'open', totals: { total: ron(2000) } });
    const { body: seen } = await shop.a.guest.with({ 'x-cart-token': taken.cartToken }).get<Json>(`${cartPath}/`);
    expect(seen.id).toBe(cartId);
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${taken.url.split('/').at(-1)}`)).status).toBe(200);
    const placed = await till.place(shop.a.guest.with({ 'x-cart-token': taken.cartToken }), 2000);
    expect(placed.status).toBe(201);
    const next = await shop.rows<Json>(
      'select 1 from checkout_link where ended_at is null and target_id = (select id from checkout_abandoned_cart where cart_id = $1)',
      [cartId],
    );
    expect(next.length).toBeLessThanOrEqual(1);
    const reused = await shop.a.admin.post<Json>(`/api/admin/abandoned-carts/recover/${taken.url.split('/').at(-1)}`);
    expect(reused.body).toMatchObject({ status: 409, code: 'cart_converted' });
    expect((await shop.a.admin.post('/api/admin/abandoned-carts/recover/unknown')).status).toBe(404);
  });
});

describe('statistics', () => {
  it('match the list', async () => {
    const stats = await shop.a.admin.get<Json>('/api/admin/dashboard/abandoned-cart-stats');
    const { metrics, series } = stats.body;
    const rows = await shop.rows<Json>(
      'select count(*)::int as n, count(recovered_at)::int as r, sum(base_value_amount)::int as v from checkout_abandoned_cart where tenant_id = $1 and abandoned_at >= $2',
      [shop.a.id, new Date(shop.clock.ms() - 29 * 24 * hour).toISOString().slice(0, 10)],
    );
    expect(metrics.abandoned).toBe(rows[0].n);
    expect(Object.keys(metrics).sort()).toEqual([
      'abandoned',
      'abandonedValue',
      'recovered',
      'recoveredValue',
      'recoveryPct',
      'reminded',
      'unsubscribed',
    ]);
    expect(series.days.length).toBe(30);
    expect(series.days.reduce((sum: number, day: Json) => sum + day.abandoned, 0)).toBe(metrics.abandoned);
    const none = await shop.b.admin.get<Json>('/api/admin/dashboard/abandoned-cart-stats');
    expect(none.body.metrics).toMatchObject({ abandoned: 0, abandonedValue: ron(0), recoveryPct: null });
  });
});
