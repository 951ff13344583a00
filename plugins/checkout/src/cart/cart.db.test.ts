import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../../test/goods.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog', 'currencies', 'payments', 'orders', 'checkout'] });
});
afterAll(() => shop?.stop());

const items = `${cartPath}/items`;
const uuid = '01900000-0000-7000-8000-000000000001';

describe('a visitor’s cart', () => {
  it('is empty at first and created by the first item', async () => {
    const { variantId } = await product(shop.a, 1000);
    const empty = await shop.a.guest.get<Json>(`${cartPath}/`);
    expect(empty.body).toMatchObject({ id: null, cartToken: null, lines: [], totals: { total: ron(0) } });
    const added = await shop.a.guest.post<Json>(items, { variantId, quantity: 2 });
    expect(added.status).toBe(201);
    expect(added.headers['set-cookie']).toMatch(new RegExp(`^cart=${added.body.cartToken}; Path=/; HttpOnly; SameSite=Lax`));
    expect(added.body).toMatchObject({ status: 'open', currency: 'RON', totals: { itemsSubtotal: ron(2000), total: ron(2000) } });
    expect(added.body.lines[0]).toMatchObject({ kind: 'product', variantId, quantity: 2, unitPrice: ron(1000), available: true });
    const again = await shop.a.guest.with({ 'x-cart-token': added.body.cartToken }).get<Json>(`${cartPath}/`);
    expect(again.body).toEqual(added.body);
    expect(again.headers.etag).toBe('"1"');
    const [row] = await shop.rows<Json>('select token_hash, token_sealed from checkout_cart where id = $1', [added.body.id]);
    expect(JSON.stringify(row)).not.toContain(added.body.cartToken);
  });

  it('lists payment methods by its total and country', async () => {
    const { variantId } = await product(shop.b, 1000);
    const method = (code: string, more: Json) =>
      shop.b.admin.post('/api/admin/payment-methods/', {
        code,
        name: { ro: `Plată ${code}`, en: `Pay ${code}` },
        provider: 'manual',
        enabled: true,
        ...more,
      });
    const made = [
      await method('counter', {
        position: 1,
        fee: { fixed: ron(150), percentBp: null },
        instructions: { ro: 'La casă', en: 'At the till' },
      }),
      await method('large', { position: 2, minTotal: ron(5000) }),
      await method('abroad', { position: 3, countries: ['DE'] }),
      await method('hidden', { position: 4, enabled: false }),
    ];
    expect(made.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
    const { client, cart } = await visitor(shop.b, [variantId, 1]);
    const codes = (body: Json) => body.paymentMethods.map((each: Json) => each.code);
    expect(codes(cart)).toEqual(['counter', 'abroad']);
    const english = await client.with({ 'accept-language': 'en' }).get<Json>(`${cartPath}/`);
    expect(english.body.paymentMethods[0]).toEqual({
      code: 'counter',
      name: 'Pay counter',
      provider: 'manual',
      online: false,
      instructions: 'At the till',
      fee: { fixed: ron(150), percentBp: null },
      clientKey: null,
    });
    const five = await client.patch<Json>(`${items}/${cart.lines[0].id}`, { quantity: 5 });
    expect(codes(five.body)).toEqual(['counter', 'large', 'abroad']);
    await client.post('/api/storefront/checkout/shipping-quotes', { address: { country: 'RO' } });
    expect(codes((await client.get<Json>(`${cartPath}/`)).body)).toEqual(['counter', 'large']);
    expect((await shop.b.guest.get<Json>(`${cartPath}/`)).body.paymentMethods).toEqual([]);
  });

  it('merges equal lines and keeps different lines apart', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client } = await visitor(shop.a, [variantId, 2]);
    const equal = await client.post<Json>(items, { variantId, quantity: 3 });
    expect([equal.status, equal.body.lines.length, equal.body.lines[0].quantity]).toEqual([200, 1, 5]);
    const other = await client.post<Json>(items, { variantId, quantity: 1, custom: { engraving: 'A & B' } });
    expect([other.status, other.body.lines.length, other.body.lines[1].custom]).toEqual([201, 2, { engraving: 'A & B' }]);
    const same = await client.post<Json>(items, { variantId, quantity: 1, custom: { engraving: 'A & B' } });
    expect([same.status, same.body.lines[1].quantity, same.body.totals.total]).toEqual([200, 2, ron(7000)]);
  });

  it('updates and removes lines', async () => {
    const [a, b] = [await product(shop.a, 1000), await product(shop.a, 500)];
    const { client, cart } = await visitor(shop.a, [a.variantId, 2], [b.variantId, 1]);
    const [first, second] = cart.lines;
    const changed = await client.patch<Json>(`${items}/${first.id}`, { quantity: 5 });
    expect([changed.status, changed.body.totals.total]).toEqual([200, ron(5500)]);
    const gone = await client.patch<Json>(`${items}/${first.id}`, { quantity: 0 });
    expect(gone.body.lines.map((line: Json) => line.id)).toEqual([second.id]);
    expect((await client.delete(`${items}/${second.id}`)).status).toBe(204);
    expect((await client.delete(`${items}/${second.id}`)).status).toBe(404);
    expect((await client.get<Json>(`${cartPath}/`)).body).toMatchObject({ id: cart.id, lines: [], totals: { total: ron(0) } });
  });

  it('rejects invalid quantities and prices in the body', async () => {
    const { variantId } = await product(shop.a, 1000, {}, { minPerOrder: 2, maxPerOrder: 6, step: 2 });
    const add = (body: object) => shop.a.guest.post<Json>(items, { variantId, ...body });
    for (const quantity of [-1, 0, 1.5, '2', 10 ** 9, 1, 3, 8]) {
      const answer = await add({ quantity });
      expect([quantity, answer.status, answer.body.errors[0].pointer]).toEqual([quantity, 422, '/quantity']);
    }
    expect((await add({ quantity: 2, unitPrice: ron(1) })).body).toMatchObject({ status: 422, code: 'unknown_field' });
    expect((await add({})).status).toBe(422);
    const { client, cart } = await visitor(shop.a, [variantId, 4]);
    // The rule counts all lines of the variant together.
    expect((await client.post(items, { variantId, quantity: 4, custom: { n: 1 } })).status).toBe(422);
    expect((await client.patch(`${items}/${cart.lines[0].id}`, { quantity: 8 })).status).toBe(422);
    expect((await client.get<Json>(`${cartPath}/`)).body).toEqual(cart);
  });

  it('accepts only items of the same shop', async () => {
    const [foreign, draft] = [await product(shop.b, 1000), await product(shop.a, 1000, { status: 'draft' })];
    for (const variantId of [foreign.variantId, draft.variantId, uuid]) {
      const answer = await shop.a.guest.post<Json>(items, { variantId, quantity: 1 });
      expect([answer.status, answer.body.errors[0].pointer]).toEqual([404, '/variantId']);
    }
    expect((await shop.a.guest.post<Json>(items, { kind: 'hotel.stay', data: {}, quantity: 1 })).body).toMatchObject({
      status: 404,
    });
    expect((await shop.a.guest.post(items, { variantId: 'x', quantity: 1 })).status).toBe(422);
    expect((await shop.a.guest.post(items, { quantity: 1 })).status).toBe(422);
  });

  it('is inaccessible to other visitors', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { cart, token } = await visitor(shop.a, [variantId, 1]);
    const other = await visitor(shop.a, [variantId, 1]);
    const line = `${items}/${cart.lines[0].id}`;
    for (const client of [shop.a.guest, other.client, shop.b.guest.with({ 'x-cart-token': token })]) {
      expect((await client.patch(line, { quantity: 2 })).status).toBe(404);
      expect((await client.delete(line)).status).toBe(404);
    }
    expect((await shop.b.guest.with({ 'x-cart-token': token }).get<Json>(`${cartPath}/`)).body.id).toBeNull();
    const [row] = await shop.rows<Json>('select lines from checkout_cart where id = $1', [cart.id]);
    expect(row.lines[0].quantity).toBe(1);
  });

  it('stores all concurrent additions', async () => {
    const { variantId } = await product(shop.a, 100);
    const { client } = await visitor(shop.a, [variantId, 1]);
    const answers = await Promise.all(Array.from({ length: 25 }, () => client.post<Json>(items, { variantId, quantity: 1 })));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect((await client.get<Json>(`${cartPath}/`)).body).toMatchObject({
      lines: [{ quantity: 26 }],
      totals: { total: ron(2600) },
    });
  });

  it('rejects a change with an outdated If-Match version', async () => {
    const { variantId } = await product(shop.a, 100);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const line = `${items}/${cart.lines[0].id}`;
    expect((await client.patch(line, { quantity: 2 }, { 'if-match': '"1"' })).status).toBe(200);
    expect((await client.patch<Json>(line, { quantity: 3 }, { 'if-match': '"1"' })).body).toMatchObject({
      status: 412,
      code: 'version_conflict',
    });
    expect((await client.delete(line, { 'if-match': '"1"' })).status).toBe(412);
  });

  it('stays usable when one of its items is no longer sold', async () => {
    const [a, b] = [await product(shop.a, 1000), await product(shop.a, 500)];
    const { client, cart } = await visitor(shop.a, [a.variantId, 1], [b.variantId, 2]);
    expect((await shop.a.admin.patch(`/api/admin/products/${a.productId}`, { status: 'archived' })).status).toBe(200);
    const seen = await client.get<Json>(`${cartPath}/`);
    expect(seen.body.totals.total).toEqual(ron(1000));
    expect(seen.body.lines.map((line: Json) => [line.available, line.total])).toEqual([
      [false, ron(0)],
      [true, ron(1000)],
    ]);
    expect(seen.body.lines[0].title).toMatch(/^Product/);
    expect(seen.body.warnings).toMatchObject([{ code: 'unavailable', pointer: '/lines/0' }]);
    expect((await client.post<Json>(items, { variantId: b.variantId, quantity: 1 })).body.totals.total).toEqual(ron(1500));
    expect((await client.patch(`${items}/${cart.lines[0].id}`, { quantity: 2 })).status).toBe(404);
    expect((await client.patch<Json>(`${items}/${cart.lines[0].id}`, { quantity: 0 })).body.warnings).toEqual([]);
  });

  it('rejects codes while promotions are off', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client } = await visitor(shop.a, [variantId, 1]);
    expect((await client.post<Json>(`${cartPath}/promotion`, { code: 'TEN' })).body).toMatchObject({
      status: 404,
      code: 'coupon_not_found',
    });
    expect((await client.delete(`${cartPath}/promotion/TEN`)).status).toBe(404);
    expect((await shop.a.guest.post(`${cartPath}/promotion`, { code: 'TEN' })).status).toBe(404);
  });

  it('is repriced in another enabled currency and keeps that rate', async () => {
    const { variantId } = await product(shop.a, 1000);
    const refused = await shop.a.guest.post<Json>(items, { variantId, quantity: 1, currency: 'EUR' });
    expect(refused.body).toMatchObject({ status: 422, errors: [{ pointer: '/currency' }] });
    expect((await shop.a.admin.post('/api/admin/currencies/', { code: 'EUR' })).status).toBe(201);
    const rate = (value: string) => shop.a.admin.post('/api/admin/fx-rates/', { base: 'RON', quote: 'EUR', rate: value });
    expect((await rate('0.2')).status).toBe(201);
    const { client } = await visitor(shop.a, [variantId, 2]);
    const euro = await client.post<Json>(items, { variantId, quantity: 1, currency: 'EUR' });
    expect(euro.body).toMatchObject({ currency: 'EUR', totals: { total: { amount: 600, currency: 'EUR' } } });
    // A currency that carts use can't be removed.
    expect((await shop.a.admin.delete<Json>('/api/admin/currencies/EUR')).body).toMatchObject({
      status: 409,
      code: 'in_use',
      counts: { carts: 1 },
    });
    await rate('0.25');
    expect((await client.get<Json>(`${cartPath}/`)).body.totals.total).toEqual({ amount: 600, currency: 'EUR' });
    const back = await client.post<Json>(items, { variantId, quantity: 1, currency: 'RON' });
    expect(back.body).toMatchObject({ currency: 'RON', totals: { total: ron(4000) } });
    expect((await shop.a.admin.delete('/api/admin/currencies/EUR')).status).toBe(204);
  });
});

describe('a customer’s cart', () => {
  it('is found without a token, and concurrent requests create one cart', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    const answers = await Promise.all(Array.from({ length: 8 }, () => customer.post<Json>(items, { variantId, quantity: 1 })));
    expect(answers.map((answer) => answer.status).filter((status) => status >= 300)).toEqual([]);
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    const seen = await customer.get<Json>(`${cartPath}/`);
    expect(seen.body).toMatchObject({ customerId: customer.customerId, lines: [{ quantity: 8 }] });
    expect(seen.body.cartToken).toBe(answers[0]!.body.cartToken);
  });

  it('takes over the lines of the guest cart at sign-in', async () => {
    const [a, b] = [await product(shop.a, 1000), await product(shop.a, 500, {}, { maxPerOrder: 5 })];
    const guest = await visitor(shop.a, [a.variantId, 1], [b.variantId, 4]);
    const customer = await shop.a.customer();
    const both = customer.with({ 'x-cart-token': guest.token });
    // Without another cart, the customer adopts the guest's cart.
    expect((await both.get<Json>(`${cartPath}/`)).body).toMatchObject({ id: guest.cart.id, customerId: customer.customerId });
    // A second guest cart merges: equal lines add up, limited by the maximum per order.
    const later = await visitor(shop.a, [b.variantId, 3], [a.variantId, 2]);
    const merged = await customer.with({ 'x-cart-token': later.token }).get<Json>(`${cartPath}/`);
    expect(merged.body.id).toBe(guest.cart.id);
    expect(merged.body.lines.map((line: Json) => [line.variantId, line.quantity])).toEqual([
      [a.variantId, 3],
      [b.variantId, 5],
    ]);
    expect(merged.body.warnings).toMatchObject([{ code: 'quantity_capped', pointer: '/lines/1' }]);
    // The second call must not merge again.
    const again = await customer.with({ 'x-cart-token': later.token }).get<Json>(`${cartPath}/`);
    expect([again.body.lines[0].quantity, again.body.warnings]).toEqual([3, []]);
    expect((await later.client.get<Json>(`${cartPath}/`)).body.id).toBeNull();
    expect((await shop.rows<Json>('select status from checkout_cart where id = $1', [later.cart.id]))[0].status).toBe('merged');
  });

  it('merges once under concurrent calls', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    await customer.post(items, { variantId, quantity: 1 });
    const guest = await visitor(shop.a, [variantId, 2]);
    const both = customer.with({ 'x-cart-token': guest.token });
    const answers = await Promise.all(Array.from({ length: 10 }, () => both.get<Json>(`${cartPath}/`)));
    expect(answers.map((answer) => answer.body.lines[0].quantity)).toEqual(answers.map(() => 3));
  });

  it('opens by its token but hides personal data from other callers', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    const { cartToken, id } = (await customer.post<Json>(items, { variantId, quantity: 1 })).body;
    await shop.rows('update checkout_cart set email = $1 where id = $2', [customer.email, id]);
    const stranger = await shop.a.guest.with({ 'x-cart-token': cartToken }).get<Json>(`${cartPath}/`);
    expect(stranger.body).toMatchObject({ id, customerId: null, email: null, shippingAddress: null });
    expect(stranger.text).not.toContain(customer.email);
    const other = await shop.a.customer();
    expect((await other.with({ 'x-cart-token': cartToken }).get<Json>(`${cartPath}/`)).body.id).toBeNull();
  });

  it('applies a repeated call with the same idempotency key once', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    const add = () => customer.post<Json>(items, { variantId, quantity: 1 }, { 'idempotency-key': 'add-once-12345' });
    const [first, second] = [await add(), await add()];
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([first.status, 'true']);
    expect(second.text).toBe(first.text);
    expect((await customer.get<Json>(`${cartPath}/`)).body.lines[0].quantity).toBe(1);
  });
});

describe('a repeated addition of a visitor', () => {
  const add = (variantId: string, key: string) =>
    shop.a.guest.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 }, { 'idempotency-key': key });
  const carts = async (variantId: string): Promise<number> =>
    (await shop.rows<Json>('select id from checkout_cart where lines::text like $1', [`%${variantId}%`])).length;

  it('creates one cart, also when the requests are simultaneous, and all get its token', async () => {
    const { variantId } = await product(shop.a, 1000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(variantId, 'add-it-once-1')));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => body.cartToken)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(7);
    expect(await carts(variantId)).toBe(1);
  });

  it('gets the first response although the item is no longer sold, and a refused one is tried again', async () => {
    const { productId, variantId } = await product(shop.a, 1000);
    const first = await add(variantId, 'add-it-once-2');
    const archive = async (status: string): Promise<void> =>
      expect((await shop.a.admin.patch(`/api/admin/products/${productId}`, { status })).status).toBe(200);
    await archive('archived');
    expect((await add(variantId, 'add-it-once-3')).status).toBe(404);
    const again = await add(variantId, 'add-it-once-2');
    expect([again.status, again.body]).toEqual([201, first.body]);
    await archive('active');
    expect((await add(variantId, 'add-it-once-3')).status).toBe(201);
    expect(await carts(variantId)).toBe(2);
  });
});
