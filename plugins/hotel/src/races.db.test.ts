import { crowd, repeatedUnits, type TestShop, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addType, book, hotelShop, type Json, patiently, reserved } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop({ processes: 2 });
});
afterAll(() => shop?.stop());
const at = (instant: string): void => shop.clock.freeze(instant);

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
