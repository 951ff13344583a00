import { nights as nightsBetween } from '@storeloom/plugin-sdk/time';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addType, book, hotelShop, type Json, must, offered, publicOffer, reserved, ron, setUp } from '../test/shop.ts';
import data from '../test/testdata/cases.json' with { type: 'json' };

const cases = data.cases as { id: string; given: Json; expect: Json }[];
const of = (kind: string) => cases.filter(({ given }) => given.kind === kind);

let shop: TestShop;
beforeAll(async () => {
  shop = await hotelShop();
});
afterAll(() => shop?.stop());

describe('room nights', () => {
  for (const { id, given, expect: expected } of of('room_nights'))
    it(`case ${id}`, async () => {
      const { rooms } = await addType(shop.a, 1);
      const roomId = rooms[0]?.id;
      for (const { checkIn, checkOut } of given.sold) await reserved(shop.a, { roomId, checkIn, checkOut });
      const answer = await book(shop.a.admin, { roomId, ...given.wanted });
      expect(answer.status).toBe(expected.status);
      if (expected.code) expect(answer.body).toMatchObject({ code: expected.code, nights: expected.nights });
    });
});

describe('nights are dates', () => {
  for (const { id, given, expect: expected } of of('nights'))
    it(`case ${id}`, async () => {
      expect(nightsBetween(given.checkIn, given.checkOut)).toEqual(expected.dates);
      shop.clock.freeze('2026-01-10T10:00:00.000Z');
      await setUp(shop.a, { timezone: given.timezone });
      const { roomType } = await addType(shop.a, 1);
      const made = await reserved(shop.a, { roomType, checkIn: given.checkIn, checkOut: given.checkOut });
      shop.clock.freeze('2026-07-01T06:00:00.000Z');
      expect(made.nights).toBe(expected.nights);
      expect(made.nightlyRates.map((one: Json) => one.date)).toEqual(expected.dates);
      expect(made.nightlyRates).toHaveLength(expected.nightlyRates);
      expect(made.total).toEqual(ron(10_000 * expected.nights));
    });
});

describe('restrictions', () => {
  for (const { id, given, expect: expected } of of('restriction'))
    it(`case ${id}`, async () => {
      const { roomType } = await addType(shop.a, given.freeRooms);
      const { date, ...rule } = given.rule;
      await setUp(shop.a, { roomTypes: [{ code: roomType, name: 'Type', rules: [{ from: date, to: date, ...rule }] }] });
      const { checkIn, checkOut } = given;
      expect((await publicOffer(shop.a, roomType, checkIn, checkOut)).available).toBe(expected.offered);
      const admin = await offered(shop.a, roomType, checkIn, checkOut);
      expect(admin.available).toBe(0);
      const answer = await book(shop.a.admin, { roomType, checkIn, checkOut });
      expect(answer.status).toBe(expected.status);
      expect(answer.body.code).toBe(expected.code);
      const named = answer.body.violations.map(({ rule: name, date: on }: Json) => ({ rule: name, date: on }));
      expect(named).toEqual(expected.violations);
    });

  for (const { id, given, expect: expected } of of('quota'))
    it(`case ${id}`, async () => {
      const { roomType } = await addType(shop.a, given.freeRooms);
      const rules = [{ from: '2026-07-01', to: '2026-07-31', quota: given.quota }];
      await setUp(shop.a, { roomTypes: [{ code: roomType, name: 'Type', rules }] });
      const answers: Awaited<ReturnType<typeof book>>[] = [];
      for (const dates of given.bookings) answers.push(await book(shop.a.admin, { roomType, ...dates }));
      expect(answers.map(({ status }) => status)).toEqual(expected.statuses);
      expect(answers.at(-1)?.body.code).toBe(expected.code);
    });
});

describe('shared rooms', () => {
  for (const { id, given, expect: expected } of of('shared_room'))
    it(`case ${id}`, async () => {
      const whole = await addType(shop.a, 1, { maxAdults: 2 });
      const beds = await addType(shop.a, 2, { maxAdults: 1, parentRoomId: whole.rooms[0]?.id });
      const ids: Record<string, string> = { R: whole.rooms[0]?.id, a: beds.rooms[0]?.id, b: beds.rooms[1]?.id };
      await reserved(shop.a, { roomId: ids[given.sold] });
      for (const { room, free } of expected.available) {
        const type = room === 'R' ? whole.roomType : beds.roomType;
        const offer = await offered(shop.a, type, '2026-07-10', '2026-07-12');
        expect(offer.roomIds.includes(ids[room])).toBe(free);
        if (!free) expect((await book(shop.a.admin, { roomId: ids[room] })).status).toBe(409);
      }
      // By their types it is the same.
      const byType = async (roomType: string): Promise<number> => (await book(shop.a.admin, { roomType })).status;
      expect(await byType(whole.roomType)).toBe(409);
      expect(await byType(beds.roomType)).toBe(given.sold === 'R' ? 409 : 201);
      expect(await byType(beds.roomType)).toBe(409);
    });
});

describe('figures', () => {
  for (const { id, given, expect: expected } of of('stats'))
    it(`case ${id}`, async () => {
      const { roomType } = await addType(shop.b, given.rooms, { baseRate: ron(given.roomRevenue.amount / given.soldRoomNights) });
      const first = (await must(shop.b.admin.get<Json>('/api/admin/rooms/'), 200)).data[0];
      await must(shop.b.admin.patch<Json>(`/api/admin/rooms/${first.id}`, { status: 'out_of_order' }), 200);
      for (let i = 0; i < given.soldRoomNights; i++)
        await reserved(shop.b, { roomType, checkIn: '2026-07-01', checkOut: '2026-07-02' });
      const stats = await must(shop.b.admin.get<Json>('/api/admin/dashboard/hotel-stats?from=2026-07-01&to=2026-07-01'), 200);
      expect(stats.metrics).toMatchObject(expected);
      expect(stats.metrics).toMatchObject({ arrivalsToday: 6, outOfOrder: 1, avgStayNights: 1, pickup7d: 6, inHouse: 0 });
    });
});

it('every case of the table ran', () => {
  expect(cases.map(({ given }) => given.kind).every((kind) => of(kind).length > 0)).toBe(true);
  expect(cases).toHaveLength(20);
});
