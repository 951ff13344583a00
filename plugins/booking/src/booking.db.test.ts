import { runJob, type TestShop } from '@storeloom/testing';
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
  everyDay,
  free,
  type Json,
  must,
  overlapping,
  person,
  startsOf,
} from '../test/shop.ts';
import plugin from './index.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await bookingShop({ now: '2026-06-01T06:00:00.000Z' });
});
afterAll(async () => {
  expect(await overlapping(shop)).toBe(0);
  await shop?.stop();
});

const setting = (values: Json) => must(shop.a.admin.put<Json>('/api/admin/plugins/booking/settings', { settings: values }), 200);
const patch = (id: string, body: Json) => shop.a.admin.patch<Json>(`/api/admin/appointments/${id}`, body);
const manage = (body: Json, path = 'appointments') => shop.a.guest.post<Json>(`/api/storefront/booking/${path}`, body);
const byReference = async (reference: string): Promise<Json> =>
  (await appointments(shop.a, `&reference=${reference}`))[0] as Json;

describe('a customer', () => {
  it('books, reads nothing but their own, and is in the customers', async () => {
    const service = await addService(shop.a, { bufferAfterMin: 15 });
    const staff = await addStaff(shop.a, [service], { name: 'Visible name' });
    const startsAt = at(shop, 2, '10:00');
    const made = await must(
      book(shop.a.guest, { serviceId: service.id, startsAt, timezone: 'Asia/Dubai', notes: 'Quiet please' }),
      201,
    );
    expect(made).toMatchObject({
      status: 'confirmed',
      items: [{ service: service.name, staffName: 'Visible name', startsAt }],
      timezone: 'Asia/Dubai',
      total: { amount: 5000, currency: 'RON' },
      holdExpiresAt: null,
      paymentUrl: null,
    });
    expect(made.manageToken.length).toBeGreaterThan(22);
    const row = await byReference(made.reference);
    expect(row).toMatchObject({
      staffId: staff.id,
      source: 'storefront',
      notes: 'Quiet please',
      blocked: { start: startsAt, end: at(shop, 2, '10:45') },
      customer: { name: 'Customer 0', email: 'customer0@example.org', phone: null },
    });
    expect(row.customerId).not.toBeNull();
    const query = { serviceId: service.id, from: startsAt.slice(0, 10), to: startsAt.slice(0, 10), timezone: 'UTC' };
    const starts = startsOf(await free(shop.a.guest, query));
    expect(starts).not.toContain(startsAt);
    for (const time of ['09:30', '10:30']) expect(starts).not.toContain(at(shop, 2, time));
    expect(starts).toContain(at(shop, 2, '11:00'));
  });

  it('reports what is invalid', async () => {
    const service = await addService(shop.a, { minNoticeMin: 120, maxAdvanceDays: 30 });
    const staff = await addStaff(shop.a, [service], {
      timezone: 'Europe/Bucharest',
      weeklyHours: everyDay('09:00', '17:00'),
      timeOff: [{ from: at(shop, 5, '00:00'), to: at(shop, 6, '00:00') }],
    });
    const ask = async (more: Json) => {
      const { status, body } = await book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 2, '10:00'), ...more });
      return `${status} ${body.code}`;
    };
    expect(await ask({ startsAt: at(shop, 2, '15:00') })).toBe('422 outside_hours');
    expect(await ask({ startsAt: at(shop, 2, '13:45') })).toBe('422 outside_hours');
    expect(await ask({ startsAt: '2026-06-01T07:00:00Z' })).toBe('422 too_soon');
    expect(await ask({ startsAt: '2026-05-01T07:00:00Z' })).toBe('422 too_soon');
    expect(await ask({ startsAt: at(shop, 31, '10:00') })).toBe('422 too_far');
    expect(await ask({ startsAt: at(shop, 5, '10:00') })).toBe('409 staff_unavailable');
    expect(await ask({ email: undefined })).toBe('422 validation_failed');
    expect(await ask({ consent: false })).toBe('422 consent_required');
    expect(await ask({ website: 'https://spam.example' })).toBe('422 validation_failed');
    expect(await ask({ seats: 2 })).toBe('422 validation_failed');
    expect(await ask({ startsAt: '2026-06-03T10:00' })).toBe('422 offset_required');
    expect(await ask({ startsAt: '2027-03-28T03:30', staffId: staff.id })).toBe('422 invalid_local_time');
    expect(await ask({ startsAt: '2026-10-25T03:30', staffId: staff.id })).toBe('422 ambiguous_local_time');
    expect(await ask({ serviceId: '01900000-0000-7000-8000-000000000000' })).toBe('404 not_found');
    expect(await ask({ staffId: '01900000-0000-7000-8000-000000000000' })).toBe('404 not_found');
    const others = await addStaff(shop.a, []);
    expect(await ask({ staffId: others.id })).toBe('409 staff_unavailable');
    expect((await book(shop.b.guest, { serviceId: service.id, startsAt: at(shop, 2, '10:00') })).status).toBe(404);
    expect(await appointments(shop.a, `&serviceId=${service.id}`)).toEqual([]);
    await must(shop.a.admin.patch<Json>(`/api/admin/services/${service.id}`, { isActive: false }), 200);
    expect(await ask({})).toBe('404 not_found');
  });

  it('books both hours of a doubled one, by their offsets', async () => {
    const service = await addService(shop.a);
    await addStaff(shop.a, [service], { timezone: 'Europe/Bucharest' });
    // By then the sessions of the staff have ended.
    shop.clock.freeze('2026-10-20T06:00:00.000Z');
    for (const startsAt of ['2026-10-25T03:30:00+03:00', '2026-10-25T03:30:00+02:00'])
      await must(book(shop.a.guest, { serviceId: service.id, startsAt }), 201);
    expect((await book(shop.a.guest, { serviceId: service.id, startsAt: '2026-10-25T00:30:00Z' })).body.code).toBe('slot_taken');
    shop.clock.freeze('2026-06-01T06:00:00.000Z');
  });

  it('cancels and moves with the token, until the cut-off', async () => {
    const service = await addService(shop.a, { cancelCutoffMin: 1440 });
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 3, '10:00') };
    const made = await must(book(shop.a.guest, request), 201);
    const other = await must(book(shop.a.guest, { ...request, startsAt: at(shop, 3, '12:00') }), 201);
    const { manageToken } = made;
    // An appointment can be moved although its service can't be booked any more.
    await must(shop.a.admin.patch<Json>(`/api/admin/services/${service.id}`, { isActive: false }), 200);
    const moved = await must(manage({ manageToken, action: 'reschedule', startsAt: at(shop, 3, '10:15') }), 200);
    await must(shop.a.admin.patch<Json>(`/api/admin/services/${service.id}`, { isActive: true }), 200);
    expect(moved).toMatchObject({ reference: made.reference, manageToken: null, items: [{ startsAt: at(shop, 3, '10:15') }] });
    expect((await manage({ manageToken, action: 'reschedule', startsAt: at(shop, 3, '12:15') })).body.code).toBe('slot_taken');
    expect((await byReference(made.reference)).startsAt).toBe(at(shop, 3, '10:15'));
    expect((await manage({ manageToken, action: 'reschedule' })).status).toBe(422);
    expect((await manage({ manageToken: 'no-such-token', action: 'cancel' })).status).toBe(404);
    expect(
      (await shop.b.guest.post<Json>('/api/storefront/booking/appointments', { manageToken, action: 'cancel' })).status,
    ).toBe(404);
    await must(manage({ manageToken, action: 'cancel' }), 200);
    expect(await must(manage({ manageToken, action: 'cancel' }), 200)).toMatchObject({ status: 'cancelled' });
    expect((await manage({ manageToken, action: 'reschedule', startsAt: at(shop, 3, '14:00') })).body.code).toBe(
      'invalid_transition',
    );
    await must(book(shop.a.guest, { ...request, startsAt: at(shop, 3, '10:15') }), 201);
    shop.clock.advance(2 * 86_400_000 + 7 * 3_600_000);
    const late = { manageToken: other.manageToken };
    expect((await manage({ ...late, action: 'cancel' })).body.code).toBe('cutoff_passed');
    expect((await manage({ ...late, action: 'reschedule', startsAt: at(shop, 9, '10:00') })).body.code).toBe('cutoff_passed');
    await must(patch((await byReference(other.reference)).id, { status: 'cancelled' }), 200);
    shop.clock.freeze('2026-06-01T06:00:00.000Z');
    expect(await adrift(shop)).toBe(0);
  });

  it('is at one place at a time where the shop says so', async () => {
    const service = await addService(shop.a);
    for (let i = 0; i < 3; i++) await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 4, '10:00'), ...person('busy') };
    await must(book(shop.a.guest, request), 201);
    await setting({ refuseCustomerOverlap: true });
    expect((await book(shop.a.guest, request)).body.code).toBe('customer_busy');
    const twice = await Promise.all(
      [0, 1].map(() => book(shop.a.guest, { ...request, ...person('eager'), startsAt: at(shop, 4, '15:00') })),
    );
    expect(twice.map(({ status }) => status).sort()).toEqual([201, 409]);
    await must(book(shop.a.guest, { ...request, startsAt: at(shop, 4, '10:30') }), 201);
    await setting({ refuseCustomerOverlap: false });
    await must(book(shop.a.guest, request), 201);
  });
});

describe('a basket', () => {
  it('is a chain, all or nothing, without buffers inside', async () => {
    const cut = await addService(shop.a, { durationMin: 30, bufferAfterMin: 15, bufferBeforeMin: 10 });
    const wash = await addService(shop.a, { durationMin: 20, price: { amount: 2000, currency: 'RON' } });
    const one = await addStaff(shop.a, [cut, wash], { turnoverMin: 5 });
    const two = await addStaff(shop.a, [wash]);
    const post = (items: Json[], startsAt: string) => manage({ items, startsAt, ...person('basket') }, 'bookings');
    const items = [{ serviceId: cut.id }, { serviceId: wash.id, staffId: one.id }, { serviceId: wash.id, staffId: two.id }];
    const made = await must(post(items, at(shop, 2, '10:00')), 201);
    expect(made.items.map(({ startsAt, staffName }: Json) => [startsAt, staffName])).toEqual([
      [at(shop, 2, '10:00'), one.name],
      [at(shop, 2, '10:30'), one.name],
      [at(shop, 2, '10:50'), two.name],
    ]);
    expect(made.total).toEqual({ amount: 9000, currency: 'RON' });
    const before = (await appointments(shop.a)).length;
    expect((await post(items, at(shop, 2, '10:40'))).body.code).toBe('slot_taken');
    expect((await post([...items, { serviceId: cut.id, staffId: two.id }], at(shop, 3, '10:00'))).body.code).toBe(
      'staff_unavailable',
    );
    expect(await appointments(shop.a)).toHaveLength(before);
    const { manageToken } = made;
    const moved = await must(manage({ manageToken, action: 'reschedule', startsAt: at(shop, 2, '10:20') }, 'bookings'), 200);
    expect(moved.items.map(({ startsAt }: Json) => startsAt)).toEqual(
      ['10:20', '10:50', '11:10'].map((time) => at(shop, 2, time)),
    );
    const list = await must(shop.a.admin.get<Json>(`/api/admin/booking/bookings?q=${made.reference}&sort=startsAt`), 200);
    expect(list.data).toHaveLength(3);
    expect(list.data[0]).toMatchObject({
      service: { id: cut.id },
      staff: { id: one.id },
      customer: { name: 'Customer basket' },
      source: 'storefront',
    });
    expect(list.data[0].basketId).toBe(list.data[2].basketId);
    await must(manage({ manageToken, action: 'cancel' }, 'bookings'), 200);
    expect(await adrift(shop)).toBe(0);
    expect((await shop.a.guest.post('/api/v1/storefront/booking/bookings', {})).status).toBe(404);
    expect((await shop.a.guest.get('/api/v1/storefront/booking/services')).status).toBe(404);
  });
});

describe('what waits for staff', () => {
  it('blocks until its hold is over, and is confirmed or declined', async () => {
    const service = await addService(shop.a, { requiresConfirmation: true });
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 4, '10:00') };
    const made = await must(book(shop.a.guest, request), 201);
    expect(made).toMatchObject({ status: 'pending', holdExpiresAt: at(shop, 1, '06:00') });
    expect((await book(shop.a.guest, request)).body.code).toBe('slot_taken');
    const { id } = await byReference(made.reference);
    const both = await Promise.all([patch(id, { status: 'confirmed' }), patch(id, { status: 'declined' })]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const soon = await must(book(shop.a.guest, { ...request, startsAt: '2026-06-01T08:00:00Z' }), 201);
    expect(soon.holdExpiresAt).toBe('2026-06-01T08:00:00.000Z');
    // What is moved to an earlier time isn't held past that either.
    const later = await must(book(shop.a.guest, { ...request, startsAt: at(shop, 4, '14:00') }), 201);
    const moved = await must(patch((await byReference(later.reference)).id, { startsAt: '2026-06-01T09:00:00Z' }), 200);
    expect(moved.holdExpiresAt).toBe('2026-06-01T09:00:00.000Z');
    shop.clock.freeze('2026-06-01T06:00:00.000Z');
  });

  it('lapses, and the time is free immediately; a second request for it wins, the first is 410', async () => {
    const service = await addService(shop.a, { requiresConfirmation: true });
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 4, '10:00') };
    const first = await must(book(shop.a.guest, request), 201);
    shop.clock.advance(25 * 3_600_000);
    const day = request.startsAt.slice(0, 10);
    const query = { serviceId: service.id, from: day, to: day, timezone: 'UTC' };
    expect(startsOf(await free(shop.a.guest, query))).toContain(request.startsAt);
    const lost = await byReference(first.reference);
    expect((await patch(lost.id, { status: 'confirmed' })).body.code).toBe('expired');
    expect(
      (await manage({ manageToken: first.manageToken, action: 'reschedule', startsAt: at(shop, 5, '10:00') })).body.code,
    ).toBe('expired');
    const second = await must(book(shop.a.guest, { ...request, ...person(2) }), 201);
    // Of the two that stand there for one time, one can be confirmed.
    const answers = await Promise.all(
      [first, second].map(async ({ reference }) => patch((await byReference(reference)).id, { status: 'confirmed' })),
    );
    expect(answers.map(({ status }) => status)).toEqual([409, 200]);
    expect((await byReference(first.reference)).status).toBe('expired');
    const third = await must(book(shop.a.guest, { ...request, startsAt: at(shop, 4, '12:00') }), 201);
    shop.clock.advance(25 * 3_600_000);
    await runJob(shop, plugin, 'expire');
    expect((await byReference(third.reference)).status).toBe('expired');
    expect(await adrift(shop)).toBe(0);
    shop.clock.freeze('2026-06-01T06:00:00.000Z');
  });
});

describe('staff', () => {
  it('enter without notice, move, and lead an appointment through its states', async () => {
    const service = await addService(shop.a, { minNoticeMin: 10_000 });
    const longer = await addService(shop.a, { durationMin: 60, price: { amount: 9000, currency: 'RON' } });
    const staff = await addStaff(shop.a, [service, longer]);
    const second = await addStaff(shop.a, [longer], { weeklyHours: everyDay('12:00', '20:00') });
    const row = await must(enter(shop.a, { serviceId: service.id, startsAt: '2026-06-01T07:00:00Z', source: 'phone' }), 201);
    expect(row).toMatchObject({
      status: 'confirmed',
      staffId: staff.id,
      price: { amount: 5000 },
      source: 'phone',
      rescheduleCount: 0,
    });
    expect((await enter(shop.a, { serviceId: service.id, startsAt: '2026-06-01T07:00:00Z' })).body.code).toBe('slot_taken');
    expect((await enter(shop.a, { serviceId: service.id, startsAt: '2026-06-01T07:00:00Z', status: 'pending' })).status).toBe(
      422,
    );
    expect(
      (await enter(shop.a, { serviceId: service.id, startsAt: '2026-06-01T07:00:00Z', customer: { name: 'Nobody' } })).status,
    ).toBe(422);
    expect((await patch(row.id, { staffId: second.id })).body.code).toBe('staff_unavailable');
    expect((await patch(row.id, { staffId: second.id, serviceId: longer.id })).body.code).toBe('outside_hours');
    const moved = await must(patch(row.id, { staffId: second.id, serviceId: longer.id, startsAt: '2026-06-01T12:00:00Z' }), 200);
    expect(moved).toMatchObject({
      staffId: second.id,
      endsAt: '2026-06-01T13:00:00.000Z',
      price: { amount: 9000 },
      rescheduleCount: 1,
    });
    expect((await patch(row.id, { status: 'no_show' })).body).toMatchObject({ code: 'invalid_transition', from: 'confirmed' });
    expect((await patch(row.id, { status: 'expired' })).status).toBe(422);
    await must(patch(row.id, { status: 'checked_in' }), 200);
    expect(await must(patch(row.id, { status: 'checked_in' }), 200)).toMatchObject({ status: 'checked_in' });
    expect((await patch(row.id, { startsAt: '2026-06-01T15:00:00Z' })).body.code).toBe('invalid_transition');
    await must(patch(row.id, { status: 'completed', notes: 'Gave a tip' }), 200);
    expect((await patch(row.id, { status: 'cancelled' })).body).toMatchObject({ code: 'invalid_transition', allowed: [] });
    const today = await must(shop.a.admin.get<Json>('/api/admin/booking/bookings/today'), 200);
    expect(today.data.map(({ id }: Json) => id)).toContain(row.id);
    expect((await shop.b.admin.patch(`/api/admin/appointments/${row.id}`, { notes: 'x' })).status).toBe(404);
    const reader = await shop.a.staff(['booking.appointment.read']);
    expect((await reader.get('/api/admin/appointments/')).status).toBe(200);
    expect((await reader.patch(`/api/admin/appointments/${row.id}`, { notes: 'x' })).status).toBe(403);
  });

  it('are deactivated only when another member of staff can take over', async () => {
    const service = await addService(shop.a);
    const [leaving, busy, ready] = [
      await addStaff(shop.a, [service]),
      await addStaff(shop.a, [service]),
      await addStaff(shop.a, [service]),
    ];
    const request = { serviceId: service.id, startsAt: at(shop, 3, '10:00') };
    const row = await must(enter(shop.a, { ...request, staffId: leaving.id }), 201);
    await must(enter(shop.a, { ...request, staffId: busy.id }), 201);
    const leave = (more: Json = {}) => shop.a.admin.patch<Json>(`/api/admin/staff/${leaving.id}`, { isActive: false, ...more });
    expect(await leave()).toMatchObject({ status: 409, body: { code: 'in_use', counts: { futureAppointments: 1 } } });
    expect((await leave({ reassignTo: busy.id })).body.code).toBe('in_use');
    expect((await leave({ reassignTo: leaving.id })).status).toBe(422);
    await must(leave({ reassignTo: ready.id }), 200);
    expect((await appointments(shop.a, `&id=${row.id}`))[0]).toMatchObject({ staffId: ready.id, rescheduleCount: 1 });
    expect((await enter(shop.a, { ...request, staffId: leaving.id, startsAt: at(shop, 3, '12:00') })).body.code).toBe(
      'staff_unavailable',
    );
    expect(await shop.a.admin.delete<Json>(`/api/admin/services/${service.id}`)).toMatchObject({
      status: 409,
      body: { code: 'in_use', counts: { futureAppointments: 2 } },
    });
    for (const { id } of await appointments(shop.a, `&serviceId=${service.id}`))
      await must(patch(id, { status: 'cancelled' }), 200);
    expect((await shop.a.admin.delete(`/api/admin/services/${service.id}`)).status).toBe(204);
    expect(await adrift(shop)).toBe(0);
  });

  it('and services know each other from both sides', async () => {
    const service = await addService(shop.a, { category: 'Both' });
    const [one, two] = [await addStaff(shop.a, [service]), await addStaff(shop.a, [])];
    const path = `/api/admin/services/${service.id}`;
    expect(await must(shop.a.admin.patch<Json>(path, { staffIds: [two.id] }), 200)).toMatchObject({ staffIds: [two.id] });
    const list = async (query: string): Promise<string[]> =>
      (await must(shop.a.admin.get<Json>(`/api/admin/${query}`), 200)).data.map(({ id }: Json) => id);
    expect(await list(`staff/?serviceId=${service.id}`)).toEqual([two.id]);
    expect(await list(`services/?staffId=${one.id}`)).toEqual([]);
    expect(await list(`services/?staffId=${two.id}&category=Both&isActive=true`)).toEqual([service.id]);
    const shown = await must(shop.a.guest.get<Json>('/api/storefront/booking/services'), 200);
    expect(shown.data.find(({ id }: Json) => id === service.id)).toMatchObject({
      name: service.name,
      staff: [{ id: two.id, name: two.name }],
    });
  });
});

describe('the calendar', () => {
  it('shows who works, what takes their time, and what is free', async () => {
    const service = await addService(shop.a, { durationMin: 60 });
    const staff = await addStaff(shop.a, [service], {
      timezone: 'Europe/Bucharest',
      weeklyHours: everyDay('22:00', '02:00'),
      breaks: everyDay('23:30', '00:30'),
      turnoverMin: 15,
    });
    await must(enter(shop.a, { serviceId: service.id, startsAt: '2026-06-10T19:15:00Z' }), 201);
    const query = `staffId=${staff.id}&from=2026-06-10&to=2026-06-11&timezone=Europe/Bucharest`;
    const { data } = await must(shop.a.admin.get<Json>(`/api/admin/availability-calendar?${query}`), 200);
    const times = (list: Json[]) => list.map(({ start, end }) => `${start.slice(8, 16)}-${end.slice(8, 16)}`);
    expect(data.map(({ date }: Json) => date)).toEqual(['2026-06-10', '2026-06-11']);
    expect(times(data[0].working)).toEqual(['09T21:30-09T23:00', '10T19:00-10T20:30']);
    expect(data[0].busy).toEqual([{ start: '2026-06-10T19:15:00.000Z', end: '2026-06-10T20:30:00.000Z', kind: 'appointment' }]);
    expect(times(data[0].free)).toEqual(['09T21:30-09T23:00', '10T19:00-10T19:15']);
    const bad = await shop.a.admin.get<Json>(`/api/admin/availability-calendar?from=2026-06-10&to=2026-08-11`);
    expect(bad).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
    const long = { serviceId: service.id, from: '2026-06-01', to: '2026-07-02' };
    expect((await shop.a.guest.get(`/api/storefront/booking/availability?${new URLSearchParams(long)}`)).status).toBe(400);
  });

  it.each([
    ['America/New_York', '2026-11-01', 25],
    ['America/New_York', '2027-03-14', 23],
    ['Europe/Bucharest', '2026-10-25', 25],
    ['Asia/Kolkata', '2026-11-01', 24],
    ['Australia/Lord_Howe', '2026-10-04', 23],
  ])('a day in %s, %s, has %i hours of slots, for viewers anywhere', async (timezone, date, count) => {
    const service = await addService(shop.a, { durationMin: 60, maxAdvanceDays: null });
    await addStaff(shop.a, [service], {
      timezone,
      weeklyHours: {},
      overrides: [{ date, intervals: [{ start: '00:00', end: '24:00' }] }],
    });
    for (const viewer of [timezone, 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kathmandu']) {
      const around = (days: number) => new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
      const found = await free(shop.a.guest, { serviceId: service.id, from: around(-1), to: around(1), timezone: viewer });
      expect(startsOf(found)).toHaveLength(count);
      for (const { date: day, slots } of found.days) for (const { start } of slots) expect(start.slice(0, 10)).toBe(day);
    }
  });

  it('leaves out closed days of the shop', async () => {
    const service = await addService(shop.a);
    await addStaff(shop.a, [service], { timezone: 'Europe/Bucharest' });
    const query = { serviceId: service.id, from: '2026-06-20', to: '2026-06-20', timezone: 'Europe/Bucharest' };
    expect(startsOf(await free(shop.a.guest, query))).toHaveLength(48);
    await setting({ closedDays: ['2026-06-20'], timezone: 'Europe/Bucharest' });
    expect(startsOf(await free(shop.a.guest, query))).toEqual([]);
    expect((await enter(shop.a, { serviceId: service.id, startsAt: '2026-06-20T10:00:00Z' })).body.code).toBe(
      'staff_unavailable',
    );
    await setting({ closedDays: [], timezone: null });
  });
});

it('figures agree with the lists', async () => {
  shop.clock.freeze('2026-06-05T20:00:00.000Z');
  const { metrics, lists, series } = await must(shop.a.admin.get<Json>('/api/admin/dashboard/booking-stats'), 200);
  const all = await shop.rows<{ status: string; starts: Date; price_amount: string; seats: number }>(
    'select status, starts_at as starts, price_amount, seats from booking_appointment where tenant_id = $1',
    [shop.a.id],
  );
  const in30 = all.filter(
    ({ starts }) => starts < new Date('2026-06-05T21:00:00Z') && starts >= new Date('2026-05-06T21:00:00Z'),
  );
  const live = in30.filter(({ status }) => ['confirmed', 'checked_in', 'completed'].includes(status));
  expect(metrics.revenue30d.amount).toBe(live.reduce((sum, row) => sum + Number(row.price_amount) * row.seats, 0));
  const cancelled = in30.filter(({ status }) => status === 'cancelled').length;
  expect(metrics.cancelPct30d).toBe(Math.round((cancelled / (cancelled + live.length)) * 10_000) / 100);
  expect(metrics.noShowPct30d).toBe(0);
  expect(metrics.utilizationPct).toBeGreaterThan(0);
  expect(metrics.avgLeadHours).toBeGreaterThan(0);
  expect(lists.topServices).toHaveLength(5);
  expect(series.appointmentsByDay).toHaveLength(30);
  expect(series.appointmentsByDay.reduce((n: number, { appointments: one }: Json) => n + one, 0)).toBe(live.length);
  const empty = await must(shop.b.admin.get<Json>('/api/admin/dashboard/booking-stats'), 200);
  expect(empty.metrics).toMatchObject({ utilizationPct: null, noShowPct30d: null, avgLeadHours: null, newCustomers30d: 0 });
});
