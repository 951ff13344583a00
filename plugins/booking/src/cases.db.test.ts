import { type TestShop, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addService,
  addStaff,
  appointments,
  book,
  bookingShop,
  enter,
  everyDay,
  free,
  type Json,
  must,
  overlapping,
  person,
  startsOf,
} from '../test/shop.ts';
import cases from '../test/testdata/cases.json' with { type: 'json' };

/** Every case, by its id, with exactly the values that stand there. */
const all = cases as { id: string; given: Json; expect: Json }[];
const of = (...kinds: string[]) => all.filter(({ given }) => kinds.includes(given.kind));
const ran = new Set<string>();

let shop: TestShop;
beforeAll(async () => {
  // Who signs in after every case has a session that outlasts them all.
  shop = await bookingShop({ processes: 2, now: '2040-01-01T00:00:00.000Z' });
  shop.clock.freeze('2020-01-01T00:00:00.000Z');
});
afterAll(() => shop?.stop());

/** A service and one member of staff with these windows on the date. */
async function hoursOf(given: Json): Promise<{ service: Json; staff: Json }> {
  const { timezone, staffTimezone, windows, weeklyHours, date } = given;
  const service = await addService(shop.a, {
    durationMin: given.durationMin ?? 60,
    slotIntervalMin: given.slotIntervalMin ?? null,
    slotAlign: given.slotAlign ?? 'window',
    minNoticeMin: given.minNoticeMin ?? 0,
  });
  const staff = await addStaff(shop.a, [service], {
    timezone: timezone ?? staffTimezone,
    weeklyHours: weeklyHours ? everyDay(weeklyHours.start, weeklyHours.end) : {},
    overrides: windows ? [{ date, intervals: windows }] : [],
  });
  return { service, staff };
}
const local = (start: string): string => start.slice(11, 16);

describe('hours (T1)', () => {
  it.each(of('window'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const { staff } = await hoursOf(given);
    const query = new URLSearchParams({ from: given.date, to: given.date, staffId: staff.id, timezone: given.timezone });
    const { data } = await must(shop.a.admin.get<Json>(`/api/admin/availability-calendar?${query}`), 200);
    expect(data).toMatchObject([{ staffId: staff.id, date: given.date, working: [wanted], busy: [], free: [wanted] }]);
  });
});

describe('slots (T2, T3, T4)', () => {
  it.each(of('slots'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    shop.clock.freeze(given.now ?? '2020-01-01T00:00:00.000Z');
    const { service } = await hoursOf(given);
    const { timezone, date } = given;
    const found = await free(shop.a.guest, { serviceId: service.id, from: date, to: date, timezone });
    shop.clock.freeze('2020-01-01T00:00:00.000Z');
    const starts = startsOf(found);
    expect(starts).toHaveLength(wanted.count);
    expect(new Set(starts).size).toBe(starts.length);
    if (wanted.first) expect(starts[0]).toBe(wanted.first);
    if (wanted.last) expect(starts.at(-1)).toBe(wanted.last);
    if (wanted.localStarts)
      expect(found.days.flatMap(({ slots }: Json) => slots.map((slot: Json) => local(slot.start)))).toEqual(wanted.localStarts);
  });
});

describe('slots for a viewer elsewhere (T5)', () => {
  it.each(of('slots_for_viewer'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const { service } = await hoursOf(given);
    const query = { serviceId: service.id, from: given.date, to: '2026-01-14', timezone: given.viewerTimezone };
    const { days } = await free(shop.a.guest, query);
    const seen = days.map(({ date, slots }: Json) => ({ date, localStarts: slots.map((slot: Json) => local(slot.start)) }));
    expect(seen).toEqual(wanted.days);
    expect(seen.flatMap(({ localStarts }: Json) => localStarts)).toHaveLength(wanted.count);
  });
});

describe('turnover (T6)', () => {
  it.each(of('overlap'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const lengths = [...given.existing, given.wanted].map(
      ({ start, end }: Json) => (Date.parse(end) - Date.parse(start)) / 60_000,
    );
    const services = await Promise.all(lengths.map((durationMin) => addService(shop.a, { durationMin })));
    const staff = await addStaff(shop.a, services, { turnoverMin: given.turnoverMin });
    for (const [i, { start, end }] of given.existing.entries()) {
      const row = await must(enter(shop.a, { serviceId: services[i]?.id, staffId: staff.id, startsAt: start }), 201);
      expect(row).toMatchObject({ startsAt: start, endsAt: end, status: 'confirmed' });
    }
    const answer = await enter(shop.a, { serviceId: services.at(-1)?.id, staffId: staff.id, startsAt: given.wanted.start });
    expect(answer.status).toBe(wanted.status);
    if (wanted.code) expect(answer.body.code).toBe(wanted.code);
  });
});

describe('anybody (T7)', () => {
  it.each(of('any_staff_sequence'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const service = await addService(shop.a, { durationMin: given.durationMin });
    const other = await addService(shop.a, { durationMin: given.durationMin });
    const people = new Map<string, Json>();
    for (const { id: name } of given.staff) people.set(name, await addStaff(shop.a, [service, other]));
    const day = '2026-05-04';
    const name = (staffId: string) => [...people].find(([, row]) => row.id === staffId)?.[0];
    for (const { staff, start } of given.busy)
      await must(enter(shop.a, { serviceId: other.id, staffId: people.get(staff)?.id, startsAt: `${day}T${start}:00Z` }), 201);
    // The same load: those who are free then have an appointment at another hour.
    for (const { id: one, load } of given.staff)
      for (let i = given.busy.filter(({ staff }: Json) => staff === one).length; i < load; i++)
        await must(
          enter(shop.a, { serviceId: other.id, staffId: people.get(one)?.id, startsAt: `${day}T${15 + i}:00:00Z` }),
          201,
        );
    for (const [i, { start }] of given.requests.entries()) {
      const answer = await enter(shop.a, { serviceId: service.id, startsAt: `${day}T${start}:00Z` });
      expect(answer.status).toBe(wanted.results[i].status);
      if (wanted.results[i].code) expect(answer.body.code).toBe(wanted.results[i].code);
      if (wanted.results[i].staff) expect(name(answer.body.staffId)).toBe(wanted.results[i].staff);
    }
  });

  it.each(of('any_staff_parallel'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const service = await addService(shop.a);
    for (let i = 0; i < given.freeStaff; i++) await addStaff(shop.a, [service]);
    const startsAt = `2026-05-04T${given.start}:00Z`;
    const answers = await Promise.all(
      Array.from({ length: given.parallel }, (_, i) =>
        book(shop.a.guest.at(shop.bases[i % 2] as string), { ...person(i), serviceId: service.id, startsAt }),
      ),
    );
    expect(tally(answers)).toEqual({ 201: wanted.created, [`409 ${wanted.refusedCode}`]: wanted.refused });
    expect(await overlapping(shop)).toBe(wanted.overlaps);
    const rows = await appointments(shop.a, `&serviceId=${service.id}`);
    expect(new Set(rows.map(({ staffId }) => staffId)).size).toBe(given.freeStaff);
  });
});

describe('another time (T8)', () => {
  it.each(of('reschedule'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const day = '2026-05-04';
    const instant = (time: string) => `${day}T${time}:00.000Z`;
    const service = await addService(shop.a, { durationMin: given.durationMin });
    const staff = await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, staffId: staff.id };
    const own = await must(enter(shop.a, { ...request, startsAt: instant(given.own.start) }), 201);
    for (const { start } of given.others) await must(enter(shop.a, { ...request, startsAt: instant(start) }), 201);
    const answer = await shop.a.admin.patch<Json>(`/api/admin/appointments/${own.id}`, { startsAt: instant(given.moveTo) });
    expect(answer.status).toBe(wanted.status);
    if (wanted.code) expect(answer.body.code).toBe(wanted.code);
    const [row] = (await appointments(shop.a, `&serviceId=${service.id}`)).filter((one) => one.id === own.id);
    expect(row).toMatchObject({ startsAt: instant(wanted.start), endsAt: instant(wanted.end), status: 'confirmed' });
    // No other request gets what it holds now.
    expect((await enter(shop.a, { ...request, startsAt: instant(wanted.start) })).body.code).toBe('slot_taken');
  });
});

describe('groups (T9)', () => {
  it.each(of('group_seats'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const service = await addService(shop.a, { capacity: given.capacity, durationMin: 60 });
    await addStaff(shop.a, [service]);
    const startsAt = '2026-05-04T10:00:00.000Z';
    const query = { serviceId: service.id, from: '2026-05-04', to: '2026-05-04', timezone: 'UTC' };
    const left = async () =>
      (await free(shop.a.guest, query)).days
        .flatMap(({ slots }: Json) => slots)
        .find((one: Json) => one.start.startsWith('2026-05-04T10:00'))?.seatsLeft ?? 0;
    expect(await left()).toBe(given.capacity);
    const statuses: number[] = [];
    for (const [i, seats] of given.sequence.entries()) {
      statuses.push((await book(shop.a.guest, { ...person(i), serviceId: service.id, startsAt, seats })).status);
      if (i === 0) expect(await left()).toBe(given.capacity - seats);
    }
    expect(statuses).toEqual(wanted.statuses);
    const taken = await shop.rows<{ seats: number }>('select seats from booking_session where service_id = $1', [service.id]);
    expect(taken).toEqual([{ seats: wanted.seatsTaken }]);
    expect(await left()).toBe(wanted.seatsLeft);
  });

  it.each(of('group_other_service'))('$id', async ({ id, given, expect: wanted }) => {
    ran.add(id);
    const minutes = ({ start, end }: Json) => (Date.parse(end) - Date.parse(start)) / 60_000;
    const group = await addService(shop.a, { capacity: given.capacity, durationMin: minutes(given.session) });
    const other = await addService(shop.a, { durationMin: minutes(given.otherService) });
    const staff = await addStaff(shop.a, [group, other]);
    await must(book(shop.a.guest, { serviceId: group.id, startsAt: given.session.start, seats: given.seatsTaken }), 201);
    const answer = await book(shop.a.guest, { serviceId: other.id, staffId: staff.id, startsAt: given.otherService.start });
    expect(answer).toMatchObject({ status: wanted.status, body: { code: wanted.code } });
  });
});

it('every case was run', () => {
  expect([...ran].sort()).toEqual(all.map(({ id }) => id).sort());
});
