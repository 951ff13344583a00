import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json, product, ron, visitor } from '../../test/goods.ts';
import { address, checkoutPath, openTill, type Till } from '../../test/till.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill();
  shop = till.shop;
});
afterAll(() => till?.stop());

const settings = (values: Record<string, unknown>) =>
  shop.a.admin.put('/api/admin/plugins/checkout/settings', { settings: values });

describe('placing an order', () => {
  it('creates the order and converts the cart', async () => {
    const { variantId } = await product(shop.a, 1500);
    const { client, cart } = await visitor(shop.a, [variantId, 2]);
    const placed = await till.place(client, 3000, { note: 'Ring twice' });
    expect(placed.status).toBe(201);
    const { order, orderToken, payment } = placed.body as Json;
    expect(placed.headers.location).toBe(`/api/storefront/checkout/orders/${order.id}`);
    expect(order).toMatchObject({ status: 'confirmed', totals: { total: ron(3000) } });
    expect(orderToken.length).toBeGreaterThanOrEqual(22);
    expect(payment).toMatchObject({ clientSecret: null, redirectUrl: null });
    expect(await till.cartRow(cart.id)).toMatchObject({ status: 'converted', order_id: order.id, email: 'buyer@example.org' });
    const [customer] = await shop.rows<Json>('select id, first_name from customers_customer where email = $1', [
      'buyer@example.org',
    ]);
    expect((await shop.rows<Json>('select customer_id from orders_order where id = $1', [order.id]))[0].customer_id).toBe(
      customer.id,
    );
    // A repeated request returns the same order. The converted cart rejects changes.
    const again = await till.place(client, 3000);
    expect([again.status, again.body.order.id, again.body.orderToken]).toEqual([200, order.id, orderToken]);
    expect((await client.patch<Json>(`${cartPath}/items/${cart.lines[0].id}`, { quantity: 1 })).body).toMatchObject({
      status: 409,
      code: 'cart_converted',
    });
    expect((await client.get<Json>(`${cartPath}/`)).body.status).toBe('converted');
    const events = await shop.rows<Json>(
      `select data from core_event where type = 'checkout.cart.converted' and aggregate = $1`,
      [cart.id],
    );
    expect(events.map((event) => event.data)).toEqual([{ cartId: cart.id, orderId: order.id }]);
  });

  it('repeats its answer to the buyer only: a stranger with the cart token gets neither the order nor its token', async () => {
    const { variantId } = await product(shop.a, 1500);
    const customer = await shop.a.customer('private@example.org');
    const other = await shop.a.customer('other@example.org');
    for (const buyer of [shop.a.guest, customer]) {
      const first = await buyer.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
      const { cartToken } = first.body;
      const withCart = buyer.with({ 'x-cart-token': cartToken });
      const placed = await till.place(withCart, 1500, { email: 'private@example.org' });
      expect(placed.status, placed.text).toBe(201);
      for (const stranger of [shop.a.guest, other]) {
        const seen = await till.place(stranger.with({ 'x-cart-token': cartToken }), 1500, { email: 'evil@example.org' });
        expect(seen.text).not.toContain(placed.body.orderToken);
        expect(seen.text).not.toContain('private@example.org');
        expect(seen.status).toBeGreaterThanOrEqual(400);
      }
      const again = await till.place(withCart, 1500, { email: 'Private@Example.org' });
      expect([again.status, again.body.orderToken]).toEqual([200, placed.body.orderToken]);
    }
  });

  it('starts a new cart with a new token and cookie for the next item, in a browser with cookies only', async () => {
    const { variantId } = await product(shop.a, 1500);
    const customer = await shop.a.customer('again@example.org');
    for (const [visitorOf, paymentMethod] of [
      [shop.a.guest, 'cod'],
      [shop.a.guest, 'transfer'],
      [customer, 'cod'],
      [customer, 'transfer'],
    ] as const) {
      const first = await visitorOf.post<Json>(`${cartPath}/items`, { variantId, quantity: 2 });
      const cookieOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['set-cookie']).split(';')[0]!;
      const browser = async (cookie: string) => {
        const { csrfToken } = (await visitorOf.with({ cookie }).get<Json>('/api/csrf-token')).body;
        return visitorOf.with({ cookie, 'x-csrf-token': csrfToken });
      };
      const before = await browser(cookieOf(first));
      const placed = await till.place(before, 3000, { paymentMethod });
      expect(placed.status).toBe(201);
      const next = await before.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
      expect([next.status, next.body.status, next.body.lines.length]).toEqual([201, 'open', 1]);
      expect(next.body.id).not.toBe(first.body.id);
      expect(cookieOf(next)).toBe(`cart=${next.body.cartToken}`);
      expect(next.body.cartToken).not.toBe(first.body.cartToken);
      // The same request again responds with the same order, and the new cart stays open.
      const again = await till.place(before, 3000, { paymentMethod, cartToken: first.body.cartToken });
      expect([again.status, again.body.order.id]).toEqual([200, placed.body.order.id]);
      const after = await browser(cookieOf(next));
      expect((await after.get<Json>(`${cartPath}/`)).body).toMatchObject({ id: next.body.id, status: 'open' });
      const second = await till.place(after, 1500, { paymentMethod });
      expect(second.status).toBe(201);
      expect(second.body.order.id).not.toBe(placed.body.order.id);
    }
  });

  it('sends the buyer back to hosts and allowed origins of the shop only', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client } = await visitor(shop.a, [variantId, 1]);
    const { host } = shop.a;
    for (const returnUrl of [
      'https://evil.test',
      `https://${host}.evil.test/`,
      `https://${host}@evil.test/`,
      'javascript:alert(1)',
    ])
      for (const paymentMethod of ['card', 'cod']) {
        const refused = await till.place(client, 1000, { paymentMethod, returnUrl });
        expect([returnUrl, refused.status, refused.body.errors?.[0]?.pointer]).toEqual([returnUrl, 422, '/returnUrl']);
      }
    const back = async (returnUrl: string) => {
      const { client: buyer } = await visitor(shop.a, [variantId, 1]);
      return (await till.place(buyer, 1000, { paymentMethod: 'card', returnUrl })).status;
    };
    expect(await back(`https://${host}/thanks`)).toBe(201);
    expect(await back('https://front.example/thanks')).toBe(422);
    const origins = (allowedOrigins: string[]) => shop.a.admin.put('/api/admin/settings/store', { allowedOrigins });
    expect((await origins(['https://front.example'])).status).toBe(200);
    expect(await back('https://front.example/thanks')).toBe(201);
    expect(await back('http://front.example/thanks')).toBe(422);
    const { client: buyer } = await visitor(shop.a, [variantId, 1]);
    const placed = (await till.place(buyer, 1000, { paymentMethod: 'card' })).body;
    const confirm = (returnUrl: string) =>
      buyer.post<Json>(
        `${checkoutPath}/orders/${placed.order.id}/confirm-payment`,
        { paymentMethod: 'transfer', returnUrl },
        { 'x-order-token': placed.orderToken },
      );
    expect((await confirm('https://evil.test')).status).toBe(422);
    await origins([]);
  });

  it('shares one new cart among concurrent requests with the token of an ordered one', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    await till.place(client, 1000);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => client.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const [{ cartToken, id }] = answers.map(({ body }) => body) as [Json];
    const next = shop.a.guest.with({ 'x-cart-token': cartToken });
    expect((await next.get<Json>(`${cartPath}/`)).body.lines).toMatchObject([{ quantity: 8 }]);
    // Once ordered or taken over by a customer it isn't reused.
    await till.place(next, 8000);
    const later = await client.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
    expect([later.status, [cart.id, id].includes(later.body.id)]).toEqual([201, false]);
    const customer = await shop.a.customer('other@example.org');
    const taken = await customer.with({ 'x-cart-token': later.body.cartToken }).get<Json>(`${cartPath}/`);
    expect(taken.body.id).toBe(later.body.id);
    const guest = await client.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 });
    expect([guest.status, guest.body.id === later.body.id]).toEqual([201, false]);
  });

  it('creates one order of a cart under concurrent requests', async () => {
    const { variantId } = await product(shop.a, 1000);
    for (const paymentMethod of ['cod', 'card']) {
      const { client, cart } = await visitor(shop.a, [variantId, 1]);
      const intents = till.provider.intents.size;
      const answers = await Promise.all(Array.from({ length: 20 }, () => till.place(client, 1000, { paymentMethod })));
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(answers.map((answer) => answer.body.order.id)).size).toBe(1);
      expect(new Set(answers.map((answer) => JSON.stringify(answer.body.payment))).size).toBe(1);
      expect(new Set(answers.map((answer) => answer.body.orderToken)).size).toBe(1);
      expect((await till.ordersOf(cart.id)).length).toBe(1);
      expect(till.provider.intents.size - intents).toBe(paymentMethod === 'card' ? 1 : 0);
    }
  });

  it('P12: gives twenty equal responses for one idempotency key and calls the provider once', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const intents = till.provider.intents.size;
    const headers = { 'idempotency-key': `place-${cart.id}` };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => till.place(client, 1000, { paymentMethod: 'card' }, headers)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect(answers[0]!.body.payment.status).toBe('requires_action');
    expect([(await till.ordersOf(cart.id)).length, till.provider.intents.size - intents]).toEqual([1, 1]);
  });

  it('rejects a total that differs from the expected one', async () => {
    const { variantId, productId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 2]);
    const changed = await till.place(client, 1900);
    expect(changed.body).toMatchObject({ status: 409, code: 'total_changed', totals: { total: ron(2000) } });
    const variants = [{ id: variantId, price: ron(1200) }];
    expect((await shop.a.admin.patch(`/api/admin/products/${productId}`, { variants })).status).toBe(200);
    expect((await till.place(client, 2000)).body).toMatchObject({ code: 'total_changed', totals: { total: ron(2400) } });
    expect((await till.place(client, 2400, { expectedTotal: { amount: 2400, currency: 'EUR' } })).body).toMatchObject({
      status: 422,
      code: 'currency_mismatch',
    });
    expect([await till.ordersOf(cart.id), (await till.cartRow(cart.id)).status]).toEqual([[], 'open']);
    expect((await till.place(client, 2400)).status).toBe(201);
  });

  it('names missing inputs and stores nothing', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client, cart } = await visitor(shop.a, [variantId, 1]);
    const before = await till.cartRow(cart.id);
    const email = 'nobody-yet@example.org';
    const refused = async (more: Record<string, unknown>) => {
      const answer = await till.place(client, 1000, { email, ...more });
      const { status, code, errors } = answer.body as Json;
      return [status, code, errors[0]?.pointer];
    };
    expect(await refused({ paymentMethod: 'cheque' })).toEqual([422, 'payment_method_unavailable', '/paymentMethod']);
    expect(await refused({ consents: { terms: false } })).toEqual([422, 'consent_required', '/consents/terms']);
    expect(await refused({ shippingAddress: undefined })).toEqual([422, 'validation_failed', '/shippingAddress']);
    expect(await refused({ tenders: [{ type: 'gift_card', code: 'ABC' }] })).toEqual([422, 'tender_unavailable', '/tenders/0']);
    expect(await refused({ total: 5 })).toEqual([422, 'unknown_field', '/total']);
    expect(await refused({ billingAddress: { ...address, country: 'Romania' } })).toEqual([
      422,
      'validation_failed',
      '/billingAddress/country',
    ]);
    expect(await refused({ email: 'none' })).toEqual([422, 'validation_failed', '/email']);
    expect(await refused({ savePaymentMethod: true })).toEqual([422, 'validation_failed', '/savePaymentMethod']);
    expect(await till.cartRow(cart.id)).toEqual(before);
    expect(await till.ordersOf(cart.id)).toEqual([]);
    expect(await shop.rows('select 1 from customers_customer where email = $1', [email])).toEqual([]);
  });

  it('requires a cart of the caller that has lines', async () => {
    const { variantId } = await product(shop.a, 1000);
    const mine = await visitor(shop.a, [variantId, 1]);
    expect((await till.place(shop.a.guest, 1000)).body).toMatchObject({ status: 409, code: 'cart_empty' });
    // Neither a cart id nor the token of another tenant gives access.
    expect((await till.place(shop.a.guest, 1000, { cartId: mine.cart.id })).status).toBe(404);
    const other = await visitor(shop.a, [variantId, 1]);
    expect((await till.place(other.client, 1000, { cartId: mine.cart.id })).status).toBe(404);
    expect((await till.place(shop.b.guest, 1000, { cartToken: mine.token })).status).toBe(404);
    expect((await till.place(shop.a.guest, 1000, { cartToken: 'x'.repeat(32) })).status).toBe(404);
    await mine.client.delete(`${cartPath}/items/${mine.cart.lines[0].id}`);
    expect((await till.place(mine.client, 0)).body).toMatchObject({ status: 409, code: 'cart_empty' });
    expect((await till.place(shop.a.guest, 1000, { cartId: other.cart.id, cartToken: other.token })).status).toBe(201);
  });

  it('C38: confirms a free order without a payment', async () => {
    const { variantId } = await product(shop.a, 0);
    const { client, cart } = await visitor(shop.a, [variantId, 3]);
    const placed = await till.place(client, 0, { paymentMethod: 'none' });
    expect(placed.status).toBe(201);
    expect(placed.body).toMatchObject({
      payment: null,
      order: { status: 'confirmed', paymentStatus: 'paid', totals: { total: ron(0) } },
    });
    expect((await till.cartRow(cart.id)).status).toBe('converted');
    expect(await shop.rows('select 1 from payments_payment where for_id = $1', [placed.body.order.id])).toEqual([]);
  });

  it('enforces the settings of the shop', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client } = await visitor(shop.a, [variantId, 2]);
    expect((await settings({ guestCheckout: false })).status).toBe(200);
    expect((await till.place(client, 2000)).body).toMatchObject({ status: 401, code: 'unauthenticated' });
    expect((await settings({ guestCheckout: true, minOrderTotal: ron(2500) })).status).toBe(200);
    expect((await till.place(client, 2000)).body).toMatchObject({ status: 409, code: 'min_order_not_met', missing: ron(500) });
    await settings({ minOrderTotal: null });
    expect((await till.place(client, 2000)).status).toBe(201);
  });

  it('saves what the customer selects, and finds the customer’s cart without a token', async () => {
    const { variantId } = await product(shop.a, 1000);
    const customer = await shop.a.customer();
    await customer.post(`${cartPath}/items`, { variantId, quantity: 1 });
    const more = { saveAddress: true, email: customer.email, consents: { terms: true, marketing: true } };
    const placed = await till.place(customer, 1000, more);
    expect(placed.status).toBe(201);
    const again = await till.place(customer, 1000, more);
    expect([again.status, again.body.order.id]).toEqual([200, placed.body.order.id]);
    const saved = await customer.get<Json>('/api/storefront/account/addresses');
    expect(saved.body.data).toMatchObject([{ city: 'Cluj-Napoca' }]);
    expect(
      await shop.rows('select 1 from customers_customer where id = $1 and accepts_marketing', [customer.customerId]),
    ).toHaveLength(1);
    // Consents are logged once for each version of the text, and subscribe no customer.
    const log = () =>
      shop.rows<Json>(
        'select purpose, granted, text_version as version, source, subject = customer_id::text as own, network from customers_consent where customer_id = $1 order by id',
        [customer.customerId],
      );
    const said = (purpose: string, version = '1') => ({
      purpose,
      granted: true,
      version,
      source: 'checkout',
      own: true,
      network: '127.0.0.0/24',
    });
    expect(await log()).toEqual([said('terms'), said('marketing')]);
    const next = async () => {
      await customer.post(`${cartPath}/items`, { variantId, quantity: 1 });
      expect((await till.place(customer, 1000, { email: customer.email })).status).toBe(201);
    };
    await next();
    expect(await log()).toHaveLength(2);
    expect((await shop.a.admin.put('/api/admin/settings/customers.consentTextVersion', { value: '2027-01' })).status).toBe(200);
    await next();
    expect(await log()).toEqual([said('terms'), said('marketing'), said('terms', '2027-01')]);
    // The next item starts a new cart.
    expect((await customer.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 })).status).toBe(201);
  });
});

describe('the order page', () => {
  it('opens with the order token or to its customer only', async () => {
    const { variantId } = await product(shop.a, 1000);
    const { client } = await visitor(shop.a, [variantId, 1]);
    const email = 'guest-order@example.org';
    const { order, orderToken } = (await till.place(client, 1000, { email })).body;
    const path = `${checkoutPath}/orders/${order.id}`;
    const seen = await shop.a.guest.with({ 'x-order-token': orderToken }).get<Json>(path);
    expect(seen.body).toMatchObject({ id: order.id, payment: { status: expect.any(String) } });
    expect((await shop.a.guest.get<Json>(`${path}?token=${orderToken}`)).status).toBe(200);
    const stranger = await shop.a.customer();
    for (const other of [
      shop.a.guest,
      shop.a.guest.with({ 'x-order-token': 'x'.repeat(43) }),
      shop.b.guest.with({ 'x-order-token': orderToken }),
      stranger,
    ])
      expect((await other.get(path)).status).toBe(404);
    // An account that registers the address later sees the order once the address is confirmed.
    const owner = await shop.a.customer(email);
    expect((await owner.get(path)).status).toBe(404);
    await shop.rows('update customers_customer set email_verified_at = now() where email = $1', [email]);
    expect((await owner.get(path)).status).toBe(200);
  });
});

describe('one-click purchase', () => {
  it('requires saved data and leaves the open cart unchanged', async () => {
    const { variantId } = await product(shop.a, 1000);
    const body = { variantId, expectedTotal: ron(1000) };
    expect((await shop.a.guest.post(`${checkoutPath}/one-click`, body)).status).toBe(401);
    const customer = await shop.a.customer();
    expect((await customer.post<Json>(`${checkoutPath}/one-click`, body)).body).toMatchObject({
      status: 409,
      code: 'one_click_not_ready',
      missing: ['address', 'paymentInstrument'],
    });
    const cart = (await customer.post<Json>(`${cartPath}/items`, { variantId, quantity: 2 })).body;
    const first = (
      await till.place(customer, 2000, {
        paymentMethod: 'card',
        savePaymentMethod: true,
        saveAddress: true,
        email: customer.email,
      })
    ).body as Json;
    const ref = await till.refOf(first.payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    expect((await till.cartRow(cart.id)).status).toBe('converted');
    const next = (await customer.post<Json>(`${cartPath}/items`, { variantId, quantity: 3 })).body;
    expect((await customer.post<Json>(`${checkoutPath}/one-click`, { ...body, expectedTotal: ron(999) })).body.code).toBe(
      'total_changed',
    );
    expect((await customer.post(`${checkoutPath}/one-click`, { ...body, addressId: variantId })).status).toBe(404);
    const bought = await customer.post<Json>(`${checkoutPath}/one-click`, body);
    expect(bought.status).toBe(201);
    expect(bought.body).toMatchObject({ order: { totals: { total: ron(1000) } }, payment: { status: 'captured' } });
    expect(bought.body.order.status).toBe('confirmed');
    expect((await customer.get<Json>(`${cartPath}/`)).body).toMatchObject({ id: next.id, lines: [{ quantity: 3 }] });
  });
});
