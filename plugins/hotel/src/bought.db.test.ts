import { uuidv7 } from '@storeloom/plugin-sdk';
import { crowd, repeatedUnits, type TestClient, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { address, openTill, type Till } from '../../checkout/test/till.ts';
import { addType, change, type Json, must, offered, patiently, reserved, ron, setUp } from '../test/shop.ts';

let till: Till;
let shop: Till['shop'];
beforeAll(async () => {
  till = await openTill(['hotel', 'taxes', 'promotions'], { processes: 2, now: '2026-07-01T06:00:00.000Z' });
  shop = till.shop;
});
afterAll(() => till?.stop());

const items = '/api/storefront/cart/items';
const nights = { checkIn: '2026-07-10', checkOut: '2026-07-12', adults: 1 };
const add = (client: TestClient, data: Json, more: Json = {}) =>
  client.post<Json>(items, { kind: 'hotel.stay', quantity: 1, data: { ...nights, ...data }, ...more });
async function withStay(data: Json, more: Json = {}, from = shop.a.guest): Promise<{ client: TestClient; cart: Json }> {
  const cart = await must(add(from, data, more), 201);
  return { client: shop.a.guest.with({ 'x-cart-token': cart.cartToken }), cart };
}
const staysOf = async (order: Json): Promise<Json[]> =>
  (await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/?orderId=${order.id}`), 200)).data;
const free = async (roomType: string): Promise<number> =>
  (await offered(shop.a, roomType, nights.checkIn, nights.checkOut)).available;
const inShop = (order: Json, what: string, body: Json) => shop.a.admin.post<Json>(`/api/admin/orders/${order.id}/${what}`, body);

describe('a stay in the cart', () => {
  it('costs what its nights cost, in the words of who asks', async () => {
    const { roomType } = await addType(shop.a, 2);
    const rules = [{ from: '2026-07-11', to: '2026-07-11', rate: ron(15_500) }];
    await setUp(shop.a, { roomTypes: [{ code: roomType, name: 'Cameră cu vedere', rules }] });
    const { client, cart } = await withStay({ roomType }, { quantity: 2 });
    const offer = await offered(shop.a, roomType, nights.checkIn, nights.checkOut);
    expect(offer.total).toEqual(ron(10_000 + 15_500));
    expect(cart.lines[0]).toMatchObject({ kind: 'hotel.stay', unitPrice: offer.total, quantity: 2, total: ron(51_000) });
    expect(cart.lines[0].title).toMatch(/^Cameră cu vedere, 10.+12 iul/);
    const english = await withStay({ roomType }, {}, shop.a.guest.with({ 'accept-language': 'en' }));
    expect(english.cart.lines[0].title).toMatch(/^Cameră cu vedere, .*Jul/);
    expect(await free(roomType)).toBe(2);
    const placed = await must(till.place(client, 51_000, { email: 'two@example.org' }), 201);
    await shop.settled();
    const stays = await staysOf(placed.order);
    expect(stays).toMatchObject([1, 2].map(() => ({ status: 'confirmed', source: 'shop', total: offer.total, nights: 2 })));
    const one = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${stays[0]?.id}`), 200);
    expect(one.nightlyRates).toEqual(offer.nightly);
    expect(one.guest).toMatchObject({ email: 'two@example.org', firstName: 'Ana', lastName: 'Pop' });
    expect(await free(roomType)).toBe(0);
  });

  it('is refused where it is wrong, gone or over, and the rest of the cart works on', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const refused: [Json, number, string, string][] = [
      [{ roomType, checkOut: '2026-07-10' }, 422, 'invalid_interval', '/data/checkOut'],
      [{ roomType, checkOut: '2026-12-10' }, 422, 'stay_length', '/data/checkOut'],
      [{ roomType, checkIn: '10 July' }, 422, 'validation_failed', '/data/checkIn'],
      [{ roomType, adults: 0 }, 422, 'validation_failed', '/data/adults'],
      [{ roomType, adults: 3 }, 422, 'too_many_guests', '/data/adults'],
      [{ roomType, children: 2 }, 422, 'too_many_guests', '/data/children'],
      [{ roomType, roomId: rooms[0]?.id }, 422, 'unknown_field', '/data/roomId'],
      [{}, 422, 'validation_failed', '/data/roomType'],
      [{ roomType: 'castle' }, 404, 'not_found', '/kind'],
      [{ roomType, checkIn: '2026-06-30' }, 404, 'not_found', '/kind'],
    ];
    for (const [data, status, code, pointer] of refused) {
      const { body } = await add(shop.a.guest, data);
      expect([data, body.status, body.code, body.errors[0].pointer]).toEqual([data, status, code, pointer]);
    }
    expect((await add(shop.a.guest, { roomType }, { quantity: 21 })).status).toBe(422);
    expect((await add(shop.b.guest, { roomType })).status).toBe(404);
    const { client } = await withStay({ roomType, checkIn: '2026-07-02', checkOut: '2026-07-03' });
    await must(add(client, { roomType }), 201);
    shop.clock.freeze('2026-07-04T06:00:00.000Z');
    const cart = await must(client.get<Json>('/api/storefront/cart/'), 200);
    expect(cart.lines.map(({ available }: Json) => available)).toEqual([false, true]);
    expect((await till.place(client, 30_000)).body).toMatchObject({
      status: 422,
      code: 'past_date',
      errors: [{ pointer: '/lines/0/data/checkIn' }],
    });
    shop.clock.freeze('2026-07-01T06:00:00.000Z');
  });

  it('says in the cart that another buyer holds the last room, and that it is free again', async () => {
    const { roomType } = await addType(shop.a, 1);
    const mine = await withStay({ roomType });
    const other = await withStay({ roomType });
    expect(mine.cart.lines[0].available).toBe(true);
    const { order } = await must(till.place(other.client, 20_000, { paymentMethod: 'card' }), 201);
    expect(await staysOf(order)).toMatchObject([{ status: 'pending' }]);
    const seen = await must(mine.client.get<Json>('/api/storefront/cart/'), 200);
    expect(seen.lines[0]).toMatchObject({ available: false, total: ron(20_000) });
    expect(seen.warnings).toMatchObject([{ code: 'insufficient_stock', pointer: '/lines/0' }]);
    await must(inShop(order, 'status', { status: 'cancelled', reason: 'test' }), 200);
    await shop.settled();
    const again = await must(mine.client.get<Json>('/api/storefront/cart/'), 200);
    expect([again.lines[0].available, again.warnings]).toEqual([true, []]);
  });

  it('keeps to the restrictions of its type when it is placed', async () => {
    const { roomType } = await addType(shop.a, 1);
    const rules = [{ from: '2026-07-10', to: '2026-07-10', minStayArrival: 3 }];
    await setUp(shop.a, { roomTypes: [{ code: roomType, name: 'T', rules }] });
    const { client } = await withStay({ roomType });
    expect((await till.place(client, 20_000)).body).toMatchObject({
      status: 409,
      code: 'stay_not_allowed',
      violations: [{ rule: 'min_stay_arrival', date: '2026-07-10', limit: 3 }],
    });
  });

  it('is taxed by its category, and no promotion of goods touches its price', async () => {
    const { roomType } = await addType(shop.a, 1);
    const category = await must(shop.a.admin.post<Json>('/api/admin/taxes/categories', { code: 'stays', name: 'Stays' }), 201);
    const rate = { country: 'RO', categoryId: category.id, ratePpm: 110_000, validFrom: '2020-01-01' };
    await must(shop.a.admin.post<Json>('/api/admin/taxes/rates', rate), 201);
    for (const id of [uuidv7(), roomType]) {
      const refused = await shop.a.admin.put<Json>('/api/admin/settings/hotel.taxCategoryId', { value: id });
      expect([refused.status, refused.body.errors?.[0]?.pointer]).toEqual([id === roomType ? 422 : 404, '/value']);
    }
    // Another shop's is none of this one's.
    const { body } = await shop.b.admin.put<Json>('/api/admin/settings/hotel.taxCategoryId', { value: category.id });
    expect([body.status, body.code]).toEqual([404, 'not_found']);
    await setUp(shop.a, { taxCategoryId: category.id });
    const { client } = await withStay({ roomType });
    const { order } = await must(till.place(client, 20_000), 201);
    const whole = await must(shop.a.admin.get<Json>(`/api/admin/orders/${order.id}`), 200);
    // 200.00 · 11/111 = 19.82
    expect(whole.lines[0]).toMatchObject({ kind: 'hotel.stay', total: ron(20_000), tax: ron(1982), ships: false });
    // A stay made at the desk is taxed alike, and stays so when its nights change.
    const desk = await reserved(shop.a, { ...nights, roomType: (await addType(shop.a, 1)).roomType });
    const vat = (base: number, tax: number): Json => ({
      tax: ron(tax),
      taxLines: [{ ratePpm: 110_000, base: ron(base), tax: ron(tax) }],
    });
    const read = (id: string) => must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${id}`), 200);
    expect(await read(desk.id)).toMatchObject({ total: ron(20_000), ...vat(18_018, 1982) });
    await must(change(shop.a, desk.id, { checkOut: '2026-07-13' }), 200);
    // 300.00 · 11/111 = 29.73
    expect(await read(desk.id)).toMatchObject({ total: ron(30_000), ...vat(27_027, 2973) });
    const [bought] = await staysOf(order);
    expect(await read(bought?.id)).toMatchObject({ total: ron(20_000), ...vat(18_018, 1982) });
    await setUp(shop.a, { taxCategoryId: null });
  });
});

describe('an order of a stay', () => {
  it('that waits for its payment keeps the night; unpaid it gives it back, and the same cart buys again', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    const { order } = await must(till.place(client, 20_000, { paymentMethod: 'card' }), 201);
    expect(await staysOf(order)).toMatchObject([{ status: 'pending', holdExpiresAt: null }]);
    expect(await free(roomType)).toBe(0);
    const other = await withStay({ roomType });
    expect((await till.place(other.client, 20_000)).body).toMatchObject({
      status: 409,
      code: 'room_unavailable',
      nights: ['2026-07-10', '2026-07-11'],
    });
    shop.clock.advance(3 * 3_600_000);
    await till.job('paymentWindow');
    expect(await staysOf(order)).toMatchObject([{ status: 'cancelled', fee: ron(0) }]);
    expect(await free(roomType)).toBe(1);
    expect(await shop.mails()).not.toContainEqual(expect.objectContaining({ template: 'hotel.cancelled' }));
    const again = await must(till.place(client, 20_000), 201);
    await shop.settled();
    expect(await staysOf(again.order)).toMatchObject([{ status: 'confirmed' }]);
    shop.clock.freeze('2026-07-01T06:00:00.000Z');
  });

  it('that is paid shows it in the folio; cancelled it is free, and the money is the order’s to give back', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    const { order, payment } = await must(till.place(client, 20_000, { paymentMethod: 'card', email: 'paid@example.org' }), 201);
    const ref = await till.refOf(payment.id);
    till.provider.pay(ref);
    await till.tell(ref);
    await till.tell(ref);
    expect(await staysOf(order)).toMatchObject([{ status: 'confirmed', paid: ron(20_000), balance: ron(0) }]);
    await must(inShop(order, 'status', { status: 'cancelled', reason: 'ill' }), 200);
    await shop.settled();
    expect(await staysOf(order)).toMatchObject([{ status: 'cancelled', paid: ron(0), balance: ron(0), fee: ron(0) }]);
    expect(await free(roomType)).toBe(1);
    const mails = (await shop.mails()).filter(({ to }) => to === 'paid@example.org').map(({ template }) => template);
    expect(mails.filter((name) => name.startsWith('hotel.'))).toEqual(['hotel.confirmed', 'hotel.cancelled']);
  });

  const toPay = async (order: Json): Promise<Json> => {
    const { body } = await shop.a.admin.get<Json>(`/api/admin/orders/${order.id}`);
    return { paymentStatus: body.paymentStatus, due: body.totals.amountDue };
  };
  const cash = (amount: number): Json => ({ kind: 'payment', label: 'Cash', amount: ron(amount) });
  const paymentsOf = (order: Json): Promise<Json[]> =>
    shop.rows<Json>('select id, status, captured_amount::int as captured from payments_payment where for_id = $1 order by id', [
      order.id,
    ]);

  it('that is paid at the desk is paid once, also when staff mark it as paid afterwards', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    const { order } = await must(till.place(client, 20_000, { paymentMethod: 'transfer' }), 201);
    await shop.settled();
    const [stay] = await staysOf(order);
    const charge = { kind: 'charge', label: 'Minibar', amount: ron(1500) };
    await must(change(shop.a, stay?.id, { roomId: rooms[0]?.id, folioAdd: [charge] }), 200);
    await must(change(shop.a, stay?.id, { folioAdd: [cash(21_500)] }), 200);
    await shop.settled();
    expect((await staysOf(order))[0]).toMatchObject({ paid: ron(21_500), charges: ron(1500), balance: ron(0) });
    expect(await toPay(order)).toEqual({ paymentStatus: 'paid', due: ron(0) });
    const [paid] = await paymentsOf(order);
    await must(shop.a.admin.post<Json>(`/api/admin/payments/${paid?.id}/mark-paid`, {}), 200);
    await shop.settled();
    expect(await paymentsOf(order)).toMatchObject([{ status: 'captured', captured: 20_000 }]);
    expect((await staysOf(order))[0]).toMatchObject({ paid: ron(21_500), balance: ron(0) });
  });

  it('that is paid by transfer leaves nothing to pay at the desk', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    const { order } = await must(till.place(client, 20_000, { paymentMethod: 'transfer' }), 201);
    await shop.settled();
    const [open] = await paymentsOf(order);
    await must(shop.a.admin.post<Json>(`/api/admin/payments/${open?.id}/mark-paid`, {}), 200);
    await shop.settled();
    const [stay] = await staysOf(order);
    expect(stay).toMatchObject({ paid: ron(20_000), balance: ron(0) });
    // Money that the order no longer needs is the folio's, and is shown as too much.
    await must(change(shop.a, stay?.id, { folioAdd: [cash(500)] }), 200);
    expect((await staysOf(order))[0]).toMatchObject({ paid: ron(20_500), balance: ron(-500) });
    expect(await paymentsOf(order)).toMatchObject([{ captured: 20_000 }]);
  });

  it('that is paid in parts at the desk and by transfer is paid once', async () => {
    const { roomType } = await addType(shop.a, 2);
    const { client } = await withStay({ roomType }, { quantity: 2 });
    const { order } = await must(till.place(client, 40_000, { paymentMethod: 'transfer' }), 201);
    await shop.settled();
    const [one, other] = await staysOf(order);
    // Both desks at the same time.
    await Promise.all([one, other].map((stay) => must(change(shop.a, stay?.id, { folioAdd: [cash(15_000)] }), 200)));
    await shop.settled();
    expect(await toPay(order)).toMatchObject({ due: ron(10_000) });
    const rest = (await paymentsOf(order)).find(({ status }) => status === 'created');
    await must(shop.a.admin.post<Json>(`/api/admin/payments/${rest?.id}/mark-paid`, {}), 200);
    await shop.settled();
    expect(await toPay(order)).toEqual({ paymentStatus: 'paid', due: ron(0) });
    for (const stay of await staysOf(order)) expect(stay).toMatchObject({ paid: ron(20_000), balance: ron(0) });
    const captured = (await paymentsOf(order)).reduce((sum, row) => sum + row.captured, 0);
    expect(captured).toBe(40_000);
  });

  it('that waits for a card is confirmed by cash at the desk, and late card money goes back', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    const { order, payment } = await must(till.place(client, 20_000, { paymentMethod: 'card' }), 201);
    const [stay] = await staysOf(order);
    await must(change(shop.a, stay?.id, { folioAdd: [cash(20_000)] }), 200);
    await shop.settled();
    expect((await staysOf(order))[0]).toMatchObject({ status: 'confirmed', paid: ron(20_000), balance: ron(0) });
    expect(await toPay(order)).toEqual({ paymentStatus: 'paid', due: ron(0) });
    expect((await paymentsOf(order)).find(({ id }) => id === payment.id)).toMatchObject({ status: 'cancelled', captured: 0 });
  });

  it('of two lines that want more of a type than there is makes nothing at all', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { client } = await withStay({ roomType });
    await must(add(client, { roomType, checkIn: '2026-07-11', checkOut: '2026-07-13' }), 201);
    expect((await till.place(client, 40_000, { email: 'none@example.org' })).body.code).toBe('room_unavailable');
    expect(await free(roomType)).toBe(1);
    expect(await shop.rows("select 1 from hotel_guest where email = 'none@example.org'")).toEqual([]);
  });

  it('of rooms with beds assigns one immediately', async () => {
    const whole = await addType(shop.a, 1, { maxAdults: 4 });
    const beds = await addType(shop.a, 2, { maxAdults: 1, parentRoomId: whole.rooms[0]?.id });
    const one = await withStay({ roomType: beds.roomType });
    const { order } = await must(till.place(one.client, 20_000), 201);
    expect((await staysOf(order))[0]?.roomId).toBeTruthy();
    const other = await withStay({ roomType: whole.roomType });
    expect((await till.place(other.client, 20_000)).body.code).toBe('room_unavailable');
  });

  it('that is edited frees the rooms that it loses, and takes more where there are', async () => {
    const { roomType } = await addType(shop.a, 2);
    const { client } = await withStay({ roomType }, { quantity: 2 });
    const { order } = await must(till.place(client, 40_000), 201);
    await shop.settled();
    const { lines } = await must(shop.a.admin.get<Json>(`/api/admin/orders/${order.id}`), 200);
    const rooms = (quantity: number) =>
      shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/items/${lines[0].id}`, { quantity });
    const states = async () => (await staysOf(order)).map(({ status }) => status).sort();
    await must(rooms(1), 200);
    expect([await states(), await free(roomType)]).toEqual([['cancelled', 'confirmed'], 1]);
    expect((await rooms(3)).body.code).toBe('room_unavailable');
    expect([await states(), await free(roomType)]).toEqual([['cancelled', 'confirmed'], 1]);
    await must(rooms(2), 200);
    expect([await states(), await free(roomType)]).toEqual([['cancelled', 'confirmed', 'confirmed'], 0]);
  });

  it('that loses a room to an edit owes nothing for it, paid before or after the edit', async () => {
    for (const paidFirst of [true, false]) {
      const { roomType } = await addType(shop.a, 2);
      const { client } = await withStay({ roomType }, { quantity: 2 });
      const { order } = await must(till.place(client, 40_000, { paymentMethod: 'transfer' }), 201);
      await shop.settled();
      const pay = async () => {
        const open = (await paymentsOf(order)).find(({ status }) => status === 'created');
        await must(shop.a.admin.post<Json>(`/api/admin/payments/${open?.id}/mark-paid`, {}), 200);
        await shop.settled();
      };
      if (paidFirst) await pay();
      const { lines } = await must(shop.a.admin.get<Json>(`/api/admin/orders/${order.id}`), 200);
      await must(shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/items/${lines[0].id}`, { quantity: 1 }), 200);
      await shop.settled();
      if (!paidFirst) await pay();
      const stays = new Map((await staysOf(order)).map((stay) => [stay.status, stay]));
      expect([...stays.keys()].sort()).toEqual(['cancelled', 'confirmed']);
      expect(stays.get('cancelled')).toMatchObject({ paid: ron(0), balance: ron(0), cancelReason: 'order_edited' });
      expect(stays.get('confirmed')).toMatchObject({ paid: ron(20_000), balance: ron(0) });
    }
  });

  it('that gains a room by an edit after the payment owes it until it is paid online, and nothing then', async () => {
    const { roomType } = await addType(shop.a, 3);
    const { client } = await withStay({ roomType });
    const { order, orderToken, payment } = await must(till.place(client, 20_000, { paymentMethod: 'card' }), 201);
    const pay = async (id: string) => {
      const ref = await till.refOf(id);
      till.provider.pay(ref);
      await till.tell(ref);
      await till.tell(ref);
    };
    await pay(payment.id);
    const { lines } = await must(shop.a.admin.get<Json>(`/api/admin/orders/${order.id}`), 200);
    await must(shop.a.admin.patch<Json>(`/api/admin/orders/${order.id}/items/${lines[0].id}`, { quantity: 2 }), 200);
    await shop.settled();
    const folios = async () =>
      (await staysOf(order)).map(({ paid, balance }) => [paid.amount, balance.amount]).sort((a, b) => b[0] - a[0]);
    expect(await folios()).toEqual([
      [20_000, 0],
      [0, 20_000],
    ]);
    const buyer = shop.a.guest.with({ 'x-order-token': orderToken });
    const next = await must(buyer.post<Json>(`/api/storefront/checkout/orders/${order.id}/confirm-payment`, {}), 200);
    await pay(next.payment.id);
    const settled = [
      [20_000, 0],
      [20_000, 0],
    ];
    expect(await folios()).toEqual(settled);
    // Another edit without a difference, at the same time in two processes, adds no payment.
    await Promise.all(
      shop.bases.map((base) =>
        shop.a.admin.at(base).patch<Json>(`/api/admin/orders/${order.id}/items/${lines[0].id}`, { quantity: 2 }),
      ),
    );
    await shop.settled();
    expect([await folios(), await toPay(order)]).toEqual([settled, { paymentStatus: 'paid', due: ron(0) }]);
  });

  it('says nothing new of a guest who is known', async () => {
    const { roomType } = await addType(shop.a, 1);
    const known = { firstName: 'Known', lastName: 'Guest', email: 'known@example.org' };
    const { id } = await must(shop.a.admin.post<Json>('/api/admin/hotel-guests/', known), 201);
    const { client } = await withStay({ roomType });
    const { order } = await must(
      till.place(client, 20_000, { email: 'KNOWN@example.org', billingAddress: { ...address, phone: '+40700000009' } }),
      201,
    );
    const [row] = await staysOf(order);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row?.id}`), 200);
    expect(shown.guest).toMatchObject({ id, firstName: 'Known', phone: null });
  });

  it('goes to one of 50 buyers of the last room over two processes', async () => {
    const { roomType } = await addType(shop.a, 1);
    const buyers: TestClient[] = [];
    for (let i = 0; i < 50; i++) buyers.push((await withStay({ roomType })).client);
    const { answers, seconds } = await crowd(shop.bases, 50, (_, i) =>
      patiently(() =>
        till.place((buyers[i] as TestClient).at(shop.bases[i % 2] as string), 20_000, { email: `crowd${i}@example.org` }),
      ),
    );
    console.log(`hotel: 50 buyers of the last room through the cart took ${Math.round(seconds * 1000)} ms`);
    expect(tally(answers)).toEqual({ '201': 1, '409 room_unavailable': 49 });
    expect(await free(roomType)).toBe(0);
    expect(await repeatedUnits(shop.bases)).toEqual({});
  });
});

it('without the plugin no stay is sold', async () => {
  const { roomType } = await addType(shop.b, 1);
  expect((await add(shop.b.guest, { roomType })).status).toBe(201);
  const off = { pluginId: 'hotel', enabled: false, reason: 'test' };
  const put = shop.operator.put<Json>(`/api/super-admin/tenants/${shop.b.id}/plugin-overrides`, off);
  expect((await put).status).toBeLessThan(300);
  expect((await add(shop.b.guest, { roomType })).body).toMatchObject({ status: 404, errors: [{ pointer: '/kind' }] });
});
