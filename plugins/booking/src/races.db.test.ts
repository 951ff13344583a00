import { crowd, repeatedUnits, type TestShop, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addService,
  addStaff,
  adrift,
  appointments,
  at,
  book,
  bookingShop,
  enter,
  type Json,
  must,
  overlapping,
  person,
} from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await bookingShop({ processes: 2 });
});
afterAll(async () => {
  try {
    expect(await overlapping(shop)).toBe(0);
    expect(await adrift(shop)).toBe(0);
    // There was no deadlock, not even one that a retry hid.
    expect(await repeatedUnits(shop.bases)).toEqual({});
  } finally {
    await shop.stop();
  }
});

/** The machine is shared: a bound that idle ones keep several times over. */
const patience = 10;
const say = (what: string, seconds: number): void => console.log(`booking: ${what} took ${Math.round(seconds * 1000)} ms`);

describe('simultaneously, over two processes', () => {
  it('50 buyers of one slot: one gets it', async () => {
    const service = await addService(shop.a);
    const staff = await addStaff(shop.a, [service]);
    const startsAt = at(shop, 5, '10:00');
    const { answers, seconds } = await crowd(shop.bases, 50, (client, i) =>
      book(client(shop.a.guest), { ...person(i), serviceId: service.id, staffId: staff.id, startsAt }),
    );
    say('50 buyers of one slot', seconds);
    expect(tally(answers)).toEqual({ 201: 1, '409 slot_taken': 49 });
    expect(await appointments(shop.a, `&serviceId=${service.id}`)).toHaveLength(1);
    expect(seconds).toBeLessThan(patience);
  });

  it('50 buyers of a group of 8: its seats and no more', async () => {
    const service = await addService(shop.a, { capacity: 8 });
    await addStaff(shop.a, [service]);
    const startsAt = at(shop, 5, '10:00');
    const { answers, seconds } = await crowd(shop.bases, 50, (client, i) =>
      book(client(shop.a.guest), { ...person(`g${i}`), serviceId: service.id, startsAt }),
    );
    say('50 buyers of 8 seats', seconds);
    expect(tally(answers)).toEqual({ 201: 8, '409 slot_taken': 42 });
    expect(await shop.rows('select seats from booking_session where service_id = $1', [service.id])).toEqual([{ seats: 8 }]);
    expect(seconds).toBeLessThan(patience);
  });

  it('200 staggered requests that overlap: no overlap, no fault', async () => {
    const services = await Promise.all([30, 45, 60].map((durationMin) => addService(shop.a, { durationMin, bufferAfterMin: 5 })));
    const people = [await addStaff(shop.a, services), await addStaff(shop.a, services)];
    const origin = Date.parse(at(shop, 6, '08:00'));
    const { answers, seconds } = await crowd(shop.bases, 200, (client, i) =>
      book(client(shop.a.guest), {
        ...person(`s${i}`),
        serviceId: services[i % 3]?.id,
        staffId: people[i % 2]?.id,
        startsAt: new Date(origin + ((i * 7) % 240) * 60_000).toISOString(),
      }),
    );
    say('200 staggered requests', seconds);
    const counts = tally(answers);
    expect(Object.keys(counts).sort()).toEqual(['201', '409 slot_taken']);
    expect(counts['201']).toBeGreaterThan(5);
    expect(await overlapping(shop)).toBe(0);
    expect(seconds).toBeLessThan(patience * 2);
  });

  it('baskets of two people in opposite order: no deadlock, none half', async () => {
    const service = await addService(shop.a);
    const [one, two] = [await addStaff(shop.a, [service]), await addStaff(shop.a, [service])];
    const items = [one, two].map(({ id }) => ({ serviceId: service.id, staffId: id }));
    const { answers } = await crowd(shop.bases, 40, (client, i) =>
      client(shop.a.guest).post<Json>('/api/storefront/booking/bookings', {
        items: i % 2 ? items : items.toReversed(),
        startsAt: at(shop, 7, i % 4 < 2 ? '10:00' : '10:15'),
        ...person(`b${i}`),
      }),
    );
    const counts = tally(answers);
    expect(Object.keys(counts).sort()).toEqual(['201', '409 slot_taken']);
    expect(await appointments(shop.a, `&serviceId=${service.id}`)).toHaveLength((counts['201'] as number) * 2);
  });

  it('baskets are cancelled while others book the same people: no deadlock', async () => {
    const service = await addService(shop.a);
    const [one, two] = [await addStaff(shop.a, [service]), await addStaff(shop.a, [service])];
    const items = [one, two].map(({ id }) => ({ serviceId: service.id, staffId: id }));
    const baskets: Json[] = [];
    for (let i = 0; i < 20; i++)
      baskets.push(
        await must(
          shop.a.guest.post<Json>('/api/storefront/booking/bookings', {
            items: i % 2 ? items : items.toReversed(),
            startsAt: at(shop, 12 + i, '10:00'),
            ...person(`x${i}`),
          }),
          201,
        ),
      );
    const { answers } = await crowd(shop.bases, 60, (client, i) => {
      const guest = client(shop.a.guest);
      if (i % 3 > 0)
        return book(guest, { ...person(`y${i}`), serviceId: service.id, startsAt: at(shop, 40, `${10 + (i % 10)}:00`) });
      return guest.post<Json>('/api/storefront/booking/bookings', { manageToken: baskets[i / 3]?.manageToken, action: 'cancel' });
    });
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    expect(await appointments(shop.a, `&serviceId=${service.id}&status=cancelled`)).toHaveLength(40);
  });

  it('cancelling, moving and booking one time again and again keeps sessions and appointments together', async () => {
    const service = await addService(shop.a, { capacity: 3 });
    const staff = await addStaff(shop.a, [service]);
    const startsAt = at(shop, 8, '10:00');
    const request = { serviceId: service.id, staffId: staff.id, startsAt };
    const rows = await Promise.all([0, 1, 2].map(() => enter(shop.a, request)));
    const { answers } = await crowd(shop.bases, 30, (client, i) => {
      const admin = client(shop.a.admin);
      const id = rows[i % 3]?.body.id;
      if (i % 5 === 0) return admin.patch<Json>(`/api/admin/appointments/${id}`, { status: 'cancelled' });
      if (i % 5 === 1) return admin.patch<Json>(`/api/admin/appointments/${id}`, { startsAt: at(shop, 8, `1${i % 3}:00`) });
      return book(client(shop.a.guest), { ...person(`c${i}`), ...request });
    });
    for (const { status } of answers) expect([200, 201, 409]).toContain(status);
    expect(await adrift(shop)).toBe(0);
    const [{ seats } = { seats: 0 }] = await shop.rows<{ seats: number }>(
      'select coalesce(max(seats), 0)::int as seats from booking_session where service_id = $1',
      [service.id],
    );
    expect(seats).toBeLessThanOrEqual(3);
  });

  it('a service that is deleted while it is booked: either, never both', async () => {
    for (let i = 0; i < 5; i++) {
      const service = await addService(shop.a);
      await addStaff(shop.a, [service]);
      const [removed, booked] = await Promise.all([
        shop.a.admin.delete<Json>(`/api/admin/services/${service.id}`),
        book(shop.a.guest.at(shop.bases[1] as string), { serviceId: service.id, startsAt: at(shop, 9, '10:00') }),
      ]);
      expect([`204 404`, `409 201`]).toContain(`${removed.status} ${booked.status}`);
    }
  });

  it('a customer who cancels the last seat while another books it', async () => {
    const service = await addService(shop.a);
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 10, '10:00') };
    for (let i = 0; i < 5; i++) {
      const { manageToken } = await must(book(shop.a.guest, request), 201);
      const [cancelled, again] = await Promise.all([
        shop.a.guest.post<Json>('/api/storefront/booking/appointments', { manageToken, action: 'cancel' }),
        book(shop.a.guest.at(shop.bases[1] as string), { ...person('next'), ...request }),
      ]);
      expect(cancelled.status).toBe(200);
      expect([201, 409]).toContain(again.status);
      if (again.status === 201)
        await must(
          shop.a.guest.post<Json>('/api/storefront/booking/appointments', {
            manageToken: again.body.manageToken,
            action: 'cancel',
          }),
          200,
        );
    }
  });
});
