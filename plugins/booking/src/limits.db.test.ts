import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
  ron,
} from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  // Appointments of two hours from now on: staff work from midnight to midnight.
  shop = await bookingShop({ now: `${new Date().toISOString().slice(0, 10)}T12:00:00.000Z` });
});
afterAll(async () => {
  expect(await overlapping(shop)).toBe(0);
  expect(await adrift(shop)).toBe(0);
  await shop?.stop();
});
const basket = (body: Json) => shop.a.guest.post<Json>('/api/storefront/booking/bookings', body);
const change = (id: string, body: Json) => shop.a.admin.patch<Json>(`/api/admin/appointments/${id}`, body);

it('a start at the end of the calendar is too far away, for customers and staff', async () => {
  const service = await addService(shop.a);
  const { id: staffId } = await addStaff(shop.a, [service]);
  const tooFar = { status: 422, body: { code: 'too_far', errors: [{ pointer: '/startsAt' }] } };
  for (const startsAt of ['9999-12-31T23:59:00Z', '9999-12-31T23:00:00Z', '9999-12-30T23:00:00Z']) {
    expect(await enter(shop.a, { serviceId: service.id, staffId, startsAt })).toMatchObject(tooFar);
    expect(await book(shop.a.guest, { serviceId: service.id, startsAt })).toMatchObject(tooFar);
  }
  const made = await must(basket({ ...person(), items: [{ serviceId: service.id }], startsAt: at(shop, 2, '10:00') }), 201);
  const moved = { manageToken: made.manageToken, action: 'reschedule', startsAt: '9999-12-31T23:50:00Z' };
  expect(await basket(moved)).toMatchObject(tooFar);
  expect(await appointments(shop.a, `&serviceId=${service.id}`)).toMatchObject([{ startsAt: at(shop, 2, '10:00') }]);
});

it('a booking beyond the range of money is refused', async () => {
  const service = await addService(shop.a, { price: ron(10_000_000_000_000), capacity: 1000 });
  const plain = await addService(shop.a, { capacity: 1000 });
  const { id: staffId } = await addStaff(shop.a, [service, plain]);
  const request = { serviceId: service.id, staffId, startsAt: at(shop, 3, '10:00') };
  const tooLarge = (pointer: string) => ({ status: 422, body: { errors: [{ pointer, code: 'too_large' }] } });
  expect(await book(shop.a.guest, { ...request, seats: 2 })).toMatchObject(tooLarge('/seats'));
  expect(await enter(shop.a, { ...request, seats: 1000 })).toMatchObject(tooLarge('/seats'));
  const pair = { ...person(), items: [{ serviceId: service.id }, { serviceId: service.id }], startsAt: request.startsAt };
  expect(await basket(pair)).toMatchObject(tooLarge('/items'));
  const { id } = await must(enter(shop.a, { ...request, serviceId: plain.id, seats: 2 }), 201);
  expect(await change(id, { serviceId: service.id })).toMatchObject(tooLarge('/seats'));
  expect((await book(shop.a.guest, { ...request, startsAt: at(shop, 3, '12:00') })).status).toBe(201);
  expect(await appointments(shop.a, `&serviceId=${service.id}`)).toHaveLength(1);
});

it('a hold that moves to an earlier time ends with its start at the latest', async () => {
  const service = await addService(shop.a, { requiresConfirmation: true });
  await addStaff(shop.a, [service]);
  const made = await must(book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 5, '10:00') }), 201);
  const [row] = (await appointments(shop.a, `&q=${made.reference}`)) as [Json];
  const startsAt = new Date(shop.clock.ms() + 2 * 3_600_000).toISOString();
  expect(await must(change(row.id, { startsAt }), 200)).toMatchObject({ startsAt, holdExpiresAt: startsAt });
  const later = await must(change(row.id, { startsAt: at(shop, 6, '10:00') }), 200);
  expect(later.holdExpiresAt).toBe(startsAt);
});

it('a customer cancels what staff have left of a basket, and nothing twice', async () => {
  const service = await addService(shop.a, { requiresConfirmation: true });
  await addStaff(shop.a, [service]);
  const items = [{ serviceId: service.id }, { serviceId: service.id }];
  const made = await must(basket({ ...person(), items, startsAt: at(shop, 7, '10:00') }), 201);
  const statusesOf = async () =>
    (await appointments(shop.a, `&q=${made.reference}&sort=startsAt`)).map(({ status }) => status as string);
  const [first] = (await appointments(shop.a, `&q=${made.reference}&sort=startsAt`)) as [Json];
  await must(change(first.id, { status: 'declined' }), 200);
  const cancel = { manageToken: made.manageToken, action: 'cancel' };
  await must(basket(cancel), 200);
  expect(await statusesOf()).toEqual(['declined', 'cancelled']);
  expect(await basket(cancel)).toMatchObject({ status: 409, body: { code: 'invalid_transition', from: 'declined' } });
});

it('a takeover moves everything: appointments decades ahead, and whole groups with no-shows', async () => {
  const service = await addService(shop.a, { capacity: 4, durationMin: 120 });
  const from = await addStaff(shop.a, [service]);
  const to = await addStaff(shop.a, [service]);
  const now = new Date(shop.clock.ms() - 600_000).toISOString();
  const enterAt = (startsAt: string) => must(enter(shop.a, { serviceId: service.id, staffId: from.id, startsAt }), 201);
  const missed = await enterAt(now);
  await enterAt(now);
  await enterAt('2070-01-01T10:00:00.000Z');
  await must(change(missed.id, { status: 'no_show' }), 200);
  await must(shop.a.admin.patch<Json>(`/api/admin/staff/${from.id}`, { isActive: false, reassignTo: to.id }), 200);
  expect((await appointments(shop.a, `&serviceId=${service.id}`)).map(({ staffId }) => staffId)).toEqual([to.id, to.id, to.id]);
  expect(await adrift(shop)).toBe(0);
});
