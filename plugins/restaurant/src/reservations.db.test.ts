import { runJob, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addArea,
  ask,
  change,
  find,
  type Json,
  must,
  occupancy,
  party,
  reserve,
  reserved,
  restaurantShop,
  setUp,
} from '../test/shop.ts';
import plugin from './index.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop({ workers: false });
});
afterAll(() => shop?.stop());
const start = '2026-05-01T09:00:00.000Z';
const at = (instant: string): void => shop.clock.freeze(instant);

describe('a stay', () => {
  it('is tested as a whole, with its turnover, and back to back is allowed (B10, C1, C2, C5)', async () => {
    await setUp(shop.a, { turnoverMin: 15 });
    const { area } = await addArea(shop.a, [2]);
    const request = (time: string, durationMin: number) =>
      reserve(shop.a.admin, { area, durationMin, startsAt: `2026-05-04T${time}:00.000Z` });
    await must(request('16:00', 120), 201);
    const statuses: number[] = [];
    for (const [time, minutes] of [
      ['16:30', 90],
      ['17:00', 15],
      ['15:00', 240],
      ['15:30', 30],
      ['18:00', 60],
      ['18:15', 60],
      ['15:00', 30],
    ] as const)
      statuses.push((await request(time, minutes)).status);
    await setUp(shop.a, { turnoverMin: 0 });
    // 15:30 to 16:00 would need a quarter of an hour after it, 18:00 comes before the table is ready.
    expect(statuses).toEqual([409, 409, 409, 409, 409, 201, 201]);
  });

  it('that has no table names the nearest starts', async () => {
    const { area } = await addArea(shop.a, [2]);
    await reserved(shop.a, { area, startsAt: '2026-05-04T16:00:00.000Z', durationMin: 90 });
    const answer = await reserve(shop.a.admin, { area, startsAt: '2026-05-04T16:40:00.000Z' });
    expect(answer.body).toMatchObject({
      code: 'no_table_available',
      alternatives: [
        '2026-05-04T14:00:00.000Z',
        '2026-05-04T14:15:00.000Z',
        '2026-05-04T14:30:00.000Z',
        '2026-05-04T17:30:00.000Z',
        '2026-05-04T17:45:00.000Z',
        '2026-05-04T18:00:00.000Z',
      ],
    });
    await reserved(shop.a, { area, startsAt: answer.body.alternatives[2] });
  });

  it('is refused for hours, notice, party size, and missing contact data', async () => {
    const { area } = await addArea(shop.a, [6]);
    await setUp(shop.a, {
      openingHours: { mon: [{ start: '18:00', end: '23:00' }] },
      minAdvanceMin: 60,
      maxAdvanceDays: 30,
      maxParty: 6,
      minParty: 2,
      lastSeating: '22:00',
    });
    const tried: (string | number)[] = [];
    for (const more of [
      { startsAt: '2026-05-04T14:59:00.000Z' },
      { startsAt: '2026-05-04T19:01:00.000Z' },
      { startsAt: '2026-05-05T16:00:00.000Z' },
      { startsAt: '2026-04-27T16:00:00.000Z' },
      { startsAt: '2026-06-01T16:00:00.000Z' },
      { partySize: 7 },
      { partySize: 1 },
      { email: null, phone: null },
      { startsAt: null },
      { startsAt: '2026-05-04T19:00:00.000Z' },
    ]) {
      const answer = await reserve(shop.a.admin, { area, ...more });
      tried.push(answer.status === 201 ? 201 : (answer.body.errors?.[0]?.code ?? answer.body.code));
    }
    // A guest must ask an hour ahead, staff needn't.
    at('2026-05-11T15:30:00.000Z');
    const soon = { area, startsAt: '2026-05-11T16:00:00.000Z' };
    tried.push((await ask(shop.a.guest, soon)).body.code, (await reserve(shop.a.admin, soon)).status);
    at(start);
    await setUp(shop.a, {
      openingHours: null,
      minAdvanceMin: 0,
      maxAdvanceDays: 90,
      maxParty: 20,
      minParty: 1,
      lastSeating: null,
    });
    expect(tried).toEqual([
      'outside_hours',
      'outside_hours',
      'outside_hours',
      'too_soon',
      'too_far',
      'party_size',
      'party_size',
      'required',
      'required',
      201,
      'too_soon',
      201,
    ]);
  });

  it('belongs to its shop alone', async () => {
    const { area, tables } = await addArea(shop.a, [2]);
    expect((await reserve(shop.b.admin, { tableIds: [tables[0]?.id] })).status).toBe(404);
    const row = await reserved(shop.a, { area });
    expect((await change(shop.b, row.id, { status: 'cancelled' })).status).toBe(404);
    expect(await find(shop.b, `area=${area}`)).toEqual([]);
  });
});

describe('a change', () => {
  it('keeps the table where it does, finds another where not, and holds on to the old one when refused', async () => {
    const { area, tables } = await addArea(shop.a, [2, 2]);
    const [one, two] = tables as [Json, Json];
    const row = await reserved(shop.a, { area, tableIds: [two.id], startsAt: '2026-05-06T16:00:00.000Z' });
    const later = await must(change(shop.a, row.id, { startsAt: '2026-05-06T16:30:00.000Z' }), 200);
    expect(later).toMatchObject({ tableIds: [two.id], endsAt: '2026-05-06T18:00:00.000Z', durationMin: 90 });
    await reserved(shop.a, { area, tableIds: [two.id], startsAt: '2026-05-06T18:00:00.000Z' });
    const moved = await must(change(shop.a, row.id, { startsAt: '2026-05-06T17:00:00.000Z' }), 200);
    expect(moved.tableIds).toEqual([one.id]);
    await reserved(shop.a, { area, tableIds: [two.id], startsAt: '2026-05-06T16:00:00.000Z', durationMin: 60 });
    await reserved(shop.a, { area, tableIds: [one.id], startsAt: '2026-05-06T19:00:00.000Z' });
    expect((await change(shop.a, row.id, { startsAt: '2026-05-06T18:00:00.000Z' })).body.code).toBe('no_table_available');
    expect((await change(shop.a, row.id, { partySize: 3 })).body.code).toBe('no_table_available');
    expect((await find(shop.a, `id=${row.id}`))[0]).toMatchObject({ startsAt: '2026-05-06T17:00:00.000Z', partySize: 2 });
    expect((await reserve(shop.a.admin, { tableIds: [one.id], startsAt: '2026-05-06T17:30:00.000Z' })).status).toBe(409);
  });

  it('of status follows the machine, with its effects', async () => {
    const { area, tables } = await addArea(shop.a, [2]);
    const [table] = tables as [Json];
    const body = { area, startsAt: '2026-05-07T16:00:00.000Z' };
    const first = await reserved(shop.a, body);
    expect((await change(shop.a, first.id, { status: 'no_show' })).body).toMatchObject({
      code: 'invalid_transition',
      from: 'confirmed',
      to: 'no_show',
      allowed: ['cancelled', 'seated'],
    });
    expect((await change(shop.a, first.id, { status: 'expired' })).status).toBe(422);
    const cancelled = await must(change(shop.a, first.id, { status: 'cancelled', cancelReason: 'Ill' }), 200);
    expect(cancelled).toMatchObject({ status: 'cancelled', cancelReason: 'Ill' });
    await must(change(shop.a, first.id, { status: 'cancelled' }), 200);
    expect((await change(shop.a, first.id, { status: 'confirmed' })).body.code).toBe('invalid_transition');
    expect((await change(shop.a, first.id, { partySize: 1 })).body.code).toBe('invalid_transition');
    const second = await reserved(shop.a, body);
    at('2026-05-07T16:14:59.000Z');
    expect((await change(shop.a, second.id, { status: 'no_show' })).status).toBe(409);
    at('2026-05-07T16:15:00.000Z');
    expect(await occupancy(shop.a, table)).toBe('reserved');
    await must(change(shop.a, second.id, { status: 'no_show' }), 200);
    expect(await occupancy(shop.a, table)).toBe('free');
    const third = await reserved(shop.a, { ...body, startsAt: '2026-05-07T16:30:00.000Z' });
    await must(change(shop.a, third.id, { status: 'seated' }), 200);
    expect(await occupancy(shop.a, table)).toBe('occupied');
    await must(change(shop.a, third.id, { status: 'completed' }), 200);
    expect(await occupancy(shop.a, table)).toBe('dirty');
    const states = await shop.rows<{ to_status: string }>(
      'select to_status from core_status_history where entity_id = $1 order by at, id',
      [third.id],
    );
    expect(states.map(({ to_status }) => to_status)).toEqual(['confirmed', 'seated', 'completed']);
    at(start);
  });

  it('of tables takes a seated party along with its check', async () => {
    const { area, tables } = await addArea(shop.a, [2, 2]);
    const [one, two] = tables as [Json, Json];
    const row = await reserved(shop.a, { area, source: 'walkin', startsAt: null, tableIds: [one.id], email: null });
    expect(row).toMatchObject({ status: 'seated', source: 'walkin', tableIds: [one.id] });
    const check = await must(
      shop.a.admin.post<Json>('/api/admin/table-orders/', { tableId: one.id, reservationId: row.id }),
      201,
    );
    expect(check.covers).toBe(2);
    const moved = await must(change(shop.a, row.id, { tableIds: [two.id] }), 200);
    expect(moved.tableIds).toEqual([two.id]);
    expect(await occupancy(shop.a, one)).toBe('dirty');
    expect(await occupancy(shop.a, two)).toBe('occupied');
    const list = await must(shop.a.admin.get<Json>(`/api/admin/table-orders/?reservationId=${row.id}`), 200);
    expect(list.data[0].tableId).toBe(two.id);
    const walkIn = { area, source: 'walkin', startsAt: null };
    expect((await reserve(shop.a.admin, { ...walkIn, tableIds: [two.id] })).body.code).toBe('table_occupied');
    // The other table is free of guests, and dirty.
    expect((await reserve(shop.a.admin, walkIn)).body.code).toBe('no_table_available');
    await must(shop.a.admin.patch(`/api/admin/tables/${one.id}`, { occupancy: 'free' }), 200);
    await must(reserve(shop.a.admin, walkIn), 201);
  });
});

describe('a request that staff must confirm', () => {
  it('keeps its table until the hold is over, then gives table and covers back', async () => {
    await setUp(shop.a, { autoConfirm: false, maxCoversPerSlot: 2 });
    const { area, tables } = await addArea(shop.a, [2]);
    const body = { area, startsAt: '2026-05-03T16:00:00.000Z' };
    const asked = await must(ask(shop.a.guest, body), 201);
    expect(asked).toMatchObject({ status: 'pending', holdExpiresAt: '2026-05-02T09:00:00.000Z' });
    expect((await ask(shop.a.guest, body)).status).toBe(409);
    const near = await must(ask(shop.a.guest, { ...body, startsAt: '2026-05-01T12:00:00.000Z' }), 201);
    expect(near.holdExpiresAt).toBe('2026-05-01T12:00:00.000Z');
    at('2026-05-02T09:00:00.000Z');
    const [row] = (await find(shop.a, `reference=${asked.reference}`)) as [Json];
    expect((await change(shop.a, row.id, { status: 'confirmed' })).status).toBe(410);
    expect(await occupancy(shop.a, tables[0] as Json, '2026-05-03T16:30:00.000Z')).toBe('free');
    const taken = await must(ask(shop.a.guest, body), 201);
    expect((await find(shop.a, `reference=${asked.reference}`))[0]?.status).toBe('expired');
    const [mine] = (await find(shop.a, `reference=${taken.reference}`)) as [Json];
    const confirmed = await must(change(shop.a, mine.id, { status: 'confirmed' }), 200);
    expect(confirmed).toMatchObject({ status: 'confirmed', holdExpiresAt: null });
    await runJob(shop, plugin, 'lapse');
    expect((await find(shop.a, `reference=${near.reference}`))[0]?.status).toBe('expired');
    await setUp(shop.a, { autoConfirm: true, maxCoversPerSlot: null });
    at(start);
  });

  it('frees its covers with its hold, for any request', async () => {
    await setUp(shop.a, { autoConfirm: false, maxCoversPerSlot: 2 });
    const [one, two] = [await addArea(shop.a, [2]), await addArea(shop.a, [2])];
    const startsAt = '2026-05-12T16:00:00.000Z';
    const asked = await must(ask(shop.a.guest, { area: one.area, startsAt }), 201);
    expect((await ask(shop.a.guest, { area: two.area, startsAt })).body.code).toBe('capacity_exceeded');
    at(asked.holdExpiresAt);
    await must(ask(shop.a.guest, { area: two.area, startsAt }), 201);
    expect((await ask(shop.a.guest, { area: two.area, startsAt })).status).toBe(409);
    await setUp(shop.a, { autoConfirm: true, maxCoversPerSlot: null });
    at(start);
  });

  it('without automatic tables gets one from staff, and can not sit down before', async () => {
    await setUp(shop.a, { autoAssign: false });
    const { area, tables } = await addArea(shop.a, [2]);
    const row = await reserved(shop.a, { area });
    expect(row.tableIds).toEqual([]);
    expect((await change(shop.a, row.id, { status: 'seated' })).body.code).toBe('no_table_available');
    await must(change(shop.a, row.id, { tableIds: [tables[0]?.id] }), 200);
    expect((await reserve(shop.a.admin, { tableIds: [tables[0]?.id], partySize: 3 })).status).toBe(409);
    const later = { tableIds: [tables[0]?.id], partySize: 3, startsAt: '2026-05-09T16:00:00.000Z' };
    expect((await reserve(shop.a.admin, later)).body).toMatchObject({ code: 'party_size', seats: 2 });
    await setUp(shop.a, { autoAssign: true });
  });
});

describe('guests', () => {
  it('reserve, move and cancel with their token, until the cut-off', async () => {
    const { area } = await addArea(shop.a, [2]);
    const made = await must(ask(shop.a.guest, { area, startsAt: null, date: '2026-05-08', time: '19:00' }), 201);
    expect(made).toEqual({
      reference: expect.stringMatching(/^[\w-]{32}$/),
      status: 'confirmed',
      startsAt: '2026-05-08T16:00:00.000Z',
      partySize: 2,
      holdExpiresAt: null,
      timezone: 'Europe/Bucharest',
      manageToken: expect.stringMatching(/^[\w-]{32}$/),
    });
    const { manageToken } = made;
    const act = (body: Json) => shop.a.guest.post<Json>('/api/storefront/reservations', { manageToken, ...body });
    const moved = await must(act({ action: 'reschedule', startsAt: '2026-05-08T17:00:00.000Z' }), 200);
    expect(moved).toMatchObject({ startsAt: '2026-05-08T17:00:00.000Z', manageToken: null });
    const moves = await shop.rows(
      `select 1 from core_audit a join restaurant_reservation r on r.tenant_id = a.tenant_id
        and r.id::text = a.entity_id where r.reference = $1 and a.action like '%reschedule'`,
      [made.reference],
    );
    expect(moves).toHaveLength(1);
    expect((await act({ action: 'reschedule' })).status).toBe(422);
    expect((await act({ action: 'cancel', manageToken: 'nosuchtoken' })).status).toBe(404);
    expect((await shop.b.guest.post('/api/storefront/reservations', { manageToken, action: 'cancel' })).status).toBe(404);
    at('2026-05-08T15:00:00.001Z');
    for (const body of [{ action: 'cancel' }, { action: 'reschedule', startsAt: '2026-05-09T17:00:00.000Z' }])
      expect((await act(body)).body).toMatchObject({ code: 'cutoff_passed', until: '2026-05-08T15:00:00.000Z' });
    at('2026-05-08T15:00:00.000Z');
    expect((await must(act({ action: 'cancel' }), 200)).status).toBe('cancelled');
    expect((await must(act({ action: 'cancel' }), 200)).status).toBe('cancelled');
    expect((await act({ action: 'reschedule', startsAt: '2026-05-09T17:00:00.000Z' })).body.code).toBe('invalid_transition');
    at(start);
    const again = { area, startsAt: '2026-05-08T17:00:00.000Z' };
    await must(shop.a.guest.post('/api/v1/storefront/reservations', party({ consent: true, ...again })), 201);
    expect((await ask(shop.a.guest, { area, consent: false })).body.code).toBe('consent_required');
    expect((await ask(shop.a.guest, { area, website: 'x' })).status).toBe(422);
    expect((await ask(shop.a.guest, { area, email: null })).status).toBe(422);
    expect((await ask(shop.a.guest, { area, tableIds: [] })).body.code).toBe('unknown_field');
    expect((await ask(shop.a.guest, { area, source: 'phone' })).body.code).toBe('unknown_field');
  });
});

describe('a person', () => {
  it('is exported, and erased once they have left', async () => {
    const { area } = await addArea(shop.a, [2]);
    const email = 'erase@example.org';
    const body = { area, email, name: 'Erase Me', notes: 'Allergic to dust', phone: '+40700000001' };
    const old = await reserved(shop.a, body);
    await must(change(shop.a, old.id, { status: 'cancelled' }), 200);
    const next = await reserved(shop.a, body);
    const { exportPerson, erasePerson } = await import('./people.ts');
    const who = { emails: ['Erase@example.org'], phones: [] };
    const found = await shop.a.run('restaurant', async (ctx) => exportPerson(ctx, who));
    expect(JSON.stringify(found)).toContain('Allergic to dust');
    const reports: unknown[] = [];
    await shop.a.run(
      'restaurant',
      (ctx) => erasePerson(ctx, { ...who, report: (entry) => void reports.push(entry) }) as Promise<void>,
    );
    expect(reports).toEqual([
      {
        resource: 'restaurant.reservation',
        erased: 1,
        kept: { count: 1, reason: 'open_reservation', until: '2026-05-04T17:30:00.000Z' },
      },
    ]);
    const [erased] = await shop.rows(
      'select name, email, phone, notes, manage_token_hash from restaurant_reservation where id = $1',
      [old.id],
    );
    expect(erased).toEqual({ name: 'erased', email: null, phone: null, notes: null, manage_token_hash: null });
    expect((await find(shop.a, `id=${next.id}`))[0]?.name).toBe('Erase Me');
    expect(await shop.b.run('restaurant', async (ctx) => exportPerson(ctx, who))).toEqual([]);
  });

  it('who never came and was never struck off is forgotten too; what is said of them is in no audit log', async () => {
    const { area } = await addArea(shop.a, [2]);
    const words = { occasion: 'Jubilee of a stranger', cancelReason: 'Fell ill on the way' };
    const row = await reserved(shop.a, { area, email: 'past@example.org', ...words });
    const [audit] = await shop.rows<{ text: string }>('select t::text as text from core_audit t where entity_id = $1', [row.id]);
    expect(audit?.text).toContain('partySize');
    for (const each of Object.values(words)) expect(audit?.text).not.toContain(each);
    const { erasePerson } = await import('./people.ts');
    const who = { emails: ['past@example.org'], phones: [] };
    const reports: unknown[] = [];
    at('2026-05-06T09:00:00.000Z');
    await shop.a.run(
      'restaurant',
      (ctx) => erasePerson(ctx, { ...who, report: (entry) => void reports.push(entry) }) as Promise<void>,
    );
    at(start);
    expect(reports).toEqual([{ resource: 'restaurant.reservation', erased: 1 }]);
    expect((await find(shop.a, `id=${row.id}`))[0]).toMatchObject({ name: 'erased', occasion: null, cancelReason: null });
  });
});
