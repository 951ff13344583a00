import { crowd, repeatedUnits, type TestShop, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addArea,
  addItem,
  addTable,
  ask,
  change,
  check,
  type Json,
  move,
  must,
  open,
  reserve,
  reserved,
  restaurantShop,
  ron,
  round,
  serve,
  setUp,
} from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop({ processes: 2 });
});
afterAll(() => shop?.stop());

/** How long a crowd took, for the log: the bound itself is for machines that do nothing else. */
const say = (what: string, seconds: number): void => console.log(`restaurant: ${what} took ${Math.round(seconds * 1000)} ms`);

describe('over two processes', () => {
  it('50 guests want the last table: one gets it', async () => {
    const { area } = await addArea(shop.a, [2]);
    const before = await repeatedUnits(shop.bases);
    const { answers, seconds } = await crowd(shop.bases, 50, (at) => ask(at(shop.a.guest), { area }));
    say('50 guests for the last table', seconds);
    expect(tally(answers)).toEqual({ '201': 1, '409 no_table_available': 49 });
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const rows = await shop.rows('select 1 from restaurant_reservation where area = $1', [area]);
    expect(rows).toHaveLength(1);
  });

  it('50 guests want the last covers of an interval: as many as it holds get them', async () => {
    await setUp(shop.a, { maxCoversPerSlot: 11 });
    const { area } = await addArea(shop.a, Array(12).fill(2));
    const startsAt = '2026-05-05T16:00:00.000Z';
    const before = await repeatedUnits(shop.bases);
    const { answers, seconds } = await crowd(shop.bases, 50, (at) => ask(at(shop.a.guest), { area, startsAt }));
    await setUp(shop.a, { maxCoversPerSlot: null });
    say('50 guests for the last covers', seconds);
    expect(tally(answers)).toEqual({ '201': 5, '409 capacity_exceeded': 45 });
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const [counter] = await shop.rows<{ reserved: number }>('select reserved::int from restaurant_cover_slot where slot = $1', [
      startsAt,
    ]);
    expect(counter?.reserved).toBe(10);
  });

  it('200 staggered stays at 4 tables, named, assigned and combined: none overlap', async () => {
    const { area, tables } = await addArea(shop.a, [2, 2, 2, 2]);
    const ids = tables.map(({ id }) => id as string);
    await must(shop.a.admin.patch(`/api/admin/tables/${ids[0]}`, { combinableWith: [ids[1]] }), 200);
    const before = await repeatedUnits(shop.bases);
    const { answers, seconds } = await crowd(shop.bases, 200, (at, i) => {
      const startsAt = new Date(Date.parse('2026-05-06T10:00:00.000Z') + ((i * 7) % 120) * 5 * 60_000).toISOString();
      const pair = [ids[i % 4], ids[(i + 1) % 4]];
      const named = i % 3 === 0 ? { tableIds: i % 2 === 0 ? pair : pair.toReversed() } : {};
      return reserve(at(shop.a.admin), {
        area,
        startsAt,
        partySize: i % 5 === 1 ? 4 : 2,
        durationMin: 45 + (i % 4) * 15,
        ...named,
      });
    });
    say('200 staggered stays', seconds);
    const counts = tally(answers);
    expect(Object.keys(counts).sort()).toEqual(['201', '409 no_table_available']);
    expect(counts['201']).toBeGreaterThan(10);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const overlapping = await shop.rows(
      `select a.id from restaurant_reservation a join restaurant_reservation b
         on a.id < b.id and a.area = $1 and b.area = $1 and a.starts_at < b.ends_at and b.starts_at < a.ends_at
         and exists (select from jsonb_array_elements_text(a.table_ids) x where b.table_ids ? x)
       where a.status = 'confirmed' and b.status = 'confirmed'`,
      [area],
    );
    expect(overlapping).toEqual([]);
    const made = answers.filter(({ status }) => status === 201).length;
    const covers = await shop.rows<{ counted: number; kept: number }>(
      `select (select sum(reserved)::int from restaurant_cover_slot where slot >= '2026-05-06' and slot < '2026-05-07') as counted,
         (select sum(party_size)::int from restaurant_reservation where area = $1) as kept`,
      [area],
    );
    expect(made).toBeGreaterThan(0);
    expect(covers[0]?.counted).toBe(covers[0]?.kept);
  });

  it('guests and staff move reservations to the same table: one has it, the others keep theirs', async () => {
    const { area, tables } = await addArea(shop.a, [2, ...Array(10).fill(2)]);
    const [target, ...others] = tables as [Json, ...Json[]];
    const startsAt = '2026-05-07T16:00:00.000Z';
    const rows: Json[] = [];
    for (const { id } of others) rows.push(await reserved(shop.a, { area, startsAt, tableIds: [id] }));
    const { answers } = await crowd(shop.bases, 10, (at, i) =>
      at(shop.a.admin).patch<Json>(`/api/admin/restaurant-reservations/${rows[i]?.id}`, { tableIds: [target.id] }),
    );
    expect(tally(answers)).toEqual({ '200': 1, '409 no_table_available': 9 });
    const [seats] = await shop.rows<{ n: number }>(
      'select count(*)::int as n from restaurant_seating where reservation_id = any($1::uuid[])',
      [rows.map(({ id }) => id)],
    );
    expect(seats?.n).toBe(10);
  });

  it('a request is confirmed once, or its hold lapses, however many ask', async () => {
    await setUp(shop.a, { autoConfirm: false });
    const { area } = await addArea(shop.a, [2]);
    const asked = await must(ask(shop.a.guest, { area, startsAt: '2026-05-08T16:00:00.000Z' }), 201);
    await setUp(shop.a, { autoConfirm: true });
    const [row] = await shop.rows<{ id: string }>('select id from restaurant_reservation where reference = $1', [
      asked.reference,
    ]);
    const { answers } = await crowd(shop.bases, 20, (at, i) =>
      at(shop.a.admin).patch<Json>(`/api/admin/restaurant-reservations/${row?.id}`, {
        status: i % 2 === 0 ? 'confirmed' : 'declined',
      }),
    );
    const moves = await shop.rows<{ to_status: string }>(
      "select to_status from core_status_history where entity_id = $1 and to_status in ('confirmed', 'declined')",
      [row?.id],
    );
    expect(moves).toHaveLength(1);
    expect(tally(answers)).toEqual({ '200': 10, '409 invalid_transition': 10 });
  });

  it('40 waiters open a check at one table: there is one', async () => {
    const table = await addTable(shop.a);
    const before = await repeatedUnits(shop.bases);
    const { answers, seconds } = await crowd(shop.bases, 40, (at) => open(at(shop.a.admin), { tableId: table.id }));
    say('40 checks at one table', seconds);
    expect(tally(answers)).toEqual({ '201': 1, '409 table_occupied': 39 });
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });

  it('a check and a walk-in want one table: one of them sits there', async () => {
    const { tables } = await addArea(shop.a, [2]);
    const tableId = tables[0]?.id;
    const walkIn = { tableIds: [tableId], source: 'walkin', startsAt: null };
    const { answers } = await crowd(shop.bases, 20, (at, i) =>
      i % 2 === 0 ? open(at(shop.a.admin), { tableId }) : reserve(at(shop.a.admin), walkIn),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it('40 rounds of two dishes in opposite order sell what there is of them, and no more', async () => {
    const [one, two] = [await addItem(shop.a, { stockQty: 15 }), await addItem(shop.a, { stockQty: 100 })];
    const free = await addItem(shop.a);
    const checks = [await check(shop.a, free), await check(shop.a, free), await check(shop.a, free), await check(shop.a, free)];
    const before = await repeatedUnits(shop.bases);
    const { answers, seconds } = await crowd(shop.bases, 40, (at, i) => {
      const items = [
        { menuItemId: one.id, qty: 1 },
        { menuItemId: two.id, qty: 2 },
      ];
      return round(at(shop.a.admin), checks[i % 4]?.id, i % 2 === 0 ? items : items.toReversed());
    });
    say('40 rounds of two dishes', seconds);
    expect(tally(answers)).toEqual({ '201': 15, '409 item_unavailable': 25 });
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const left = await shop.rows<{ stock_qty: number }>(
      'select stock_qty from restaurant_menu_item where id = any($1) order by id',
      [[one.id, two.id]],
    );
    expect(left.map(({ stock_qty }) => stock_qty)).toEqual([0, 70]);
    // Rounds of one check have numbers of their own, and its sum is that of all of them.
    const list = await must(shop.a.admin.get<Json>(`/api/admin/table-orders/?limit=100`), 200);
    for (const { id } of checks) {
      const row = list.data.find((each: Json) => each.id === id) as Json;
      const items = row.rounds.flatMap((each: Json) => each.items) as Json[];
      expect(row.subtotal.amount).toBe(items.reduce((sum, { unitPrice, qty }) => sum + unitPrice.amount * qty, 0));
    }
  });

  it('a check is paid once, however often it is sent', async () => {
    const row = await serve(shop.a, await check(shop.a, await addItem(shop.a)));
    const { answers } = await crowd(shop.bases, 20, (at) =>
      move(at(shop.a.admin), row.id, { status: 'paid', payments: [{ method: 'card', amount: ron(1000) }] }),
    );
    expect(tally(answers)).toEqual({ '200': 20 });
    expect(await shop.rows('select 1 from restaurant_payment where order_id = $1', [row.id])).toHaveLength(1);
  });

  it('two halves of a bill paid simultaneously leave the table dirty and the party completed', async () => {
    const { area, tables } = await addArea(shop.a, [2]);
    const tableId = tables[0]?.id;
    const party = await reserved(shop.a, { area, source: 'walkin', startsAt: null, tableIds: [tableId] });
    const item = await addItem(shop.a);
    const halves: Json[] = [];
    for (let i = 0; i < 4; i++)
      halves.push(await serve(shop.a, await check(shop.a, item, { tableId, reservationId: party.id, split: true })));
    const before = await repeatedUnits(shop.bases);
    const { answers } = await crowd(shop.bases, 4, (at, i) =>
      move(at(shop.a.admin), halves[i]?.id, { status: 'paid', payments: [{ method: 'card', amount: ron(1000) }] }),
    );
    expect(tally(answers)).toEqual({ '200': 4 });
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const [table] = await shop.rows<{ occupancy: string }>('select occupancy from restaurant_table where id = $1', [tableId]);
    expect(table?.occupancy).toBe('dirty');
    expect((await change(shop.a, party.id, { status: 'completed' })).body.status).toBe('completed');
    expect(
      await shop.rows("select 1 from core_status_history where entity_id = $1 and to_status = 'completed'", [party.id]),
    ).toHaveLength(1);
  });

  it('a party changes tables while it pays: no deadlock', async () => {
    const item = await addItem(shop.a);
    const before = await repeatedUnits(shop.bases);
    for (let i = 0; i < 8; i++) {
      const { area, tables } = await addArea(shop.a, [2, 2]);
      const [one, two] = tables as [Json, Json];
      const party = await reserved(shop.a, { area, source: 'walkin', startsAt: null, tableIds: [one.id] });
      const row = await serve(shop.a, await check(shop.a, item, { tableId: one.id, reservationId: party.id }));
      const { answers } = await crowd(shop.bases, 6, (client, n) =>
        n % 2
          ? move(client(shop.a.admin), row.id, { status: 'paid', payments: [{ method: 'card', amount: ron(1000) }] })
          : change({ ...shop.a, admin: client(shop.a.admin) }, party.id, { tableIds: [n % 4 ? one.id : two.id] }),
      );
      expect(answers.filter((_, n) => n % 2).map(({ status }) => status)).toEqual([200, 200, 200]);
      for (const { status } of answers) expect([200, 409]).toContain(status);
    }
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });

  it('reservations of two rooms swap their intervals: no deadlock', async () => {
    const rooms = [await addArea(shop.a, [2]), await addArea(shop.a, [2])];
    const times = ['2026-05-20T15:00:00.000Z', '2026-05-20T18:00:00.000Z'];
    const rows: Json[] = [];
    for (const [i, { area }] of rooms.entries()) rows.push(await reserved(shop.a, { area, startsAt: times[i] }));
    const before = await repeatedUnits(shop.bases);
    for (let turn = 1; turn <= 12; turn++) {
      const { answers } = await crowd(shop.bases, 2, (client, i) =>
        change({ ...shop.a, admin: client(shop.a.admin) }, rows[i]?.id, { startsAt: times[(i + turn) % 2] }),
      );
      expect(tally(answers)).toEqual({ '200': 2 });
    }
    expect(await repeatedUnits(shop.bases)).toEqual(before);
    const counts = await shop.rows<{ reserved: number }>(
      'select reserved from restaurant_cover_slot where tenant_id = $1 and slot = any($2::timestamptz[]) order by slot',
      [shop.a.id, times],
    );
    expect(counts).toEqual([{ reserved: 2 }, { reserved: 2 }]);
  });

  it('items are saved while their category is renamed: no deadlock', async () => {
    const items = [await addItem(shop.a)];
    const categoryId = items[0]?.categoryId as string;
    for (let i = 0; i < 9; i++) items.push(await addItem(shop.a, { categoryId }));
    const before = await repeatedUnits(shop.bases);
    const { answers } = await crowd(shop.bases, 21, (client, i) =>
      i === 10
        ? client(shop.a.admin).post<Json>('/api/admin/menu/categories', {
            name: 'Renamed simultaneously',
            replacesId: categoryId,
          })
        : client(shop.a.admin).patch<Json>(`/api/admin/menu/${items[i % 10]?.id}`, { categoryId, prepMin: i }),
    );
    expect(answers[10]?.status).toBe(201);
    for (const { status } of answers) expect([200, 201, 422]).toContain(status);
    expect(await repeatedUnits(shop.bases)).toEqual(before);
  });

  it('items move along with a category that is renamed while they are made', async () => {
    const { categoryId } = await addItem(shop.a);
    const { answers } = await crowd(shop.bases, 21, (at, i) =>
      i === 10
        ? at(shop.a.admin).post<Json>('/api/admin/menu/categories', { name: 'Renamed', replacesId: categoryId })
        : at(shop.a.admin).post<Json>('/api/admin/menu/', { name: `Race ${i}`, price: ron(100), categoryId }),
    );
    expect(answers[10]?.status).toBe(201);
    expect(answers.filter(({ status }) => status !== 201 && status !== 422)).toEqual([]);
    expect(await shop.rows('select 1 from restaurant_menu_item where category_id = $1', [categoryId])).toEqual([]);
  });
});
