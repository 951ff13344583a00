import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addArea, ask, find, must, reserve, reserved, restaurantShop, setUp } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop({ workers: false, now: '2026-01-15T09:00:00.000Z' });
  await setUp(shop.a, { maxAdvanceDays: 700 });
});
afterAll(() => shop?.stop());

const night = { start: '18:00', end: '04:00' };
const week = Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'].map((day) => [day, [night]]));
const none = { startsAt: null };

for (const zone of [
  {
    timezone: 'Europe/Bucharest',
    gap: '2026-03-29',
    gapTime: '03:30',
    twice: '2026-10-25',
    doubled: '03:30',
    offsets: ['+03:00', '+02:00'],
  },
  {
    timezone: 'America/New_York',
    gap: '2026-03-08',
    gapTime: '02:30',
    twice: '2026-11-01',
    doubled: '01:30',
    offsets: ['-04:00', '-05:00'],
  },
])
  describe(`in ${zone.timezone}`, () => {
    beforeAll(() => setUp(shop.a, { timezone: zone.timezone, openingHours: null }));

    it('a time that the clock skips or shows twice is none, unless an offset says which', async () => {
      const { area } = await addArea(shop.a, [2]);
      const codes: string[] = [];
      for (const start of [
        { ...none, date: zone.gap, time: zone.gapTime },
        { ...none, date: zone.twice, time: zone.doubled },
        { startsAt: `${zone.gap}T${zone.gapTime}:00` },
        { startsAt: `${zone.twice}T${zone.doubled}:00` },
        { startsAt: `${zone.twice}T12:00:00` },
      ]) {
        const answer = await ask(shop.a.guest, { area, ...start });
        expect(answer.status).toBe(422);
        codes.push(answer.body.code);
      }
      expect(codes).toEqual([
        'invalid_local_time',
        'ambiguous_local_time',
        'invalid_local_time',
        'ambiguous_local_time',
        'offset_required',
      ]);
      // Both instants of the doubled hour can be had, an hour apart.
      const starts: string[] = [];
      for (const offset of zone.offsets) {
        const body = { area, ...none, date: zone.twice, time: zone.doubled, offset, durationMin: 60 };
        starts.push((await reserved(shop.a, body)).startsAt);
      }
      expect(Date.parse(starts[1] as string) - Date.parse(starts[0] as string)).toBe(3_600_000);
    });

    it('hours past midnight end by their own clock, and a stay lasts as long as it lasts', async () => {
      const { area } = await addArea(shop.a, [2]);
      await setUp(shop.a, { openingHours: week });
      const try_ = async (date: string, time: string, durationMin: number, more = {}) => {
        const answer = await reserve(shop.a.admin, { area, ...none, date, time, durationMin, ...more });
        if (answer.status === 201)
          await must(shop.a.admin.patch(`/api/admin/restaurant-reservations/${answer.body.id}`, { status: 'cancelled' }), 200);
        return answer.body.code ?? (Date.parse(answer.body.endsAt) - Date.parse(answer.body.startsAt)) / 60_000;
      };
      const before = (date: string) => new Date(Date.parse(`${date}T12:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
      // 18:00 to 04:00 is ten hours, nine in the night that loses one, eleven in the one that gains one.
      expect(await try_('2026-02-10', '18:00', 600)).toBe(600);
      expect(await try_('2026-02-10', '18:00', 615)).toBe('outside_hours');
      expect(await try_(before(zone.gap), '18:00', 540)).toBe(540);
      expect(await try_(before(zone.gap), '18:00', 555)).toBe('outside_hours');
      expect(await try_(before(zone.twice), '18:00', 660)).toBe(660);
      expect(await try_(before(zone.twice), '18:00', 675)).toBe('outside_hours');
      expect(await try_('2026-02-10', '01:00', 180)).toBe(180);
      expect(await try_('2026-02-10', '04:00', 60)).toBe('outside_hours');
      await setUp(shop.a, { lastSeating: '03:00' });
      expect(await try_('2026-02-10', '03:00', 120)).toBe(120);
      expect(await try_('2026-02-10', '03:01', 120)).toBe('outside_hours');
      await setUp(shop.a, { lastSeating: null, overrides: [{ date: '2026-02-09', closed: true }] });
      expect(await try_('2026-02-10', '01:00', 60)).toBe('outside_hours');
      await setUp(shop.a, { openingHours: null, overrides: [] });
    });

    it('a day has all of its reservations, however long it is', async () => {
      const { area } = await addArea(shop.a, [2]);
      for (const time of ['00:00', '23:30']) await reserved(shop.a, { area, ...none, date: zone.twice, time, durationMin: 30 });
      expect(await find(shop.a, `area=${area}&date=${zone.twice}`)).toHaveLength(2);
      await reserved(shop.a, { area, ...none, date: zone.gap, time: '23:30', durationMin: 60 });
      expect(await find(shop.a, `area=${area}&date=${zone.gap}`)).toHaveLength(1);
    });

    it('covers of the doubled hour are counted apart', async () => {
      await setUp(shop.a, { maxCoversPerSlot: 2 });
      const { area } = await addArea(shop.a, [2, 2, 2]);
      const at = (offset: string) =>
        reserve(shop.a.admin, { area, ...none, date: zone.twice, time: '01:45', offset, durationMin: 15 });
      const [first, second] = zone.offsets as [string, string];
      const answers = [await at(first), await at(first), await at(second)];
      await setUp(shop.a, { maxCoversPerSlot: null });
      expect(answers.map(({ status }) => status)).toEqual([201, 409, 201]);
    });
  });
