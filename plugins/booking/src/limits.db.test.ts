import type { TestShop } from '@storeloom/plugin-sdk/testing';
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
  shop = await bookingShop();
});
afterAll(async () => {
  expect(await overlapping(shop)).toBe(0);
  expect(await adrift(shop)).toBe(0);
  await shop?.stop();
});
const basket = (body: Json) => shop.a.guest.post<Json>('/api/storefront/booking/bookings', body);
const change = (id: string, body: Json) => shop.a.admin.patch<Json>(`/api/admin/appointments/${id}`, body);

it('what lies at the end of the calendar is too far away, for whoever asks', async () => {
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
