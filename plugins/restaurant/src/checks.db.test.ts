import { uuidv7 } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addArea,
  addCategory,
  addItem,
  addTable,
  change,
  check,
  type Json,
  move,
  must,
  occupancy,
  open,
  reserved,
  restaurantShop,
  ron,
  round,
  serve,
  setUp,
} from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop();
});
afterAll(() => shop?.stop());
const admin = () => shop.a.admin;
const stock = async (item: Json): Promise<number | null> =>
  (await must(admin().get<Json>(`/api/admin/menu/?id=${item.id}`), 200)).data[0].stockQty;

describe('the menu', () => {
  it('keeps categories in order, and renames one with its items', async () => {
    const first = await addCategory(shop.a, { name: 'Soups', sortOrder: 2 });
    await addCategory(shop.a, { name: 'Starters', sortOrder: 1 });
    const item = await addItem(shop.a, { categoryId: first.id });
    expect((await admin().post<Json>('/api/admin/menu/categories', { name: 'SOUPS' })).body).toMatchObject({
      code: 'duplicate',
      field: 'name',
    });
    const next = await addCategory(shop.a, { name: 'Soups', sortOrder: 0, replacesId: first.id });
    expect((await admin().get<Json>(`/api/admin/menu/?id=${item.id}`)).body.data[0].categoryId).toBe(next.id);
    const list = (await must(admin().get<Json>('/api/admin/menu/categories?limit=100'), 200)).data as Json[];
    expect(list.filter(({ name }) => name === 'Soups').map(({ id }) => id)).toEqual([next.id]);
    expect(list.map(({ sortOrder }) => sortOrder)).toEqual([...list.map(({ sortOrder }) => sortOrder)].sort((a, b) => a - b));
    const old = await must(admin().get<Json>('/api/admin/menu/categories?superseded=true'), 200);
    expect(old.data.map(({ id }: Json) => id)).toContain(first.id);
    const again = await admin().post<Json>('/api/admin/menu/categories', { name: 'Other', replacesId: first.id });
    expect(again.status).toBe(422);
    expect((await admin().post<Json>('/api/admin/menu/', { name: 'X', price: ron(1), categoryId: first.id })).status).toBe(422);
    expect((await shop.b.admin.post<Json>('/api/admin/menu/', { name: 'X', price: ron(1), categoryId: next.id })).status).toBe(
      404,
    );
  });

  it('filters by allergen, station and state, and refuses bad prices', async () => {
    const item = await addItem(shop.a, { allergens: ['fish', 'milk'], station: 'bar' });
    const ids = async (query: string) =>
      (await must(admin().get<Json>(`/api/admin/menu/?limit=100&${query}`), 200)).data.map(({ id }: Json) => id);
    expect(await ids('allergens=fish&station=bar&isAvailable=true')).toEqual([item.id]);
    expect(await ids('allergens=lupin')).toEqual([]);
    await must(admin().patch(`/api/admin/menu/${item.id}`, { isAvailable: false, archived: true }), 200);
    expect(await ids('archived=true')).toEqual([item.id]);
    const { categoryId } = item;
    for (const price of [ron(-1), { amount: 1, currency: 'EUR' }])
      expect((await admin().post('/api/admin/menu/', { name: 'X', categoryId, price })).status).toBe(422);
  });

  it('sells nothing that is off, retired, sold out, or of another hour', async () => {
    const off = await addItem(shop.a, { isAvailable: false });
    const retired = await addItem(shop.a, { archived: true });
    const few = await addItem(shop.a, { stockQty: 2 });
    // It is 12:00, a Friday.
    const breakfast = await addItem(shop.a, {
      categoryId: (await addCategory(shop.a, { availableFrom: '07:00', availableTo: '12:00' })).id,
    });
    const night = await addItem(shop.a, {
      categoryId: (await addCategory(shop.a, { availableFrom: '22:00', availableTo: '12:01', availableDays: ['thu'] })).id,
    });
    const row = await check(shop.a, night);
    const reasons: unknown[] = [];
    for (const [item, qty] of [
      [off, 1],
      [retired, 1],
      [few, 3],
      [breakfast, 1],
    ] as const) {
      const answer = await round(admin(), row.id, [{ menuItemId: item.id, qty }]);
      expect(answer.status).toBe(409);
      reasons.push([answer.body.code, answer.body.reason, answer.body.available]);
    }
    expect(reasons).toEqual([
      ['item_unavailable', 'off', null],
      ['item_unavailable', 'archived', null],
      ['item_unavailable', 'out_of_stock', 2],
      ['item_unavailable', 'not_served_now', null],
    ]);
    // A round with an unavailable item leaves nothing; two lines of one item count together.
    expect(
      (
        await round(admin(), row.id, [
          { menuItemId: few.id, qty: 1 },
          { menuItemId: off.id, qty: 1 },
        ])
      ).status,
    ).toBe(409);
    expect(
      (
        await round(admin(), row.id, [
          { menuItemId: few.id, qty: 1 },
          { menuItemId: few.id, qty: 2 },
        ])
      ).status,
    ).toBe(409);
    expect(await stock(few)).toBe(2);
    expect((await round(shop.b.admin, row.id, [{ menuItemId: few.id, qty: 1 }])).status).toBe(404);
  });

  it('prices modifiers, and wants as many as a group says', async () => {
    const item = await addItem(shop.a, {
      price: ron(2000),
      modifierGroups: [
        { name: 'Side', min: 1, max: 1, options: [{ name: 'Rice' }, { name: 'Fries', priceDelta: ron(500) }] },
        { name: 'Extra', max: 2, options: [{ name: 'Cheese', priceDelta: ron(300) }] },
      ],
    });
    const row = await check(shop.a, await addItem(shop.a));
    const ordered = (...modifiers: [group: string, option: string][]) =>
      round(admin(), row.id, [
        { menuItemId: item.id, qty: 2, modifiers: modifiers.map(([group, option]) => ({ group, option })) },
      ]);
    const good = await must(ordered(['Side', 'Fries'], ['Extra', 'Cheese'], ['Extra', 'Cheese']), 201);
    expect(good.rounds[1].items[0].unitPrice).toEqual(ron(3100));
    for (const bad of [
      [],
      [
        ['Side', 'Rice'],
        ['Side', 'Fries'],
      ],
      [['Side', 'Soup']],
      [
        ['Side', 'Rice'],
        ['Sauce', 'Hot'],
      ],
    ])
      expect((await ordered(...(bad as [string, string][]))).status).toBe(422);
  });
});

it('a modifier cannot reduce the price of its item below 0', async () => {
  const cheap = {
    price: ron(100),
    modifierGroups: [{ name: 'Size', options: [{ name: 'Big' }, { name: 'Small', priceDelta: ron(-500) }] }],
  };
  const { categoryId } = await addItem(shop.a);
  const create = (more: Json) => admin().post<Json>('/api/admin/menu/', { name: 'Tea', categoryId, ...more });
  const refused = { status: 422, body: { errors: [{ pointer: '/modifierGroups/0/options/1/priceDelta', code: 'too_small' }] } };
  expect(await create(cheap)).toMatchObject(refused);
  const made = await must(create({ ...cheap, price: ron(500) }), 201);
  expect(await admin().patch(`/api/admin/menu/${made.id}`, { price: ron(499) })).toMatchObject(refused);
  const [group] = cheap.modifierGroups;
  expect(await admin().patch(`/api/admin/menu/${made.id}`, { modifierGroups: [{ ...group, max: 2 }] })).toMatchObject(refused);
  expect((await admin().patch(`/api/admin/menu/${made.id}`, { price: ron(600) })).status).toBe(200);
});

describe('a check', () => {
  it('keeps its prices, adds rounds, and is paid with discount, service and tip', async () => {
    await setUp(shop.a, { serviceBp: 1000 });
    const item = await addItem(shop.a, { price: ron(1999) });
    const row = await check(shop.a, item, { covers: 2 });
    await setUp(shop.a, { serviceBp: 0 });
    await must(admin().patch(`/api/admin/menu/${item.id}`, { price: ron(9999) }), 200);
    expect(row).toMatchObject({ status: 'open', subtotal: ron(1999), service: ron(200), tax: ron(0), total: ron(2199) });
    const more = await must(round(admin(), row.id, [{ menuItemId: item.id, qty: 2, note: 'No salt', course: 2 }]), 201);
    expect(more.rounds.map(({ items }: Json) => items.length)).toEqual([1, 1]);
    expect(more.subtotal).toEqual(ron(1999 + 2 * 9999));
    const second = more.rounds[1].items[0];
    const less = await must(move(admin(), row.id, { items: [{ id: second.id, status: 'cancelled' }] }), 200);
    expect(less.total).toEqual(ron(2199));
    const first = { ...less, rounds: [less.rounds[0]] };
    await serve(shop.a, first);
    const reopened = await must(move(admin(), row.id, { status: 'served' }), 200);
    expect(reopened.status).toBe('served');
    const billed = await must(move(admin(), row.id, { status: 'billed', discountBp: 5000, tip: ron(300) }), 200);
    // 1999 less half of it, rounded away from zero, and a tenth for the service.
    expect(billed).toMatchObject({ discount: ron(1000), service: ron(100), tip: ron(300), total: ron(1399) });
    const short = await move(admin(), row.id, { status: 'paid', payments: [{ method: 'cash', amount: ron(1000) }] });
    expect(short).toMatchObject({ status: 402, body: { code: 'payment_required', due: ron(399) } });
    const paid = await must(
      move(admin(), row.id, {
        status: 'paid',
        payments: [
          { method: 'cash', amount: ron(1000) },
          { method: 'card', amount: ron(399) },
        ],
      }),
      200,
    );
    expect(paid.payments.map(({ method, amount }: Json) => [method, amount.amount])).toEqual([
      ['cash', 1000],
      ['card', 399],
    ]);
    const repeated = await must(
      move(admin(), row.id, { status: 'paid', payments: [{ method: 'cash', amount: ron(1399) }] }),
      200,
    );
    expect(repeated.payments).toHaveLength(2);
    for (const answer of [
      await round(admin(), row.id, [{ menuItemId: item.id, qty: 1 }]),
      await move(admin(), row.id, { items: [{ id: second.id, status: 'cancelled' }] }),
    ])
      expect(answer).toMatchObject({ status: 409, body: { code: 'order_closed' } });
  });

  it('takes more than its total in cash only, for which change is given', async () => {
    const dish = () => addItem(shop.a, { price: ron(3333) });
    const [row, other] = [await check(shop.a, await dish()), await check(shop.a, await dish())];
    for (const one of [row, other]) await serve(shop.a, one);
    const pay = (id: string, ...payments: [method: string, amount: number][]) =>
      move(admin(), id, { status: 'paid', payments: payments.map(([method, amount]) => ({ method, amount: ron(amount) })) });
    for (const payments of [
      [['card', 999_999]],
      [
        ['cash', 100],
        ['card', 3334],
      ],
      [
        ['card', 2000],
        ['voucher', 1334],
      ],
    ] as [string, number][][])
      expect(await pay(row.id, ...payments)).toMatchObject({ status: 422, body: { code: 'change_not_cash', due: ron(3333) } });
    const paid = await must(pay(row.id, ['cash', 5000], ['card', 3333]), 200);
    expect(paid.payments).toHaveLength(2);
    await must(pay(other.id, ['cash', 5000]), 200);
  });

  it('is taxed a line on what the discount leaves', async () => {
    const taxed = await restaurantShop({ plugins: ['restaurant', 'taxes'] });
    try {
      const category = await must(
        taxed.a.admin.post<Json>('/api/admin/taxes/categories', { code: 'food', name: 'Food', isDefault: true }),
        201,
      );
      await must(
        taxed.a.admin.post<Json>('/api/admin/taxes/rates', {
          categoryId: category.id,
          country: 'RO',
          ratePpm: 110_000,
          validFrom: '2026-01-01',
        }),
        201,
      );
      const setting = (value: string | null) => taxed.a.admin.put('/api/admin/settings/restaurant.taxCategoryId', { value });
      expect((await setting(uuidv7())).status).toBe(404);
      expect((await setting(category.id)).status).toBe(200);
      expect((await setting(null)).status).toBe(200);
      const item = await addItem(taxed.a, { price: ron(999), taxCategoryId: category.id });
      const menu = `/api/admin/menu/${item.id}`;
      expect((await taxed.a.admin.patch<Json>(menu, { taxCategoryId: uuidv7() })).body).toMatchObject({
        status: 404,
        errors: [{ pointer: '/taxCategoryId' }],
      });
      expect((await taxed.a.admin.delete<Json>(`/api/admin/taxes/categories/${category.id}`)).body).toMatchObject({
        code: 'in_use',
        counts: { menu: 1 },
      });
      const row = await check(taxed.a, item, { discountBp: 1000 });
      // 999 less 100, of which 11/111 is VAT.
      expect(row).toMatchObject({ discount: ron(100), total: ron(899), tax: ron(89) });
    } finally {
      await taxed.stop();
    }
  });

  it('that was served goes back to the kitchen with another round, and can’t be billed before it is served', async () => {
    const item = await addItem(shop.a, { price: ron(1000) });
    const row = await check(shop.a, item);
    await serve(shop.a, row);
    await must(move(admin(), row.id, { status: 'served' }), 200);
    const more = await must(round(admin(), row.id, [{ menuItemId: item.id, qty: 1 }]), 201);
    expect(more.status).toBe('sent');
    const kitchen = await must(admin().get<Json>('/api/admin/table-orders/?status=sent&limit=100'), 200);
    expect(kitchen.data.map(({ id }: Json) => id)).toContain(row.id);
    expect((await move(admin(), row.id, { status: 'billed' })).body).toMatchObject({
      code: 'invalid_transition',
      from: 'sent',
      to: 'billed',
    });
    // A check that was served with a waiting item before this rule asks for the item.
    await shop.rows("update restaurant_order set status = 'served' where id = $1", [row.id]);
    const asked = await move(admin(), row.id, { status: 'billed' });
    const waiting = more.rounds[1].items[0];
    expect(asked).toMatchObject({ status: 409, body: { code: 'items_waiting', items: [{ id: waiting.id, status: 'queued' }] } });
    for (const status of ['preparing', 'ready', 'served'])
      await must(move(admin(), row.id, { items: [{ id: waiting.id, status }] }), 200);
    expect((await must(move(admin(), row.id, { status: 'billed' }), 200)).total).toEqual(ron(2000));
  });

  it('follows its machine, and that of its items', async () => {
    const item = await addItem(shop.a, { stockQty: 10 });
    const row = await check(shop.a, item);
    const [one] = row.rounds[0].items;
    expect((await move(admin(), row.id, { status: 'paid' })).body).toMatchObject({
      code: 'invalid_transition',
      from: 'open',
      allowed: ['sent', 'cancelled'],
    });
    await must(move(admin(), row.id, { status: 'sent' }), 200);
    const notYet = await move(admin(), row.id, { status: 'ready' });
    expect(notYet.body).toMatchObject({ code: 'invalid_transition', from: 'sent', to: 'ready', allowed: ['cancelled'] });
    expect((await move(admin(), row.id, { items: [{ id: one.id, status: 'served' }] })).body.code).toBe('invalid_transition');
    for (const status of ['preparing', 'preparing', 'ready'])
      await must(move(admin(), row.id, { items: [{ id: one.id, status }] }), 200);
    await must(move(admin(), row.id, { status: 'ready' }), 200);
    const more = await must(round(admin(), row.id, [{ menuItemId: item.id, qty: 3 }]), 201);
    expect(more.status).toBe('sent');
    expect(await stock(item)).toBe(6);
    expect((await move(admin(), row.id, {})).body).toEqual(more);
    for (const body of [
      { reason: 'Nothing else' },
      { status: 'cancelled' },
      { status: 'open' },
      { status: 'sent', items: [{ id: one.id, status: 'ready' }] },
      { status: 'ready', tip: ron(1) },
      { status: 'billed', payments: [{ method: 'cash', amount: ron(1) }] },
      { status: 'billed', tip: { amount: 1, currency: 'EUR' } },
      { status: 'billed', tip: ron(-1) },
      { items: [{ id: one.id, status: 'queued' }] },
    ])
      expect((await move(admin(), row.id, body)).status).toBe(422);
    const other = await check(shop.a, item);
    expect((await move(admin(), row.id, { items: [{ id: other.rounds[0].items[0].id, status: 'ready' }] })).status).toBe(404);
    expect((await move(shop.b.admin, row.id, { status: 'sent' })).status).toBe(404);
    // What the kitchen hasn't begun is sold to others again.
    const cancelled = await must(move(admin(), row.id, { status: 'cancelled', reason: 'Left' }), 200);
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelReason: 'Left', total: ron(0) });
    expect(await stock(item)).toBe(8);
  });

  it('is opened again only with its permission', async () => {
    const row = await serve(shop.a, await check(shop.a, await addItem(shop.a)));
    const waiter = await shop.a.staff(['restaurant.order.update', 'restaurant.order.read']);
    expect(await move(waiter, row.id, { status: 'served' })).toMatchObject({
      status: 403,
      body: { code: 'forbidden', permission: 'restaurant.order.reopen' },
    });
    const chief = await shop.a.staff(['restaurant.order.update', 'restaurant.order.reopen']);
    await must(move(chief, row.id, { status: 'served' }), 200);
    expect((await move(await shop.a.staff(['restaurant.order.read']), row.id, { status: 'billed' })).status).toBe(403);
  });

  it('is one a table, unless it is split; the last that is paid leaves it dirty', async () => {
    const table = await addTable(shop.a);
    const item = await addItem(shop.a);
    const first = await check(shop.a, item, { tableId: table.id });
    expect((await open(admin(), { tableId: table.id })).body).toMatchObject({ code: 'table_occupied', orderId: first.id });
    const half = await check(shop.a, item, { tableId: table.id, split: true });
    for (const body of [{ occupancy: 'free' }, { occupancy: 'out_of_service' }])
      expect((await admin().patch<Json>(`/api/admin/tables/${table.id}`, body)).body.code).toBe('table_occupied');
    expect((await admin().patch<Json>(`/api/admin/tables/${table.id}`, { occupancy: 'occupied' })).status).toBe(422);
    const pay = (row: Json) => move(admin(), row.id, { status: 'paid', payments: [{ method: 'cash', amount: ron(1000) }] });
    await serve(shop.a, first);
    await must(pay(first), 200);
    expect(await occupancy(shop.a, table)).toBe('occupied');
    await serve(shop.a, half);
    await must(pay(half), 200);
    expect(await occupancy(shop.a, table)).toBe('dirty');
    await must(admin().patch(`/api/admin/tables/${table.id}`, { occupancy: 'out_of_service' }), 200);
    expect((await open(admin(), { tableId: table.id })).status).toBe(422);
  });

  it('of a reservation seats the party, and with the payment lets it go', async () => {
    const { area, tables } = await addArea(shop.a, [2, 2]);
    const [one, two] = tables as [Json, Json];
    const row = await reserved(shop.a, { area, tableIds: [one.id], startsAt: '2026-05-01T10:00:00.000Z' });
    expect((await open(admin(), { tableId: two.id, reservationId: row.id })).status).toBe(422);
    const made = await check(shop.a, await addItem(shop.a), { tableId: one.id, reservationId: row.id });
    const states = async () =>
      (await must(admin().get<Json>(`/api/admin/restaurant-reservations/?tableId=${one.id}`), 200)).data.map(
        ({ status }: Json) => status,
      );
    expect(await states()).toEqual(['seated']);
    await serve(shop.a, made);
    await must(move(admin(), made.id, { status: 'paid', payments: [{ method: 'card', amount: ron(1000) }] }), 200);
    expect(await states()).toEqual(['completed']);
    expect((await change(shop.a, row.id, { status: 'cancelled' })).body.code).toBe('invalid_transition');
    expect(await occupancy(shop.a, one)).toBe('dirty');
  });
});

describe('tables', () => {
  it('have labels of their own in an area, and an occupancy at any time', async () => {
    const { area, tables } = await addArea(shop.a, [2]);
    const [table] = tables as [Json];
    const twice = { label: table.label.toLowerCase(), area, seats: 2 };
    expect((await admin().post<Json>('/api/admin/tables/', twice)).body.code).toBe('duplicate');
    await must(admin().post<Json>('/api/admin/tables/', { ...twice, area: 'elsewhere' }), 201);
    expect((await admin().post<Json>('/api/admin/tables/', { ...twice, occupancy: 'dirty' })).status).toBe(422);
    await reserved(shop.a, { area, startsAt: '2026-05-04T16:00:00.000Z' });
    expect(await occupancy(shop.a, table, '2026-05-04T15:59:59.000Z')).toBe('free');
    expect(await occupancy(shop.a, table, '2026-05-04T16:00:00.000Z')).toBe('reserved');
    expect(await occupancy(shop.a, table, '2026-05-04T17:30:00.000Z')).toBe('free');
  });
});

describe('figures', () => {
  it('agree with the lists', async () => {
    const stats = await must(admin().get<Json>('/api/admin/dashboard/restaurant-stats'), 200);
    const paid = (await must(admin().get<Json>('/api/admin/table-orders/?status=paid&limit=100'), 200)).data as Json[];
    const revenue = paid.reduce((sum, { total, tip }) => sum + total.amount - tip.amount, 0);
    expect(stats.metrics.revenueToday).toEqual(ron(revenue));
    expect(stats.metrics.avgCheck).toEqual(ron(Math.round(revenue / paid.length)));
    const running = await must(
      admin().get<Json>('/api/admin/table-orders/?status[in]=open,sent,ready,served,billed&total=true'),
      200,
    );
    expect(stats.metrics.openOrders).toBe(running.page.total);
    const day = (await must(admin().get<Json>('/api/admin/restaurant-reservations/?date=2026-05-01&limit=100'), 200)).data;
    expect(stats.metrics.reservationsToday.completed).toBe(day.filter(({ status }: Json) => status === 'completed').length);
    expect(stats.metrics.coversToday).toBe(2);
    expect(Object.keys(stats.metrics).sort()).toEqual(
      [
        'coversToday',
        'reservationsToday',
        'arrivalsNext2h',
        'tables',
        'openOrders',
        'revenueToday',
        'avgCheck',
        'avgTurnMin',
        'noShowPct30d',
      ].sort(),
    );
    expect(stats.metrics.tables.dirty).toBeGreaterThan(0);
    expect(stats.lists.topItems[0]).toMatchObject({ qty: 2, amount: ron(2000) });
    const none = await must(shop.b.admin.get<Json>('/api/admin/dashboard/restaurant-stats'), 200);
    expect(none.metrics).toMatchObject({ coversToday: 0, avgCheck: null, avgTurnMin: null, noShowPct30d: null });
    expect(none.lists.topItems).toEqual([]);
  });
});
