import { runJob, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../../payments/test/fake-payment-a.ts';
import {
  addService,
  addStaff,
  adrift,
  appointments,
  at,
  book,
  bookingShop,
  type Json,
  must,
  overlapping,
  person,
  ron,
} from '../test/shop.ts';
import plugin from './index.ts';
import { settleDeposit } from './payment.ts';

let shop: TestShop;
let fake: FakePaymentA;
let method: Json;
beforeAll(async () => {
  fake = await new FakePaymentA().start();
  shop = await bookingShop({ plugins: ['booking', 'payments'] });
  const values = { code: 'card', name: 'Card', provider: 'payment-a', enabled: true, config: fake.config() };
  method = await must(shop.a.admin.post<Json>('/api/admin/payment-methods/', values), 201);
});
afterAll(async () => {
  expect(await overlapping(shop)).toBe(0);
  expect(await adrift(shop)).toBe(0);
  await shop?.stop();
  await fake?.stop();
});

async function tell(type: string, ref: string): Promise<void> {
  const raw = JSON.stringify(fake.eventOf(type, ref));
  const answer = await shop.a.guest.call('POST', '/api/webhooks/payment-a', {
    raw: { content: raw, type: 'application/json' },
    headers: fake.sign(raw, Math.floor(shop.clock.ms() / 1000)),
  });
  expect(answer.status).toBe(200);
  await shop.settled();
}
const rowsOf = (reference: string): Promise<Json[]> => appointments(shop.a, `&q=${reference}&sort=startsAt`);
async function payment(reference: string): Promise<{ id: string; ref: string; refunded: string; amount: string }> {
  const [row] = await rowsOf(reference);
  const [found] = await shop.rows<{ id: string; ref: string; refunded: string; amount: string }>(
    'select id, provider_ref as ref, refunded_amount as refunded, amount_amount as amount from payments_payment where for_id = $1',
    [row?.basketId ?? row?.id],
  );
  if (!found) throw new Error('there is no payment');
  return found;
}
async function pay(reference: string): Promise<void> {
  const { ref } = await payment(reference);
  fake.pay(ref);
  await tell('payment_intent.succeeded', ref);
}
async function refunds(reference: string): Promise<number> {
  await shop.settled();
  return Number((await payment(reference)).refunded);
}

describe('a deposit', () => {
  it('keeps the time for a quarter of an hour, and confirms it once paid', async () => {
    const service = await addService(shop.a, { deposit: ron(1000), capacity: 4 });
    await addStaff(shop.a, [service]);
    const made = await must(book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 3, '10:00'), seats: 2 }), 201);
    expect(made).toMatchObject({ status: 'pending', total: ron(10_000) });
    expect(made.paymentUrl).toMatch(/^http/);
    expect(Math.round((Date.parse(made.holdExpiresAt) - shop.clock.ms()) / 60_000)).toBe(15);
    expect(Number((await payment(made.reference)).amount)).toBe(2000);
    await shop.settled();
    expect(await shop.mails()).toEqual([]);
    await pay(made.reference);
    expect((await rowsOf(made.reference))[0]).toMatchObject({ status: 'confirmed', depositPaid: true, holdExpiresAt: null });
    expect((await shop.mails()).map(({ template }) => template)).toEqual(['booking.confirmed']);
    const [{ id } = { id: '' }] = (await rowsOf(made.reference)) as { id: string }[];
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${id}`, { status: 'cancelled' }), 200);
    expect(await refunds(made.reference)).toBe(2000);
  });

  it('paid for what staff have to see first waits for them, and goes back when they decline', async () => {
    const service = await addService(shop.a, { deposit: ron(1500), requiresConfirmation: true });
    await addStaff(shop.a, [service]);
    const made = await must(book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 3, '10:00') }), 201);
    await pay(made.reference);
    const [row] = await rowsOf(made.reference);
    expect(row).toMatchObject({ status: 'pending', depositPaid: true });
    expect(Date.parse(row?.holdExpiresAt) - shop.clock.ms()).toBeGreaterThan(23 * 3_600_000);
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${row?.id}`, { status: 'declined' }), 200);
    expect(await refunds(made.reference)).toBe(1500);
  });

  it('of what staff confirmed before it came belongs to it all the same', async () => {
    const service = await addService(shop.a, { deposit: ron(900) });
    await addStaff(shop.a, [service]);
    const made = await must(book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 3, '10:00') }), 201);
    const [row] = (await rowsOf(made.reference)) as [Json];
    const path = `/api/admin/appointments/${row.id}`;
    await must(shop.a.admin.patch<Json>(path, { status: 'confirmed' }), 200);
    await pay(made.reference);
    expect(await refunds(made.reference)).toBe(0);
    expect((await rowsOf(made.reference))[0]).toMatchObject({ status: 'confirmed', depositPaid: true });
    await must(shop.a.admin.patch<Json>(path, { status: 'cancelled' }), 200);
    expect(await refunds(made.reference)).toBe(900);
  });

  it('that comes late confirms times that are still free, else it goes back', async () => {
    const service = await addService(shop.a, { deposit: ron(1000) });
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 4, '10:00') };
    const first = await must(book(shop.a.guest, request), 201);
    shop.clock.advance(16 * 60_000);
    await pay(first.reference);
    expect((await rowsOf(first.reference))[0]).toMatchObject({ status: 'confirmed' });
    const lost = await must(book(shop.a.guest, { ...request, startsAt: at(shop, 4, '12:00') }), 201);
    shop.clock.advance(16 * 60_000);
    const { ref } = await payment(lost.reference);
    fake.pay(ref);
    const winner = await must(book(shop.a.guest, { ...request, ...person('winner'), startsAt: at(shop, 4, '12:00') }), 201);
    await tell('payment_intent.succeeded', ref);
    await pay(winner.reference);
    expect((await rowsOf(winner.reference))[0]).toMatchObject({ status: 'confirmed' });
    expect((await rowsOf(lost.reference))[0]).toMatchObject({ status: 'expired' });
    expect(await refunds(lost.reference)).toBe(1000);
  });

  it('for what staff have confirmed meanwhile is kept', async () => {
    const service = await addService(shop.a, { deposit: ron(1000) });
    await addStaff(shop.a, [service]);
    const made = await must(book(shop.a.guest, { serviceId: service.id, startsAt: at(shop, 9, '10:00') }), 201);
    const [row] = await rowsOf(made.reference);
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${row?.id}`, { status: 'confirmed' }), 200);
    await pay(made.reference);
    expect((await rowsOf(made.reference))[0]).toMatchObject({ status: 'confirmed', depositPaid: true });
    expect(await refunds(made.reference)).toBe(0);
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${row?.id}`, { status: 'cancelled' }), 200);
    expect(await refunds(made.reference)).toBe(1000);
  });

  it('that is never paid lapses without a word', async () => {
    const service = await addService(shop.a, { deposit: ron(1000) });
    await addStaff(shop.a, [service]);
    const made = await must(
      book(shop.a.guest, { ...person('silent'), serviceId: service.id, startsAt: at(shop, 5, '10:00') }),
      201,
    );
    shop.clock.advance(16 * 60_000);
    await runJob(shop, plugin, 'expire');
    await shop.settled();
    expect((await rowsOf(made.reference))[0]).toMatchObject({ status: 'expired' });
    expect((await shop.mails()).filter(({ to }) => to === 'customersilent@example.org')).toEqual([]);
  });

  it('of a basket is one payment; a part that is cancelled takes its part along', async () => {
    const service = await addService(shop.a, { deposit: ron(700) });
    await addStaff(shop.a, [service]);
    const made = await must(
      shop.a.guest.post<Json>('/api/storefront/booking/bookings', {
        items: [{ serviceId: service.id }, { serviceId: service.id }],
        startsAt: at(shop, 6, '10:00'),
        ...person('pair'),
      }),
      201,
    );
    await pay(made.reference);
    const rows = await rowsOf(made.reference);
    expect(rows.map(({ status }) => status)).toEqual(['confirmed', 'confirmed']);
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${rows[0]?.id}`, { status: 'cancelled' }), 200);
    expect(await refunds(made.reference)).toBe(700);
    const subject = { type: 'booking.appointment', id: rows[0]?.basketId };
    expect(await shop.a.run('booking', async (ctx) => settleDeposit(ctx, { for: subject }))).toBe('accepted');
    expect(await refunds(made.reference)).toBe(700);
    expect((await rowsOf(made.reference))[1]).toMatchObject({ status: 'confirmed', depositPaid: true });
    await must(shop.a.admin.patch<Json>(`/api/admin/appointments/${rows[1]?.id}`, { status: 'cancelled' }), 200);
    expect(await refunds(made.reference)).toBe(1400);
  });

  it('whose payment cannot start holds nothing; without an online method it is refused', async () => {
    const service = await addService(shop.a, { deposit: ron(1000) });
    await addStaff(shop.a, [service]);
    const request = { serviceId: service.id, startsAt: at(shop, 7, '10:00') };
    fake.fault({ path: '/', status: 400, body: { error: { code: 'invalid_request', message: 'no' } }, times: 1 });
    expect((await book(shop.a.guest, request)).status).toBe(503);
    expect((await appointments(shop.a, `&serviceId=${service.id}`)).map(({ status }) => status)).toEqual(['expired']);
    expect((await book(shop.a.guest, { ...request, email: undefined, phone: '+40799999999' })).status).toBe(422);
    await must(shop.a.admin.patch<Json>(`/api/admin/payment-methods/${method.id}`, { enabled: false }), 200);
    expect(await book(shop.a.guest, request)).toMatchObject({
      status: 501,
      body: { code: 'provider_not_configured', provider: 'payments' },
    });
    expect(await appointments(shop.a, `&serviceId=${service.id}&status=pending`)).toEqual([]);
  });
});

it('without the plugin payments a service without deposit can be booked, one with it is 501', async () => {
  const alone = await bookingShop();
  try {
    const [free, due] = [await addService(alone.a), await addService(alone.a, { deposit: ron(100) })];
    await addStaff(alone.a, [free, due]);
    await must(book(alone.a.guest, { serviceId: free.id, startsAt: at(alone, 2, '10:00') }), 201);
    const refused = await book(alone.a.guest, { serviceId: due.id, startsAt: at(alone, 2, '12:00') });
    expect(refused).toMatchObject({ status: 501, body: { provider: 'payments' } });
    expect(await appointments(alone.a)).toHaveLength(1);
  } finally {
    await alone.stop();
  }
});
