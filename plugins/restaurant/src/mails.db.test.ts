import { sentCalendars, sentMails, type TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addArea, ask, change, find, type Json, must, reserved, restaurantShop, setUp } from '../test/shop.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await restaurantShop();
});
afterAll(() => shop?.stop());

it('tells of every change once, with one entry for the calendar that follows it', async () => {
  const { area } = await addArea(shop.a, [2]);
  const email = 'mails@example.org';
  const row = await reserved(shop.a, { area, email, startsAt: '2026-05-10T16:00:00.000Z' });
  await shop.settled();
  await must(change(shop.a, row.id, { startsAt: '2026-05-10T17:00:00.000Z' }), 200);
  await must(change(shop.a, row.id, { notes: 'Window' }), 200);
  await shop.settled();
  await must(change(shop.a, row.id, { status: 'cancelled' }), 200);
  await shop.settled();
  const mails = (await shop.mails()).filter(({ to }) => to === email).map(({ template }) => template);
  expect(mails).toEqual(['restaurant.confirmed', 'restaurant.changed', 'restaurant.cancelled']);
  const calendars = sentCalendars(shop, email);
  expect(calendars).toHaveLength(3);
  const of = (sequence: number) => calendars.find((lines) => lines.includes(`SEQUENCE:${sequence}`)) ?? [];
  expect(of(0)).toContain('DTSTART:20260510T160000Z');
  expect(of(1)).toContain('DTSTART:20260510T170000Z');
  expect(of(1)).toContain('METHOD:REQUEST');
  expect(of(2)).toContain('METHOD:CANCEL');
  const uids = new Set([0, 1, 2].map((sequence) => of(sequence).find((line) => line.startsWith('UID:'))));
  expect(uids.size).toBe(1);
  expect([...uids][0]).toContain(row.id);
});

it('says of a request that it has come, and that it is declined', async () => {
  await setUp(shop.a, { autoConfirm: false });
  const { area } = await addArea(shop.a, [2]);
  const email = 'asked@example.org';
  const asked = await must(ask(shop.a.guest, { area, email }), 201);
  await shop.settled();
  const [pending] = (await find(shop.a, `reference=${asked.reference}`)) as [Json];
  await must(change(shop.a, pending.id, { status: 'declined' }), 200);
  await shop.settled();
  const mails = (await shop.mails()).filter(({ to }) => to === email).map(({ template }) => template);
  expect(mails).toEqual(['restaurant.received', 'restaurant.declined']);
  // The token is shown once, in the answer.
  expect(sentMails(shop)).toContain(`To: ${email}`);
  expect(sentMails(shop)).not.toContain(asked.manageToken);
  expect(sentCalendars(shop, email).flat().join()).not.toContain(asked.manageToken);
});
