import { crowd, repeatedUnits, type TestShop, tally } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  act,
  addType,
  book,
  change,
  hotelShop,
  type Json,
  must,
  offered,
  patiently,
  reserved,
  ron,
  sentCalendars,
  setUp,
} from '../test/shop.ts';
import { erasePerson, exportPerson } from './people.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop({ processes: 2 });
});
afterAll(() => shop?.stop());
const at = (instant: string): void => shop.clock.freeze(instant);
const free = async (roomType: string, checkIn = '2026-07-10', checkOut = '2026-07-12'): Promise<number> =>
  (await offered(shop.a, roomType, checkIn, checkOut)).available;

describe('a reservation', () => {
  it('of a type takes one of its rooms a night, whoever gets which', async () => {
    const { roomType } = await addType(shop.a, 2);
    await reserved(shop.a, { roomType });
    await reserved(shop.a, { roomType, checkIn: '2026-07-11', checkOut: '2026-07-13' });
    expect(await free(roomType)).toBe(0);
    expect(await book(shop.a.admin, { roomType })).toMatchObject({
      status: 409,
      body: { code: 'room_unavailable', nights: ['2026-07-11'] },
    });
    expect((await book(shop.b.admin, { roomType })).status).toBe(404);
  });

  it('names a room, whose night nobody else has, and whose type is sold out by those without a room', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    await reserved(shop.a, { roomId: rooms[0]?.id });
    await reserved(shop.a, { roomType });
    expect((await book(shop.a.admin, { roomId: rooms[1]?.id })).body.code).toBe('room_unavailable');
  });

  it('is refused for a past date, no night, too many nights or guests', async () => {
    const { roomType } = await addType(shop.a, 1);
    const codes: string[] = [];
    for (const more of [
      { checkIn: '2026-06-30' },
      { checkOut: '2026-07-10' },
      { checkOut: '2026-10-09' },
      { adults: 3 },
      {
        guests: [
          { firstName: 'A', lastName: 'B' },
          { firstName: 'C', lastName: 'D' },
        ],
      },
    ]) {
      const answer = await book(shop.a.admin, { roomType, ...more });
      expect(answer.status).toBe(422);
      codes.push(answer.body.code);
    }
    expect(codes).toEqual(['past_date', 'invalid_interval', 'stay_length', 'too_many_guests', 'too_many_guests']);
    expect(await free(roomType)).toBe(1);
  });

  it('on hold keeps its nights until it lapses', async () => {
    const { roomType } = await addType(shop.a, 1);
    const held = await reserved(shop.a, { roomType, hold: true });
    expect(held).toMatchObject({ status: 'pending', holdExpiresAt: '2026-07-02T06:00:00.000Z' });
    expect((await book(shop.a.admin, { roomType })).status).toBe(409);
    at('2026-07-02T06:00:01.000Z');
    expect(await free(roomType)).toBe(1);
    expect((await change(shop.a, held.id, { status: 'confirmed' })).status).toBe(410);
    await reserved(shop.a, { roomType });
    expect((await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${held.id}`), 200)).status).toBe('expired');
    at('2026-07-01T06:00:00.000Z');
  });

  it('moves to other dates with its prices, or stays as it is', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const row = await reserved(shop.a, { roomId: rooms[0]?.id });
    await reserved(shop.a, { roomId: rooms[0]?.id, checkIn: '2026-07-13', checkOut: '2026-07-14' });
    await setUp(shop.a, {
      roomTypes: [{ code: roomType, name: 'T', rules: [{ from: '2026-07-01', to: '2026-07-31', rate: ron(99_900) }] }],
    });
    const longer = await must(change(shop.a, row.id, { checkOut: '2026-07-13' }), 200);
    expect(longer.nightlyRates.map((one: Json) => one.rate.amount)).toEqual([10_000, 10_000, 99_900]);
    expect(await change(shop.a, row.id, { checkOut: '2026-07-14' })).toMatchObject({
      status: 409,
      body: { code: 'room_unavailable', nights: ['2026-07-13'] },
    });
    const after = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`), 200);
    expect(after).toMatchObject({ checkOut: '2026-07-13', total: ron(119_900) });
    expect((await book(shop.a.admin, { roomType, checkIn: '2026-07-12', checkOut: '2026-07-13' })).status).toBe(409);
  });

  it('cancelled frees its nights and costs what the policy says', async () => {
    const { roomType } = await addType(shop.a, 1);
    await setUp(shop.a, { roomTypes: [{ code: roomType, name: 'T', policy: { freeUntilHours: 48, feeBp: 5000 } }] });
    const early = await reserved(shop.a, { roomType });
    expect(await must(change(shop.a, early.id, { status: 'cancelled' }), 200)).toMatchObject({ fee: ron(0), balance: ron(0) });
    expect(await free(roomType)).toBe(1);
    const late = await reserved(shop.a, { roomType });
    at('2026-07-08T11:00:01.000Z');
    expect(await must(change(shop.a, late.id, { status: 'cancelled', cancelReason: 'Ill' }), 200)).toMatchObject({
      fee: ron(10_000),
      balance: ron(10_000),
    });
    at('2026-07-01T06:00:00.000Z');
    expect((await change(shop.a, late.id, { status: 'confirmed' })).body.code).toBe('invalid_transition');
  });

  it('missed frees all nights but the first, and only after the hour', async () => {
    const { roomType } = await addType(shop.a, 1);
    const row = await reserved(shop.a, { roomType });
    at('2026-07-10T19:59:00.000Z');
    expect((await change(shop.a, row.id, { status: 'no_show' })).body.code).toBe('too_early');
    at('2026-07-10T20:00:00.000Z');
    expect((await must(change(shop.a, row.id, { status: 'no_show' }), 200)).fee).toEqual(ron(10_000));
    expect(await free(roomType, '2026-07-10', '2026-07-11')).toBe(0);
    expect(await free(roomType, '2026-07-11', '2026-07-12')).toBe(1);
    at('2026-07-01T06:00:00.000Z');
  });
});

describe('arrival and departure', () => {
  it('have their guards, in their order', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    const row = await reserved(shop.a, { roomType, adults: 2 });
    const codes: string[] = [];
    const tried = async (body: Json = {}): Promise<void> => {
      const answer = await act(shop.a, row.id, 'check-in', body);
      codes.push(answer.body.code ?? String(answer.status));
    };
    await tried();
    at('2026-07-13T08:00:00.000Z');
    await tried();
    at('2026-07-10T11:00:00.000Z');
    await tried();
    const roomId = rooms[0]?.id;
    const task = await must(shop.a.admin.post<Json>('/api/admin/housekeeping/', { roomId, type: 'stayover' }), 201);
    const move = (status: string) => shop.a.admin.patch<Json>(`/api/admin/housekeeping/${task.id}`, { status });
    await must(move('in_progress'), 200);
    await tried({ roomId });
    await must(move('done'), 200);
    await must(move('inspected'), 200);
    await setUp(shop.a, { guestDataRequired: ['nationality'] });
    await tried({ roomId });
    const guests = [
      { firstName: 'X', lastName: 'Y' },
      { firstName: 'Z', lastName: 'W' },
      { firstName: 'V', lastName: 'U' },
    ];
    await tried({ roomId, guests });
    await setUp(shop.a, { guestDataRequired: [] });
    await tried({ roomId });
    expect(codes).toEqual([
      'too_early',
      'too_late',
      'room_not_ready',
      'room_not_ready',
      'guest_data_required',
      'too_many_guests',
      '200',
    ]);
    const other = await reserved(shop.a, { roomType });
    expect((await act(shop.a, other.id, 'check-in', { roomId })).body.code).toBe('room_occupied');
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`), 200);
    expect(shown.history.map(({ to }: Json) => to)).toEqual(['confirmed', 'checked_in']);
    at('2026-07-01T06:00:00.000Z');
  });

  it('leave a settled folio, a dirty room with one task, and free nights', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const row = await reserved(shop.a, { roomType, checkOut: '2026-07-14' });
    at('2026-07-10T12:00:00.000Z');
    await must(act(shop.a, row.id, 'check-in', { roomId: rooms[0]?.id }), 200);
    at('2026-07-12T08:00:00.000Z');
    const minibar = { kind: 'charge', label: 'Minibar', amount: ron(2_500), vatRate: 190_000 };
    await must(change(shop.a, row.id, { folioAdd: [minibar] }), 200);
    expect(await act(shop.a, row.id, 'check-out')).toMatchObject({
      status: 409,
      body: { code: 'balance_due', balance: ron(42_500) },
    });
    const paid = { folioAdd: [{ kind: 'payment', label: 'Card', amount: ron(42_500) }] };
    const out = await must(act(shop.a, row.id, 'check-out', paid), 200);
    expect(out).toMatchObject({ status: 'checked_out', balance: ron(0), paid: ron(42_500), charges: ron(2_500) });
    await must(act(shop.a, row.id, 'check-out'), 200);
    const tasks = await must(shop.a.admin.get<Json>(`/api/admin/housekeeping/?roomId=${rooms[0]?.id}`), 200);
    expect(tasks.data.map(({ type, status }: Json) => [type, status])).toEqual([['departure', 'pending']]);
    expect(await free(roomType, '2026-07-12', '2026-07-14')).toBe(1);
    const list = await must(shop.a.admin.get<Json>(`/api/admin/rooms/?roomType=${roomType}`), 200);
    expect(list.data[0]).toMatchObject({ housekeeping: 'dirty', occupied: false });
    at('2026-07-01T06:00:00.000Z');
  });

  it('a guest who is there may stay longer or move, not leave the past', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    const row = await reserved(shop.a, { roomType });
    at('2026-07-10T12:00:00.000Z');
    await must(act(shop.a, row.id, 'check-in', { roomId: rooms[0]?.id }), 200);
    at('2026-07-11T08:00:00.000Z');
    expect((await change(shop.a, row.id, { checkIn: '2026-07-11' })).body.code).toBe('invalid_transition');
    expect((await change(shop.a, row.id, { checkOut: '2026-07-11' })).body.code).toBe('invalid_transition');
    const moved = await must(change(shop.a, row.id, { roomId: rooms[1]?.id, checkOut: '2026-07-13' }), 200);
    expect(moved).toMatchObject({ roomId: rooms[1]?.id, total: ron(30_000) });
    const offer = await offered(shop.a, roomType, '2026-07-11', '2026-07-13');
    expect(offer).toMatchObject({ available: 1, roomIds: [rooms[0]?.id] });
    at('2026-07-01T06:00:00.000Z');
  });
});

describe('a room', () => {
  it('goes out of order only over nights that nobody has', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    const [first, second] = rooms as [Json, Json];
    await reserved(shop.a, { roomId: first.id });
    const out = (room: Json, more: Json = {}) =>
      shop.a.admin.patch<Json>(`/api/admin/rooms/${room.id}`, { status: 'out_of_order', ...more });
    expect((await out(first)).body).toMatchObject({ code: 'in_use', counts: { nights: 2 } });
    await must(out(second, { outFrom: '2026-07-10', outTo: '2026-07-11' }), 200);
    expect(await free(roomType, '2026-07-10', '2026-07-11')).toBe(0);
    expect(await free(roomType, '2026-07-11', '2026-07-12')).toBe(1);
    await reserved(shop.a, { roomType, checkIn: '2026-07-11', checkOut: '2026-07-12' });
    expect((await out(second, { outFrom: '2026-07-11', outTo: '2026-07-12' })).body).toMatchObject({ counts: { nights: 1 } });
    await must(out(second, { outFrom: '2026-07-11', outTo: '2026-07-12', force: true }), 200);
  });
});

describe('guests', () => {
  it('are found again by e-mail or document, which lists hide', async () => {
    const { roomType } = await addType(shop.a, 3);
    const guest = {
      firstName: 'Ana',
      lastName: 'Pop',
      email: 'ana@example.org',
      idDocType: 'passport',
      idDocNumber: 'AB 123456',
    };
    const one = await reserved(shop.a, { roomType, guest });
    const two = await reserved(shop.a, { roomType, guest: { firstName: 'A', lastName: 'P', idDocNumber: 'ab123456' } });
    expect(two.guestId).toBe(one.guestId);
    const double = await shop.a.admin.post<Json>('/api/admin/hotel-guests/', { ...guest, email: 'other@example.org' });
    expect(double.body).toMatchObject({ code: 'duplicate', field: 'idDocNumber' });
    const list = await shop.a.admin.get<Json>('/api/admin/hotel-guests/?q=ana@example');
    expect(list.body.data[0].idDocNumber).toBe('••••456');
    expect((await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${one.id}`), 200)).guest.idDocNumber).toBe(
      'AB 123456',
    );
    const [row] = await shop.rows<{ d: string }>("select id_doc_number as d from hotel_guest where email = 'ana@example.org'");
    expect(row?.d).not.toContain('123456');
    await must(change(shop.a, one.id, { guest: { phone: '+40700000000' } }), 200);
    expect((await shop.a.admin.get<Json>('/api/admin/hotel-guests/?q=40700000000')).body.data).toHaveLength(1);
  });
});

describe('rules that are easily forgotten', () => {
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

  it('of a person all is told, and all but an open stay forgotten', async () => {
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

  it('mails put the stay into a calendar, move it there, and take it out', async () => {
    const { roomType } = await addType(shop.a, 1);
    const guest = { firstName: 'Cal', lastName: 'Endar', email: 'calendar@example.org' };
    const row = await reserved(shop.a, { roomType, guest });
    await must(change(shop.a, row.id, { checkOut: '2026-07-13' }), 200);
    await must(change(shop.a, row.id, { notes: 'nothing new' }), 200);
    await must(change(shop.a, row.id, { status: 'cancelled' }), 200);
    await shop.settled();
    const told = sentCalendars(shop, 'calendar@example.org').map((lines) =>
      ['METHOD', 'SEQUENCE', 'DTSTART', 'DTEND', 'UID'].map((name) => lines.find((line) => line.startsWith(`${name}:`))),
    );
    const names = (await shop.mails()).filter(({ to }) => to === 'calendar@example.org').map(({ template }) => template);
    expect(names).toEqual(['hotel.confirmed', 'hotel.moved', 'hotel.cancelled']);
    const uid = `UID:hotel.reservation.${row.id}@${shop.a.id}`;
    // From 14:00 to 11:00 in Bucharest.
    const [start, end, later] = ['DTSTART:20260710T110000Z', 'DTEND:20260712T080000Z', 'DTEND:20260713T080000Z'];
    expect(told).toHaveLength(3);
    expect(told).toContainEqual(['METHOD:CANCEL', 'SEQUENCE:2', start, later, uid]);
    // A mail says how it stands when it is written: the first two may know of the change already.
    const requests = told.filter(([method]) => method === 'METHOD:REQUEST');
    expect(requests).toHaveLength(2);
    for (const [, sequence, begins, ends, who] of requests) {
      expect([begins, who]).toEqual([start, uid]);
      expect(ends).toBe(sequence === 'SEQUENCE:0' ? end : later);
    }
  });
});

describe('races over two processes', () => {
  it('50 want the last room night: one gets it', async () => {
    const { roomType } = await addType(shop.a, 1);
    const { answers, seconds } = await crowd(shop.bases, 50, (client) =>
      patiently(() => book(client(shop.a.admin), { roomType })),
    );
    console.log(`hotel: 50 buyers of the last night took ${Math.round(seconds * 1000)} ms`);
    expect(tally(answers)).toEqual({ '201': 1, '409 room_unavailable': 49 });
    expect(await repeatedUnits(shop.bases)).toEqual({});
  });

  it('200 staggered stays in 4 rooms: no night is sold twice', async () => {
    const { roomType, rooms } = await addType(shop.a, 4);
    const date = (day: number): string => `2026-08-${String(day).padStart(2, '0')}`;
    const { answers, seconds } = await crowd(shop.bases, 200, (client, i) => {
      const from = 1 + ((i * 7) % 20);
      const where = i % 2 === 0 ? { roomId: rooms[i % 4]?.id } : { roomType };
      const stay = { ...where, checkIn: date(from), checkOut: date(from + 1 + (i % 4)) };
      return patiently(() => book(client(shop.a.admin), stay));
    });
    const seen = tally(answers);
    console.log(`hotel: 200 overlapping stays took ${Math.round(seconds * 1000)} ms: ${JSON.stringify(seen)}`);
    expect(Object.keys(seen).sort()).toEqual(['201', '409 room_unavailable']);
    const over = await shop.rows(
      `select d, count(*) from hotel_reservation, generate_series(check_in, check_out - 1, interval '1 day') d
       where room_type = $1 and status = 'confirmed' group by d having count(*) > 4`,
      [roomType],
    );
    expect(over).toEqual([]);
    const twice = await shop.rows(
      `select a.id from hotel_reservation a join hotel_reservation b on a.room_id = b.room_id and a.id < b.id
       and daterange(a.check_in, a.check_out) && daterange(b.check_in, b.check_out)
       where a.status = 'confirmed' and b.status = 'confirmed' and a.room_type = $1`,
      [roomType],
    );
    expect(twice).toEqual([]);
    // What is counted is what is there.
    const counted = await shop.rows(
      `select n.night from hotel_type_night n where n.room_type = $1 and n.reserved <> (select count(*) from hotel_reservation r
       where r.room_type = n.room_type and r.status = 'confirmed' and r.check_in <= n.night and n.night < r.check_out)`,
      [roomType],
    );
    expect(counted).toEqual([]);
    expect(await repeatedUnits(shop.bases)).toEqual({});
  });

  it('20 first bookings of one person make one guest', async () => {
    const { roomType } = await addType(shop.a, 20);
    const guest = { firstName: 'Once', lastName: 'Only', email: 'once@example.org', idDocNumber: 'ON 777777' };
    const { answers } = await crowd(shop.bases, 20, (client) => patiently(() => book(client(shop.a.admin), { roomType, guest })));
    expect(tally(answers)).toEqual({ '201': 20 });
    expect(new Set(answers.map(({ body }) => body.guestId)).size).toBe(1);
  });

  it('one guest is let in once, however often it is asked', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const row = await reserved(shop.a, { roomType });
    at('2026-07-10T12:00:00.000Z');
    const { answers } = await crowd(shop.bases, 20, (client) =>
      client(shop.a.admin).post<Json>(`/api/admin/reservations-hotel/${row.id}/check-in`, { roomId: rooms[0]?.id }),
    );
    expect(tally(answers)).toEqual({ '200': 20 });
    const moves = await shop.rows("select 1 from core_status_history where entity_id = $1 and to_status = 'checked_in'", [
      row.id,
    ]);
    expect(moves).toHaveLength(1);
    at('2026-07-01T06:00:00.000Z');
  });
});
