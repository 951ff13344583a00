import { drafts } from '@storeloom/commerce';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Json, product, ron } from '../../test/goods.ts';
import { checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const adminPath = '/api/admin/draft-orders';
const make = async (body: Record<string, unknown>) => {
  const made = await shop.a.admin.post<Json>(`${adminPath}/`, { currency: 'RON', ...body });
  if (made.status !== 201) throw new Error(made.text);
  return made.body;
};
const linkOf = async (id: string) => (await shop.a.admin.post<Json>(`${adminPath}/${id}/generate-link`)).body;
const row = async (id: string) => (await shop.rows<Json>('select * from checkout_draft_order where id = $1', [id]))[0];

describe('draft orders', () => {
  it('can be created, updated, listed and deleted', async () => {
    const { variantId } = await product(shop.a, 1000);
    const made = await make({ email: 'Buyer@Example.org', lines: [{ variantId, quantity: 2 }], note: 'By phone' });
    expect(made).toMatchObject({
      email: 'buyer@example.org',
      status: 'open',
      source: 'manual',
      totals: { total: ron(2000) },
      orderId: null,
      link: null,
    });
    expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBeGreaterThan(6.9 * 86_400_000);
    const lines = [
      { variantId, quantity: 1, unitPrice: ron(700) },
      { title: 'Fitting', quantity: 1, unitPrice: ron(300), discount: { percentBp: 1000 } },
    ];
    const shipping = { name: 'Courier', price: ron(150) };
    const changed = await shop.a.admin.patch<Json>(`${adminPath}/${made.id}`, {
      lines,
      shipping,
      discount: { amount: ron(100) },
    });
    expect(changed.body.totals).toMatchObject({
      itemsSubtotal: ron(1000),
      itemsDiscount: ron(130),
      shipping: ron(150),
      total: ron(1020),
    });
    expect((await shop.a.admin.get<Json>(`${adminPath}/${made.id}`)).body).toEqual(changed.body);
    const list = await shop.a.admin.get<Json>(`${adminPath}/?email=buyer@example.org&status=open`);
    expect(list.body.data.map((each: Json) => each.id)).toEqual([made.id]);
    expect((await shop.a.admin.delete(`${adminPath}/${made.id}`)).status).toBe(204);
    expect((await shop.a.admin.get(`${adminPath}/${made.id}`)).status).toBe(404);
    expect((await row(made.id)).status).toBe('deleted');
  });

  it('require valid lines in the currency of the draft and references of the same shop', async () => {
    const { variantId } = await product(shop.a, 1000);
    const foreign = await product(shop.b, 1000);
    const refused = async (body: Record<string, unknown>) => {
      const answer = await shop.a.admin.post<Json>(`${adminPath}/`, {
        currency: 'RON',
        lines: [{ variantId, quantity: 1 }],
        ...body,
      });
      return [answer.status, answer.body.code, answer.body.errors[0].pointer];
    };
    expect(await refused({ lines: [{ quantity: 1 }] })).toEqual([422, 'validation_failed', '/lines/0']);
    expect(await refused({ lines: [{ variantId, title: 'Both', quantity: 1 }] })).toEqual([422, 'validation_failed', '/lines/0']);
    expect(await refused({ lines: [{ title: 'No price', quantity: 1 }] })).toEqual([
      422,
      'validation_failed',
      '/lines/0/unitPrice',
    ]);
    expect(await refused({ lines: [{ variantId: foreign.variantId, quantity: 1 }] })).toEqual([
      404,
      'not_found',
      '/lines/0/variantId',
    ]);
    expect(await refused({ discount: { amount: { amount: 5, currency: 'EUR' } } })).toEqual([
      422,
      'currency_mismatch',
      '/discount/amount/currency',
    ]);
    expect(await refused({ discount: { amount: ron(5), percentBp: 5 } })).toEqual([422, 'validation_failed', '/discount']);
    expect(await refused({ shipping: { name: 'Courier' } })).toEqual([422, 'validation_failed', '/shipping']);
    expect(await refused({ currency: 'EUR' })).toEqual([422, 'validation_failed', '/currency']);
    expect(await refused({ expiresAt: '2020-01-01T00:00:00Z' })).toEqual([422, 'validation_failed', '/expiresAt']);
    expect(await refused({ status: 'completed' })).toEqual([422, 'unknown_field', '/status']);
  });

  it('require a separate permission for custom prices and discounts', async () => {
    const { variantId } = await product(shop.a, 1000);
    const clerk = await shop.a.staff(['checkout.draft-order.create', 'checkout.draft-order.update', 'checkout.draft-order.read']);
    const plain = await clerk.post<Json>(`${adminPath}/`, { currency: 'RON', lines: [{ variantId, quantity: 1 }] });
    expect(plain.status).toBe(201);
    for (const body of [
      { lines: [{ variantId, quantity: 1, unitPrice: ron(1) }] },
      { lines: [{ variantId, quantity: 1, discount: { percentBp: 5000 } }] },
      { discount: { percentBp: 100 } },
      { shipping: { name: 'Free', price: ron(0) } },
    ])
      expect((await clerk.patch<Json>(`${adminPath}/${plain.body.id}`, body)).body).toMatchObject({
        status: 403,
        code: 'forbidden',
        permission: 'checkout.draft-order.discount',
      });
    expect((await row(plain.body.id)).version).toBe(1);
  });

  it('are isolated by tenant', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { id } = await make({ lines: [{ variantId, quantity: 1 }] });
    const { token } = await linkOf(id);
    expect((await shop.b.admin.get(`${adminPath}/${id}`)).status).toBe(404);
    expect((await shop.b.admin.patch(`${adminPath}/${id}`, { note: 'x' })).status).toBe(404);
    expect((await shop.b.admin.delete(`${adminPath}/${id}`)).status).toBe(404);
    expect((await shop.b.admin.post(`${adminPath}/${id}/generate-link`)).status).toBe(404);
    expect((await shop.b.guest.get(`${checkoutPath}/draft/${token}`)).status).toBe(404);
    expect((await till.place(shop.b.guest, 1000, { draftToken: token })).status).toBe(404);
  });
});

describe('the link of a draft', () => {
  it('shows the draft and places it once at the agreed price', async () => {
    const { variantId, productId } = await product(shop.a, 1000);
    const { id } = await make({ email: 'buyer@example.org', lines: [{ variantId, quantity: 2, unitPrice: ron(800) }] });
    const link = await linkOf(id);
    expect(link.url).toBe(`http://a.localhost/checkout/draft/${link.token}`);
    const seen = await shop.a.guest.get<Json>(`${checkoutPath}/draft/${link.token}`);
    expect(seen.body).toMatchObject({
      kind: 'draft',
      draftToken: link.token,
      cartToken: null,
      totals: { total: ron(1600) },
      customer: { email: 'b•••@example.org' },
    });
    expect((await shop.a.admin.get<Json>(`${adminPath}/${id}`)).body).toMatchObject({
      status: 'link_sent',
      link: { url: link.url },
    });
    await shop.a.admin.patch(`/api/admin/products/${productId}`, { variants: [{ id: variantId, price: ron(5000) }] });
    expect((await till.place(shop.a.guest, 1500, { draftToken: link.token })).body).toMatchObject({ code: 'total_changed' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => till.place(shop.a.guest, 1600, { draftToken: link.token })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(7).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.order.id)).size).toBe(1);
    const [order] = await shop.rows<Json>('select id, channel, cart_id from orders_order where draft_id = $1', [id]);
    expect(order).toMatchObject({ channel: 'draft', cart_id: null });
    expect((await shop.a.admin.get<Json>(`${adminPath}/${id}`)).body).toMatchObject({
      status: 'completed',
      orderId: order.id,
      link: null,
    });
    expect((await shop.a.guest.get<Json>(`${checkoutPath}/draft/${link.token}`)).body).toMatchObject({
      status: 410,
      code: 'expired',
    });
    for (const answer of [
      await shop.a.admin.patch<Json>(`${adminPath}/${id}`, { note: 'late' }),
      await shop.a.admin.delete<Json>(`${adminPath}/${id}`),
      await shop.a.admin.post<Json>(`${adminPath}/${id}/generate-link`),
    ])
      expect(answer.body).toMatchObject({ status: 409, code: 'invalid_transition', from: 'completed' });
    const events = await shop.rows<Json>(
      `select type, data from core_event where aggregate = $1 and type like 'checkout.draft.%' order by sequence`,
      [id],
    );
    expect(events).toEqual([
      { type: 'checkout.draft.link_sent', data: { draftId: id } },
      { type: 'checkout.draft.completed', data: { draftId: id, orderId: order.id } },
    ]);
  });

  it('ends with a newer link or at its expiry, and requires a line', async () => {
    const { variantId } = await product(shop.a, 1000);
    expect((await shop.a.admin.post<Json>(`${adminPath}/${(await make({ lines: [] })).id}/generate-link`)).body).toMatchObject({
      status: 409,
      code: 'cart_empty',
    });
    const expiresAt = new Date(shop.clock.ms() + 3_600_000).toISOString();
    const { id } = await make({ lines: [{ variantId, quantity: 1 }], expiresAt });
    const [old, present] = [await linkOf(id), await linkOf(id)];
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${old.token}`)).status).toBe(410);
    expect((await till.place(shop.a.guest, 1000, { draftToken: old.token })).status).toBe(410);
    expect((await shop.a.guest.get(`${checkoutPath}/draft/unknown-token`)).status).toBe(404);
    expect((await till.place(shop.a.guest, 1000, { draftToken: 'unknown-token' })).status).toBe(404);
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${present.token}`)).status).toBe(200);
    shop.clock.advance(3_700_000);
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${present.token}`)).status).toBe(410);
    expect((await till.place(shop.a.guest, 1000, { draftToken: present.token })).body).toMatchObject({
      status: 410,
      code: 'expired',
    });
    await till.job('expire');
    expect((await row(id)).status).toBe('expired');
    expect((await shop.a.admin.patch<Json>(`${adminPath}/${id}`, { note: 'x' })).body).toMatchObject({
      status: 409,
      from: 'expired',
    });
  });

  it('reopens when the payment times out, and completes when it is paid', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { id } = await make({ lines: [{ variantId, quantity: 1 }] });
    const { token } = await linkOf(id);
    const first = await till.place(shop.a.guest, 1000, { draftToken: token, paymentMethod: 'card' });
    expect(first.status).toBe(201);
    expect(await row(id)).toMatchObject({ status: 'link_sent', order_id: first.body.order.id });
    shop.clock.advance(16 * 60_000);
    await till.job('paymentWindow');
    expect(await row(id)).toMatchObject({ status: 'link_sent', order_id: null });
    const second = await till.place(shop.a.guest, 1000, { draftToken: token, paymentMethod: 'card' });
    expect(second.status).toBe(201);
    expect(second.body.order.id).not.toBe(first.body.order.id);
    const ref = await till.refOf(second.body.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    expect(await row(id)).toMatchObject({ status: 'completed', order_id: second.body.order.id });
    expect((await till.place(shop.a.guest, 1000, { draftToken: token })).status).toBe(200);
  });

  it('loses its unpaid order when staff change the draft', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { id } = await make({ lines: [{ variantId, quantity: 1 }] });
    const { token } = await linkOf(id);
    const placed = await till.place(shop.a.guest, 1000, { draftToken: token, paymentMethod: 'card' });
    const changed = await shop.a.admin.patch<Json>(`${adminPath}/${id}`, { lines: [{ variantId, quantity: 2 }] });
    expect(changed.body).toMatchObject({ status: 'link_sent', orderId: null, totals: { total: ron(2000) } });
    const [order] = await shop.rows<Json>('select status from orders_order where id = $1', [placed.body.order.id]);
    expect(order.status).toBe('cancelled');
  });
});

describe('drafts of other plugins', () => {
  it('have a link and can be cancelled', async () => {
    const { variantId } = await product(shop.a, 1000);
    const made = await shop.a.run('checkout', (ctx) =>
      ctx.require(drafts).create({
        email: 'firm@example.org',
        currency: 'RON',
        source: 'rfq',
        lines: [{ variantId, quantity: 10, unitPrice: ron(900) }],
      }),
    );
    expect((await shop.a.guest.get<Json>(`${checkoutPath}/draft/${made.token}`)).body.totals.total).toEqual(ron(9000));
    await shop.a.run('checkout', (ctx) => ctx.require(drafts).cancel(made.id));
    await shop.a.run('checkout', (ctx) => ctx.require(drafts).cancel(made.id));
    expect((await shop.a.guest.get(`${checkoutPath}/draft/${made.token}`)).status).toBe(410);
    const foreign = await product(shop.b, 1000);
    const wrong = shop.a.run('checkout', (ctx) =>
      ctx.require(drafts).create({ currency: 'RON', source: 'rfq', lines: [{ variantId: foreign.variantId, quantity: 1 }] }),
    );
    await expect(wrong).rejects.toMatchObject({ code: 'not_found' });
  });
});
