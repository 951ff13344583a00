import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addArea,
  addTable,
  ask,
  change,
  fresh,
  type Json,
  must,
  reserve,
  reserved,
  restaurantShop,
  setUp,
} from '../test/shop.ts';
import data from '../test/testdata/cases.json' with { type: 'json' };

const cases = data.cases as { id: string; given: Json; expect: Json }[];
const of = (kind: string) => cases.filter(({ given }) => given.kind === kind);

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop();
});
afterAll(() => shop?.stop());

it('every case is run', () => {
  const kinds = ['assign_table', 'covers', 'past_slot', 'move_to_table'];
  expect(kinds.flatMap(of)).toHaveLength(cases.length);
  expect(cases).toHaveLength(7);
});

describe('tables are assigned', () => {
  for (const { id, given, expect: expected } of of('assign_table'))
    it(`case ${id}`, async () => {
      const area = `area-${fresh()}`;
      const made = new Map<string, Json>();
      for (const { label, seats } of given.tables) made.set(label, await addTable(shop.a, { label, seats, area }));
      for (const { label, combinableWith = [] } of given.tables)
        await must(
          shop.a.admin.patch<Json>(`/api/admin/tables/${made.get(label)?.id}`, {
            combinableWith: combinableWith.map((other: string) => made.get(other)?.id),
          }),
          200,
        );
      const answer = await reserve(shop.a.admin, { area, partySize: given.partySize });
      if (expected.code) {
        expect(answer).toMatchObject({ status: expected.status, body: { code: expected.code, alternatives: [] } });
        return;
      }
      expect(answer.status).toBe(201);
      const labels = [...made].filter(([, { id }]) => answer.body.tableIds.includes(id)).map(([label]) => label);
      expect(labels).toEqual(expected.tables);
      const seats = given.tables.filter(({ label }: Json) => labels.includes(label)).map((table: Json) => table.seats);
      expect(seats.reduce((a: number, b: number) => a + b, 0)).toBe(expected.seats);
    });
});

describe('covers of an interval', () => {
  for (const { id, given, expect: expected } of of('covers'))
    it(`case ${id}`, async () => {
      await setUp(shop.a, { maxCoversPerSlot: given.maxCoversPerSlot });
      const { area } = await addArea(shop.a, [6, 6]);
      const startsAt = '2026-05-05T16:00:00.000Z';
      await reserved(shop.a, { area, startsAt, partySize: given.booked });
      const answer = await reserve(shop.a.admin, { area, startsAt, partySize: given.partySize });
      await setUp(shop.a, { maxCoversPerSlot: null });
      expect(answer).toMatchObject({ status: expected.status, body: { code: expected.code } });
    });
});

describe('a start in the past', () => {
  for (const { id, given, expect: expected } of of('past_slot'))
    it(`case ${id}`, async () => {
      await setUp(shop.a, { timezone: given.timezone });
      shop.clock.freeze(given.now);
      const { area, tables } = await addArea(shop.a, [2]);
      const answer = await ask(shop.a.guest, { area, startsAt: given.startsAt });
      expect(answer).toMatchObject({ status: expected.status, body: { code: expected.code } });
      // A table that is taken just after that start: what is offered instead lies ahead.
      const soon = new Date(Date.parse(given.now) + 3_600_000).toISOString();
      await reserved(shop.a, { tableIds: [tables[0]?.id], startsAt: soon });
      const { alternatives } = (await ask(shop.a.guest, { area, startsAt: soon })).body;
      shop.clock.freeze('2026-05-01T09:00:00.000Z');
      expect(alternatives.length).toBeGreaterThan(0);
      expect(alternatives.includes(given.startsAt)).toBe(expected.offered);
      for (const start of alternatives) expect(start >= given.now).toBe(true);
    });
});

describe('a reservation moved to a table', () => {
  for (const { id, given, expect: expected } of of('move_to_table'))
    it(`case ${id}`, async () => {
      const minutes = ({ start, end }: Json) => (Date.parse(end) - Date.parse(start)) / 60_000;
      const { busy } = given.target;
      const { area, tables } = await addArea(shop.a, [2, 2]);
      const [one, two] = tables as [Json, Json];
      await reserved(shop.a, { tableIds: [two.id], startsAt: busy.start, durationMin: minutes(busy), area });
      const mine = { tableIds: [one.id], startsAt: given.reservation.start, durationMin: minutes(given.reservation), area };
      const row = await reserved(shop.a, mine);
      const answer = await change(shop.a, row.id, { tableIds: [two.id] });
      expect(answer).toMatchObject({ status: expected.status, body: { code: 'no_table_available' } });
      // It has kept the table it had.
      expect((await reserve(shop.a.admin, mine)).status).toBe(409);
    });
});
