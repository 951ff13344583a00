import type { Ctx } from '@storeloom/plugin-sdk';
import { findBusyTimes } from '@storeloom/plugin-sdk/calendar';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addService, addStaff, appointments, at, book, bookingShop, type Json, must, person } from '../test/shop.ts';
import { busyTimes } from './busy.ts';
import { mailCancelled, mailChanged, mailConfirmed, mailCreated } from './mails.ts';
import { erasePerson, exportPerson } from './people.ts';

let shop: TestShop;
beforeAll(async () => {
  // Without workers e-mails stay in the queue, with their attachments.
  shop = await bookingShop({ workers: false });
});
afterAll(() => shop?.stop());

/** What the handler of an event does, without the worker. */
const handled = (fn: (ctx: Ctx, event: never) => Promise<void>, id: string, from?: string): Promise<void> =>
  shop.a.run('booking', (ctx) => fn(ctx, { data: { id, from } } as never));
const mailsTo = async (email: string) => (await shop.mails()).filter(({ to }) => to === email);
const file = (mail: Json): string => Buffer.from(mail.attachments[0].content, 'base64').toString('utf8').replaceAll('\r\n ', '');
const rowOf = async (reference: string): Promise<Json> => (await appointments(shop.a, `&reference=${reference}`))[0] as Json;

describe('mail', () => {
  it('of a group names the one customer, in text and calendar file (case T9)', async () => {
    const service = await addService(shop.a, { capacity: 3 });
    await addStaff(shop.a, [service], { email: 'staff-secret@example.org', phone: '+40755555555' });
    const request = { serviceId: service.id, startsAt: at(shop, 3, '10:00') };
    const first = await must(book(shop.a.guest, { ...request, ...person('first') }), 201);
    const second = await must(book(shop.a.guest, { ...request, ...person('second'), notes: 'second-note' }), 201);
    for (const { reference } of [first, second]) await handled(mailCreated, (await rowOf(reference)).id);
    const [mail] = await mailsTo('customersecond@example.org');
    expect(mail).toMatchObject({ template: 'booking.confirmed', data: { reference: second.reference } });
    const ics = file(mail as Json);
    expect(ics).toContain('METHOD:REQUEST');
    expect(ics).toContain('customersecond@example.org');
    const told = `${JSON.stringify({ ...mail, attachments: [] })}\n${ics}\n${JSON.stringify(second)}`;
    for (const secret of ['customerfirst', 'Customer first', first.reference, 'staff-secret', '+40755555555', 'second-note'])
      expect(told).not.toContain(secret);
  });

  it('of a change and a cancellation finds the entry of the confirmation', async () => {
    const service = await addService(shop.a);
    await addStaff(shop.a, [service]);
    const { reference, manageToken } = await must(
      book(shop.a.guest, { ...person('moves'), serviceId: service.id, startsAt: at(shop, 4, '10:00') }),
      201,
    );
    const { id } = await rowOf(reference);
    await handled(mailCreated, id);
    await handled(mailConfirmed, id);
    const change = (body: Json) =>
      must(shop.a.guest.post<Json>('/api/storefront/booking/appointments', { manageToken, ...body }), 200);
    await change({ action: 'reschedule', startsAt: at(shop, 5, '12:00') });
    await handled(mailChanged, id);
    await change({ action: 'cancel' });
    await handled(mailCancelled, id, 'confirmed');
    await handled(mailCancelled, id, 'confirmed');
    const mails = await mailsTo('customermoves@example.org');
    expect(mails.map(({ template }) => template)).toEqual(['booking.confirmed', 'booking.changed', 'booking.cancelled']);
    const files = mails.map(file);
    const line = (name: string) => files.map((text) => new RegExp(`^${name}[^:]*:(.*)$`, 'm').exec(text)?.[1]?.trim());
    expect(new Set(line('UID')).size).toBe(1);
    expect(line('SEQUENCE')).toEqual(['0', '1', '2']);
    expect(line('METHOD')).toEqual(['REQUEST', 'REQUEST', 'CANCEL']);
    expect(line('DTSTART')[1]).toBe(at(shop, 5, '12:00').replaceAll(/[-:]|\.000/g, ''));
  });
});

describe('people', () => {
  it('get what is kept of them, and are forgotten once they were there', async () => {
    const service = await addService(shop.a);
    const staff = await addStaff(shop.a, [service], { email: 'worker@example.org' });
    const asked = { ...person('gone'), serviceId: service.id, notes: 'Remember me' };
    const past = await must(book(shop.a.guest, { ...asked, startsAt: at(shop, 1, '10:00') }), 201);
    const future = await must(book(shop.a.guest, { ...asked, startsAt: at(shop, 9, '10:00') }), 201);
    const who = { emails: ['Customergone@example.org'], phones: [] };
    shop.clock.advance(3 * 86_400_000);
    const found = await shop.a.run('booking', async (ctx) => exportPerson(ctx, who));
    expect(JSON.stringify(found)).toContain('Remember me');
    const reports: Json[] = [];
    const report = (entry: Json) => void reports.push(entry);
    await shop.a.run('booking', async (ctx) => erasePerson(ctx, { ...who, report }));
    expect(reports[0]).toMatchObject({
      resource: 'booking.appointment',
      erased: 1,
      kept: { count: 1, reason: 'open_appointment' },
    });
    expect(await rowOf(past.reference)).toMatchObject({
      customer: { name: 'erased', email: null, phone: null },
      customerId: null,
      notes: null,
    });
    expect(await rowOf(future.reference)).toMatchObject({ notes: 'Remember me' });
    await shop.a.run('booking', async (ctx) => erasePerson(ctx, { emails: ['worker@example.org'], phones: [], report }));
    const [row] = await shop.rows('select email from booking_staff where id = $1', [staff.id]);
    expect(row).toEqual({ email: null });
  });

  it('who work here are busy for other plugins, not for us', async () => {
    const service = await addService(shop.a, { bufferAfterMin: 10 });
    await addStaff(shop.a, [service], { email: 'Planned@Example.org' });
    const startsAt = at(shop, 12, '10:00');
    await must(book(shop.a.guest, { serviceId: service.id, startsAt }), 201);
    const asked = { from: at(shop, 12, '00:00'), to: at(shop, 13, '00:00'), people: [{ email: 'planned@example.org' }] };
    const others = await shop.a.run('booking', async (ctx) => busyTimes(ctx, { ...asked, by: 'another' }));
    expect(others).toEqual([
      { email: 'planned@example.org', start: startsAt, end: at(shop, 12, '10:40'), kind: 'booking.appointment' },
    ]);
    expect(await shop.a.run('booking', (ctx) => findBusyTimes(ctx, asked))).toEqual([[]]);
    expect(await shop.b.run('booking', async (ctx) => busyTimes(ctx, asked))).toEqual([]);
  });
});
