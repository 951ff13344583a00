import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { act, addType, book, change, hotelShop, type Json, must, reserved, ron, sentCalendars } from '../test/shop.ts';
import { erasePerson, exportPerson } from './people.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop();
});
afterAll(() => shop?.stop());
const at = (instant: string): void => shop.clock.freeze(instant);

describe('restrictions of a stay that is sold', () => {
  it('bind new dates only', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    const rules = async (list: Json[]): Promise<void> =>
      void (await must(
        shop.a.admin.put<Json>('/api/admin/settings/hotel.roomTypes', { value: [{ code: roomType, name: 'T', rules: list }] }),
        200,
      ));
    const row = await reserved(shop.a, { roomType, adults: 1 });
    // The 10th and 11th are sold: closed, with a minimum stay, to arrivals and departures, and with a quota that is used up.
    const span = { from: '2026-07-10', to: '2026-07-12' };
    await rules([
      { ...span, closed: true },
      { ...span, minStay: 5, minStayArrival: 5, closedToArrival: true, closedToDeparture: true, quota: 1 },
    ]);
    expect((await change(shop.a, row.id, { roomId: rooms[0]?.id })).status).toBe(200);
    expect((await change(shop.a, row.id, { adults: 2 })).status).toBe(200);
    expect((await change(shop.a, row.id, { roomId: rooms[1]?.id })).status).toBe(200);
    const violations = async (patch: Json) => {
      const { body } = await change(shop.a, row.id, patch);
      return [body.code, ...body.violations.map(({ rule, date }: Json) => `${rule} ${date}`)];
    };
    // A new night is a new date, and so are another arrival, another departure, and a length that is shorter still.
    expect(await violations({ checkOut: '2026-07-13' })).toEqual([
      'stay_not_allowed',
      'closed 2026-07-12',
      'min_stay 2026-07-12',
    ]);
    expect(await violations({ checkOut: '2026-07-11' })).toEqual([
      'stay_not_allowed',
      'min_stay 2026-07-10',
      'min_stay_arrival 2026-07-10',
      'closed_to_departure 2026-07-11',
    ]);
    await rules([{ ...span, to: '2026-07-11', closed: true, minStay: 5 }]);
    expect((await change(shop.a, row.id, { checkOut: '2026-07-13' })).status).toBe(200);
    expect((await book(shop.a.admin, { roomType })).body.code).toBe('stay_not_allowed');
    at('2026-07-10T12:00:00.000Z');
    await must(act(shop.a, row.id, 'check-in', { roomId: rooms[0]?.id }), 200);
    expect((await change(shop.a, row.id, { checkOut: '2026-07-14' })).status).toBe(200);
    at('2026-07-01T06:00:00.000Z');
    await rules([]);
  });
});

describe('rules that are easily forgotten', () => {
  it('a folio gives back no more than was paid, also by concurrent refunds', async () => {
    const { roomType } = await addType(shop.a, 1);
    const entry = (kind: string, amount: number) => ({ kind, label: 'Card', amount: ron(amount) });
    const row = await reserved(shop.a, { roomType });
    const none = await change(shop.a, row.id, { folioAdd: [entry('refund', 1)] });
    expect(none).toMatchObject({ status: 409, body: { code: 'refund_exceeds_captured', refundable: 0 } });
    // All entries of a request, or none.
    const both = [entry('payment', 5000), entry('refund', 5001)];
    expect((await change(shop.a, row.id, { folioAdd: both })).body).toMatchObject({ status: 409, refundable: 5000 });
    await must(change(shop.a, row.id, { folioAdd: [entry('payment', 5000), entry('refund', 1000)] }), 200);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        shop.a.admin.patch<Json>(`/api/admin/reservations-hotel/${row.id}`, { folioAdd: [entry('refund', 3000)] }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter(({ status }) => status !== 200))
      expect([status, body.code]).toEqual([409, 'refund_exceeds_captured']);
    const { body } = await shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`);
    expect(body.paid).toEqual(ron(1000));
  });

  it('photos of a room type are addresses that a browser can show', async () => {
    const put = (photos: string[]) =>
      shop.a.admin.put<Json>('/api/admin/settings/hotel.roomTypes', { value: [{ code: 'pictured', name: 'P', photos }] });
    for (const photo of ['javascript:alert(1)', 'data:text/html,<script>1</script>'])
      expect((await put([photo])).status, photo).toBe(422);
    expect((await put(['https://images.example/room.jpg', '/files/room.jpg'])).status).toBe(200);
    expect((await shop.a.admin.put('/api/admin/settings/hotel.roomTypes', { value: [] })).status).toBe(200);
  });

  const task = (roomId: string, type = 'departure') => shop.a.admin.post<Json>('/api/admin/housekeeping/', { roomId, type });

  it('a folio is closed once the guests have left; before, and of a stay with a fee, it is open', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const folioAdd = [{ kind: 'payment', label: 'Card', amount: ron(20_000) }];
    const row = await reserved(shop.a, { roomType, folioAdd });
    at('2026-07-10T12:00:00.000Z');
    await must(act(shop.a, row.id, 'check-in', { roomId: rooms[0]?.id }), 200);
    await must(act(shop.a, row.id, 'check-out'), 200);
    expect((await change(shop.a, row.id, { folioAdd })).body).toMatchObject({ status: 409, code: 'folio_closed' });
    expect((await change(shop.a, row.id, { notes: 'lost an umbrella' })).status).toBe(200);
    const gone = await reserved(shop.a, { roomType, checkIn: '2026-07-20', checkOut: '2026-07-21' });
    await must(change(shop.a, gone.id, { status: 'cancelled' }), 200);
    expect((await change(shop.a, gone.id, { folioAdd })).status).toBe(200);
    at('2026-07-01T06:00:00.000Z');
  });

  it('money is in the shop’s currency, and no hold is made for guests who could be there', async () => {
    const { roomType } = await addType(shop.a, 1);
    const euros = { amount: 100, currency: 'EUR' };
    expect((await book(shop.a.admin, { roomType, deposit: euros })).body).toMatchObject({
      code: 'currency_mismatch',
      errors: [{ pointer: '/deposit/currency' }],
    });
    const folioAdd = [{ kind: 'charge', label: 'Bar', amount: euros }];
    expect((await book(shop.a.admin, { roomType, folioAdd })).status).toBe(422);
    at('2026-07-01T12:00:00.000Z');
    const late = { roomType, hold: true, checkIn: '2026-07-01', checkOut: '2026-07-02' };
    expect((await book(shop.a.admin, late)).body).toMatchObject({
      status: 422,
      code: 'past_date',
      errors: [{ pointer: '/hold' }],
    });
    at('2026-07-01T06:00:00.000Z');
    const deposit = await reserved(shop.a, { roomType, deposit: ron(5000) });
    expect(deposit.deposit).toEqual(ron(5000));
  });

  it('rates are in the shop’s currency, and no two types have one code', async () => {
    const put = async (value: Json[]) => {
      const { status, body } = await shop.a.admin.put<Json>('/api/admin/settings/hotel.roomTypes', { value });
      return [status, body.code, body.errors?.map(({ pointer, code }: Json) => [pointer, code])];
    };
    const rule = (currency: string) => ({ from: '2026-07-01', to: '2026-07-31', rate: { amount: 9000, currency } });
    const twin = { code: 'twin', name: 'Twin', rules: [rule('RON')] };
    expect(await put([twin, { code: 'single', name: 'Single', rules: [rule('RON'), rule('EUR')] }])).toEqual([
      422,
      'currency_mismatch',
      [['/value/1/rules/1/rate/currency', 'currency_mismatch']],
    ]);
    expect(await put([twin, { code: 'single', name: 'Single' }, { ...twin, name: 'Twin again' }])).toEqual([
      422,
      'validation_failed',
      [['/value/2/code', 'duplicate']],
    ]);
    expect((await put([twin, { code: 'single', name: 'Single' }]))[0]).toBe(200);
    await expect(shop.a.run('hotel', (ctx) => ctx.saveSettings({ roomTypes: [twin, twin] }))).rejects.toMatchObject({
      code: 'validation_failed',
    });
    expect((await put([]))[0]).toBe(200);
  });

  it('a rule that holds on no day, or that no stay could keep to, is refused; one that was stored before still stands', async () => {
    const key = '/api/admin/settings/hotel.roomTypes';
    const put = (...rules: Json[]) => shop.a.admin.put<Json>(key, { value: [{ code: 'twin', name: 'Twin', rules }] });
    const july = { from: '2026-07-01', to: '2026-07-31' };
    for (const [rule, member, code] of [
      [{ from: '2026-07-02', to: '2026-07-01' }, 'to', 'invalid_interval'],
      [{ ...july, minStay: 4, maxStay: 3 }, 'maxStay', 'too_small'],
      [{ ...july, minStayArrival: 2, maxStayArrival: 1 }, 'maxStayArrival', 'too_small'],
    ] as const) {
      const refused = await put(july, rule);
      expect(refused.body, refused.text).toMatchObject({
        status: 422,
        errors: [{ pointer: `/value/0/rules/1/${member}`, code }],
      });
    }
    const fine = { from: '2026-07-01', to: '2026-07-01', minStay: 3, maxStay: 3, minStayArrival: 4, maxStayArrival: 5 };
    expect((await put(fine)).status).toBe(200);
    const older = [{ code: 'twin', name: 'Twin', rules: [{ from: '2026-07-02', to: '2026-07-01', minStay: 4, maxStay: 3 }] }];
    await shop.rows(
      `update core_setting set "values" = jsonb_set("values", '{roomTypes}', $1) where tenant_id = $2 and plugin = 'hotel'`,
      [JSON.stringify(older), shop.a.id],
    );
    // Any change makes every process read them again.
    expect((await shop.a.admin.put('/api/admin/settings/hotel.fewLeft', { value: 4 })).status).toBe(200);
    expect((await shop.a.admin.get<Json>(key)).body.value).toMatchObject(older);
    expect((await shop.a.admin.put(key, { value: [] })).status).toBe(200);
  });

  it('a guest in house moves only into a room that is ready and empty', async () => {
    const { roomType, rooms } = await addType(shop.a, 3);
    const [one, two, three] = rooms.map(({ id }) => id as string) as [string, string, string];
    const row = await reserved(shop.a, { roomType });
    const other = await reserved(shop.a, { roomType, checkOut: '2026-07-11' });
    at('2026-07-10T12:00:00.000Z');
    await must(act(shop.a, row.id, 'check-in', { roomId: one }), 200);
    await must(act(shop.a, other.id, 'check-in', { roomId: two }), 200);
    const cleaning = await must(task(three, 'deep'), 201);
    await must(shop.a.admin.patch<Json>(`/api/admin/housekeeping/${cleaning.id}`, { status: 'in_progress' }), 200);
    at('2026-07-11T08:00:00.000Z');
    // Its guests should have left this morning.
    expect((await change(shop.a, row.id, { roomId: two })).body.code).toBe('room_occupied');
    expect((await change(shop.a, row.id, { roomId: three })).body.code).toBe('room_not_ready');
    expect((await change(shop.a, row.id, { roomId: null })).body.code).toBe('invalid_transition');
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`), 200);
    expect(shown.roomId).toBe(one);
    at('2026-07-01T06:00:00.000Z');
  });

  it('a room keeps its type, and beds their room, while that is sold', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    await reserved(shop.a, { roomType });
    await reserved(shop.a, { roomType, checkIn: '2026-07-11', checkOut: '2026-07-13' });
    const patch = (room: Json, body: Json) => shop.a.admin.patch<Json>(`/api/admin/rooms/${room.id}`, body);
    expect((await patch(rooms[0] as Json, { roomType: 'other' })).body).toMatchObject({ code: 'in_use', counts: { nights: 1 } });
    const { rooms: sold } = await addType(shop.a, 1);
    await reserved(shop.a, { roomId: sold[0]?.id });
    const bed = { number: 'bed of a sold room', roomType: 'bed', maxAdults: 1, baseRate: ron(1), parentRoomId: sold[0]?.id };
    expect((await shop.a.admin.post<Json>('/api/admin/rooms/', bed)).body).toMatchObject({
      code: 'in_use',
      counts: { nights: 2 },
    });
  });

  it('housekeeping goes its way, with one open departure task a room', async () => {
    const { rooms } = await addType(shop.a, 1);
    const roomId = rooms[0]?.id as string;
    const { id } = await must(task(roomId), 201);
    expect((await task(roomId)).status).toBe(409);
    const seen: unknown[] = [];
    for (const status of ['done', 'inspected', 'in_progress', 'done', 'pending', 'in_progress', 'done', 'inspected', 'skipped']) {
      const { body } = await shop.a.admin.patch<Json>(`/api/admin/housekeeping/${id}`, { status });
      const room = await must(shop.a.admin.get<Json>(`/api/admin/rooms/?q=${rooms[0]?.number}`), 200);
      seen.push([body.code ?? body.status, room.data[0].housekeeping]);
    }
    expect(seen).toEqual([
      ['invalid_transition', 'clean'],
      ['invalid_transition', 'clean'],
      ['in_progress', 'in_progress'],
      ['done', 'clean'],
      ['pending', 'dirty'],
      ['in_progress', 'in_progress'],
      ['done', 'clean'],
      ['inspected', 'inspected'],
      ['invalid_transition', 'inspected'],
    ]);
    for (const status of ['skipped', 'cancelled']) {
      const open = await must(task(roomId), 201);
      expect((await shop.a.admin.patch<Json>(`/api/admin/housekeeping/${open.id}`, { status })).body.status).toBe(status);
    }
    const list = await must(shop.a.admin.get<Json>(`/api/admin/housekeeping/?roomId=${roomId}&status=inspected`), 200);
    expect(list.data.map((each: Json) => each.id)).toEqual([id]);
  });

  it('lists are found by dates, state and kind of guest', async () => {
    const { roomType } = await addType(shop.a, 2);
    const vip = { firstName: 'Very', lastName: 'Important', email: 'vip@example.org', vip: true };
    await reserved(shop.a, { roomType, guest: vip });
    await reserved(shop.a, { roomType, checkIn: '2026-07-20', checkOut: '2026-07-21' });
    const count = async (query: string) =>
      (await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/?roomType=${roomType}&${query}`), 200)).data.length;
    expect(await count('checkIn[gte]=2026-07-15')).toBe(1);
    expect(await count('checkIn[gte]=2026-07-10&checkOut[lte]=2026-07-12')).toBe(1);
    expect(await count('inHouse=true')).toBe(0);
    expect(await count('status=confirmed')).toBe(2);
    const guests = await must(shop.a.admin.get<Json>('/api/admin/hotel-guests/?vip=true'), 200);
    expect(guests.data.map(({ email }: Json) => email)).toContain('vip@example.org');
    expect(guests.data.every((each: Json) => each.vip)).toBe(true);
  });

  it('exports all data of a person, and erases all but an open stay', async () => {
    const { roomType } = await addType(shop.a, 2);
    const mine = { firstName: 'Erase', lastName: 'Me', email: 'erase@example.org', idDocNumber: 'ER123456' };
    const along = { firstName: 'Along', lastName: 'Come', email: 'along@example.org' };
    const row = await reserved(shop.a, { roomType, adults: 2, guest: mine, guests: [along], notes: 'snores' });
    const person = (email: string) => ({ customerId: null, userId: null, emails: [email], phones: [] });
    const told = (email: string) => shop.a.run('hotel', async (ctx) => exportPerson(ctx, person(email) as never));
    expect(await told('erase@example.org')).toMatchObject([
      { resource: 'hotel.guest', rows: [{ idDocNumber: 'ER123456' }] },
      { resource: 'hotel.reservation', rows: [{ id: row.id }] },
    ]);
    expect(await told('along@example.org')).toMatchObject([{}, { rows: [{ id: row.id }] }]);
    const erase = async (email: string): Promise<unknown[]> => {
      const reports: unknown[] = [];
      const report = (one: unknown) => void reports.push(one);
      await shop.a.run('hotel', async (ctx) => erasePerson(ctx, { ...person(email), report } as never));
      return reports;
    };
    for (const email of ['erase@example.org', 'along@example.org'])
      expect(await erase(email)).toMatchObject([{ erased: 0, kept: { count: 1, reason: 'open_stay' } }]);
    await must(change(shop.a, row.id, { status: 'cancelled' }), 200);
    for (const email of ['erase@example.org', 'along@example.org']) expect(await erase(email)).toMatchObject([{ erased: 1 }]);
    expect(await told('erase@example.org')).toEqual([]);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`), 200);
    for (const trace of ['Erase', 'Along', 'snores', 'ER123456']) expect(JSON.stringify(shown.guest)).not.toContain(trace);
    expect(shown.notes).toBe(null);
  });

  it('e-mails add the stay to a calendar, move it there, and remove it', async () => {
    const { roomType } = await addType(shop.a, 1);
    const guest = { firstName: 'Cal', lastName: 'Endar', email: 'calendar@example.org' };
    const row = await reserved(shop.a, { roomType, guest });
    // Told before the next change: of a stay that has ended meanwhile only its end is news.
    await shop.settled();
    for (const each of [{ checkOut: '2026-07-13' }, { notes: 'nothing new' }, { status: 'cancelled' }]) {
      await must(change(shop.a, row.id, each), 200);
      await shop.settled();
    }
    const names = (await shop.mails()).filter(({ to }) => to === 'calendar@example.org').map(({ template }) => template);
    expect(names).toEqual(['hotel.confirmed', 'hotel.moved', 'hotel.cancelled']);
    const told = sentCalendars(shop, 'calendar@example.org').map((lines) =>
      ['METHOD', 'SEQUENCE', 'DTSTART', 'DTEND', 'UID'].map((name) => lines.find((line) => line.startsWith(`${name}:`))),
    );
    const uid = `UID:hotel.reservation.${row.id}@${shop.a.id}`;
    // From 14:00 to 11:00 in Bucharest.
    const [start, end, later] = ['DTSTART:20260710T110000Z', 'DTEND:20260712T080000Z', 'DTEND:20260713T080000Z'];
    expect(told).toEqual([
      ['METHOD:REQUEST', 'SEQUENCE:0', start, end, uid],
      ['METHOD:REQUEST', 'SEQUENCE:1', start, later, uid],
      ['METHOD:CANCEL', 'SEQUENCE:2', start, later, uid],
    ]);
  });
});
