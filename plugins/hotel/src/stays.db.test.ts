import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { act, addType, book, change, hotelShop, type Json, must, offered, reserved, ron, setUp } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop();
});
afterAll(() => shop?.stop());
const at = (instant: string): void => shop.clock.freeze(instant);
const free = async (roomType: string, checkIn = '2026-07-10', checkOut = '2026-07-12'): Promise<number> =>
  (await offered(shop.a, roomType, checkIn, checkOut)).available;

describe('a reservation', () => {
  it('of a type takes one of its rooms per night, whichever it is', async () => {
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

  it('names a room whose night is free, though reservations without a room may have sold out its type', async () => {
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

describe('a hotel whose rates are net', () => {
  it('charges a missed night with its VAT', async () => {
    const net = await hotelShop({ plugins: ['hotel', 'taxes'], priceMode: 'net' });
    try {
      const category = await must(net.a.admin.post<Json>('/api/admin/taxes/categories', { code: 'stays', name: 'Stays' }), 201);
      const rate = { country: 'RO', categoryId: category.id, ratePpm: 110_000, validFrom: '2020-01-01' };
      await must(net.a.admin.post<Json>('/api/admin/taxes/rates', rate), 201);
      await setUp(net.a, { taxCategoryId: category.id });
      const { roomType } = await addType(net.a, 1);
      const row = await reserved(net.a, { roomType });
      expect(row.total).toEqual(ron(22_200));
      net.clock.freeze('2026-07-10T20:00:00.000Z');
      expect((await must(change(net.a, row.id, { status: 'no_show' }), 200)).fee).toEqual(ron(11_100));
    } finally {
      await net.stop();
    }
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

  it('before the last night count only the nights that were occupied, also when the room is sold again', async () => {
    const house = await hotelShop();
    try {
      const { roomType, rooms } = await addType(house.a, 1);
      const stays = async (checkIn: string): Promise<Json> => {
        const row = await reserved(house.a, { roomType, roomId: rooms[0]?.id, checkIn, checkOut: '2026-07-13' });
        await must(act(house.a, row.id, 'check-in', { override: { reason: 'test' } }), 200);
        return row;
      };
      house.clock.freeze('2026-07-10T12:00:00.000Z');
      const early = await stays('2026-07-10');
      house.clock.freeze('2026-07-11T09:00:00.000Z');
      await must(act(house.a, early.id, 'check-out', { force: { reason: 'left early' } }), 200);
      await stays('2026-07-11');
      const path = '/api/admin/dashboard/hotel-stats?from=2026-07-10&to=2026-07-12';
      const { metrics } = await must(house.a.admin.get<Json>(path), 200);
      expect(metrics).toMatchObject({ occupancyPct: 100, adr: ron(10_000), avgStayNights: 1.5 });
    } finally {
      await house.stop();
    }
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
  it('goes out of order only over free nights', async () => {
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

describe('rooms that are sold', () => {
  const edit = (room: Json | undefined, body: Json) => shop.a.admin.patch<Json>(`/api/admin/rooms/${room?.id}`, body);
  const used = (nights: number) => ({ status: 409, body: { code: 'in_use', counts: { nights } } });

  it('stay in their type while that is sold without naming a room', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    await reserved(shop.a, { roomType });
    const last = await reserved(shop.a, { roomType });
    expect(await edit(rooms[0], { roomType: `${roomType}-other` })).toMatchObject(used(2));
    await must(change(shop.a, last.id, { status: 'cancelled' }), 200);
    await must(edit(rooms[0], { roomType: `${roomType}-other` }), 200);
    expect(await edit(rooms[1], { roomType: `${roomType}-other` })).toMatchObject(used(2));
  });

  it('keep a night that lies years ahead', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    await reserved(shop.a, { roomType, checkIn: '2031-07-01', checkOut: '2031-07-02' });
    expect(await edit(rooms[0], { status: 'out_of_order' })).toMatchObject(used(1));
  });

  it('get and give no bed, and a room of beds is no bed', async () => {
    const { roomType, rooms } = await addType(shop.a, 2);
    const bed = (parentRoomId: string | undefined) => ({
      number: `Bed ${roomType} ${Math.random()}`,
      roomType: `${roomType}-bed`,
      maxAdults: 1,
      baseRate: ron(2000),
      parentRoomId,
    });
    const add = (parent: Json | undefined) => shop.a.admin.post<Json>('/api/admin/rooms/', bed(parent?.id));
    const byType = await reserved(shop.a, { roomType });
    expect(await add(rooms[0])).toMatchObject(used(2));
    await must(change(shop.a, byType.id, { status: 'cancelled' }), 200);
    const named = await reserved(shop.a, { roomId: rooms[0]?.id });
    expect(await add(rooms[0])).toMatchObject(used(2));
    const made = await must(add(rooms[1]), 201);
    await reserved(shop.a, { roomId: made.id });
    expect(await edit(made, { parentRoomId: null })).toMatchObject(used(2));
    await must(change(shop.a, named.id, { status: 'cancelled' }), 200);
    expect(await edit(rooms[1], { parentRoomId: rooms[0]?.id })).toMatchObject({
      status: 422,
      body: { code: 'validation_failed' },
    });
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
