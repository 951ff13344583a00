import type { TestClient, TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { act, addType, book, change, hotelShop, type Json, must, offered, reserved, ron } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop({ processes: 2 });
});
afterAll(() => shop?.stop());
const at = (instant: string): void => shop.clock.freeze(instant);

describe('sums that are more than money can be', () => {
  it('are refused where they come about, and nothing is left of the try', async () => {
    const { roomType, rooms } = await addType(shop.a, 1, { baseRate: ron(6_000_000_000_000) });
    const body = { status: 422, body: { code: 'money_invalid' } };
    expect(await book(shop.a.admin, { roomType })).toMatchObject(body);
    expect(await offered(shop.a, roomType, '2026-07-10', '2026-07-12')).toBeUndefined();
    const row = await reserved(shop.a, { roomType, checkOut: '2026-07-11' });
    expect(await change(shop.a, row.id, { checkOut: '2026-07-12' })).toMatchObject(body);
    const charge = { kind: 'charge', label: 'Opera', amount: ron(4_000_000_000_001) };
    expect(await change(shop.a, row.id, { folioAdd: [charge] })).toMatchObject(body);
    at('2026-07-10T12:00:00.000Z');
    expect(await act(shop.a, row.id, 'check-in', { roomId: rooms[0]?.id, folioAdd: [charge] })).toMatchObject(body);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/reservations-hotel/${row.id}`), 200);
    expect(shown).toMatchObject({ status: 'confirmed', checkOut: '2026-07-11', folio: [], balance: ron(6_000_000_000_000) });
    at('2026-07-01T06:00:00.000Z');
  });
});

describe('guests who are there', () => {
  const arrived = async (row: Json, room: Json | undefined): Promise<Json> =>
    must(act(shop.a, row.id, 'check-in', { roomId: room?.id }), 200);

  it('always have a room: none is taken from them, and the way out stays open', async () => {
    const { roomType, rooms } = await addType(shop.a, 1);
    const other = await addType(shop.a, 1);
    const row = await reserved(shop.a, { roomType });
    at('2026-07-10T12:00:00.000Z');
    await arrived(row, rooms[0]);
    for (const patch of [{ roomId: null }, { roomType, roomId: null }])
      expect((await change(shop.a, row.id, patch)).body).toMatchObject({ status: 409, code: 'invalid_transition' });
    expect((await change(shop.a, row.id, { roomType: other.roomType })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/roomId' }],
    });
    const out = await must(act(shop.a, row.id, 'check-out', { force: { reason: 'test' } }), 200);
    expect(out).toMatchObject({ status: 'checked_out', roomId: rooms[0]?.id });
    at('2026-07-01T06:00:00.000Z');
  });

  it('may change on the day they leave, but not into a room whose guests are still there', async () => {
    const { roomType, rooms } = await addType(shop.a, 3);
    const leaving = await reserved(shop.a, { roomType, checkOut: '2026-07-11' });
    const staying = await reserved(shop.a, { roomType });
    at('2026-07-10T12:00:00.000Z');
    await arrived(leaving, rooms[0]);
    await arrived(staying, rooms[1]);
    at('2026-07-11T06:00:00.000Z');
    expect(await change(shop.a, staying.id, { roomId: rooms[0]?.id })).toMatchObject({
      status: 409,
      body: { code: 'room_occupied' },
    });
    await must(change(shop.a, leaving.id, { adults: 2 }), 200);
    expect(await must(change(shop.a, leaving.id, { roomId: rooms[2]?.id }), 200)).toMatchObject({ roomId: rooms[2]?.id });
    at('2026-07-01T06:00:00.000Z');
  });
});

it('of two simultaneous check-ins to one room one succeeds', async () => {
  const { roomType, rooms } = await addType(shop.a, 6);
  const pairs: [Json, Json][] = [];
  for (const { id: roomId } of rooms)
    pairs.push([
      await reserved(shop.a, { roomType, roomId, checkIn: '2026-07-09', checkOut: '2026-07-10' }),
      await reserved(shop.a, { roomType, roomId }),
    ]);
  // On the day on which one stay ends and the other begins.
  at('2026-07-10T12:00:00.000Z');
  const both = shop.bases.map((base) => shop.a.admin.at(base));
  const answers = await Promise.all(
    pairs.map((pair) =>
      Promise.all(
        pair.map((row, i) => (both[i] as TestClient).post<Json>(`/api/admin/reservations-hotel/${row.id}/check-in`, {})),
      ),
    ),
  );
  at('2026-07-01T06:00:00.000Z');
  for (const pair of answers) {
    expect(pair.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(pair.find(({ status }) => status === 409)?.body.code).toBe('room_occupied');
  }
});

it('two who come late, on the day they leave, never share a room', async () => {
  const both = shop.bases.map((base) => shop.a.admin.at(base));
  for (let round = 0; round < 10; round++) {
    at('2026-07-01T06:00:00.000Z');
    const { roomType, rooms } = await addType(shop.a, 2);
    const late = [await reserved(shop.a, { roomType }), await reserved(shop.a, { roomType })];
    at('2026-07-12T06:00:00.000Z');
    const answers = await Promise.all(
      late.map((row, i) =>
        (both[i] as TestClient).post<Json>(`/api/admin/reservations-hotel/${row.id}/check-in`, { roomId: rooms[0]?.id }),
      ),
    );
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).toEqual([200, 'room_occupied']);
  }
  at('2026-07-01T06:00:00.000Z');
});

it('the audit log, which is never erased, keeps no personal data of guests', async () => {
  const { roomType } = await addType(shop.a, 1);
  const row = await reserved(shop.a, { roomType, notes: 'Sentinel-notes' });
  await must(change(shop.a, row.id, { notes: 'Sentinel-later' }), 200);
  await must(change(shop.a, row.id, { status: 'cancelled', cancelReason: 'Sentinel-reason' }), 200);
  expect(await shop.rows("select 1 from core_audit where changes::text like '%Sentinel-%'")).toEqual([]);
});

it('of two rooms that go out of order simultaneously one stays for the sold nights', async () => {
  const both = shop.bases.map((base) => shop.a.admin.at(base));
  for (let round = 0; round < 10; round++) {
    const { roomType, rooms } = await addType(shop.a, 2);
    await reserved(shop.a, { roomType });
    const answers = await Promise.all(
      rooms.map((room, i) => (both[i] as TestClient).patch<Json>(`/api/admin/rooms/${room.id}`, { status: 'out_of_order' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});
