import { crowd, repeatedUnits, TestClient, type TestShop, tally } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addType,
  buy,
  eventShop,
  type Json,
  must,
  patiently,
  publish,
  ron,
  scan,
  sentCalendars,
  sentMails,
  tickets,
} from '../test/shop.ts';
import { events } from './contract.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await eventShop({ processes: 2 });
});
afterAll(() => shop?.stop());

it('an event without a slug gets a free one from its title', async () => {
  const times = { startsAt: '2030-06-01T17:00:00.000Z', endsAt: '2030-06-01T20:00:00.000Z', timezone: 'Europe/Bucharest' };
  const create = (more: Json) =>
    shop.a.admin.post<Json>('/api/admin/events/', { title: 'Noapte de jazz, ediția 1', ...times, ...more });
  const first = await must(create({}), 201);
  expect([first.slug, (await must(create({}), 201)).slug]).toEqual(['noapte-de-jazz-editia-1', 'noapte-de-jazz-editia-1-2']);
  expect((await create({ slug: first.slug })).body.code).toBe('duplicate');
  expect((await must(create({ title: 'ジャズ' }), 201)).slug).toMatch(/^event-[0-9a-f]{8}$/);
  expect((await must(create({ title: 'x'.repeat(200) }), 201)).slug.length).toBeLessThanOrEqual(120);
  expect((await create({ slug: '' })).status).toBe(422);
  expect(await must(shop.a.admin.patch<Json>(`/api/admin/events/${first.id}`, { title: 'Other' }), 200)).toMatchObject({
    slug: first.slug,
  });
});

describe('free tickets', () => {
  it('are valid immediately, e-mailed, and listed for staff', async () => {
    const event = await publish(shop, shop.a, { venue: { name: 'Hall', onlineUrl: 'https://secret.example/room' } });
    const type = await addType(shop.a, event.id, { quantity: 5 });
    const attendees = [{ name: 'First Guest' }, { name: 'Second Guest', email: 'second@example.org' }];
    const bought = await must(buy(shop.a.guest, event.id, [[type.id, 2]], { attendees }), 201);
    expect(bought).toMatchObject({ status: 'paid', total: ron(0), paymentUrl: null, holdExpiresAt: null });
    expect(bought.tickets.map((one: Json) => one.attendee)).toEqual(['First Guest', 'Second Guest']);
    await shop.settled();
    expect(sentMails(shop)).toContain(bought.tickets[0].code);
    expect(await tickets(shop.a, event.id, '&q=second@example')).toHaveLength(1);
    expect(await tickets(shop.a, event.id, `&q=${bought.orderRef}`)).toHaveLength(2);
    expect(await tickets(shop.a, event.id, '&checkedIn=true')).toHaveLength(0);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}`), 200);
    expect(shown).toMatchObject({ sold: 2, held: 0, available: null, soldOut: false });
    const types = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}/ticket-types`), 200);
    expect(types.data[0]).toMatchObject({ sold: 2, available: 3 });
  });

  it('are summed over lines and checked against every quota (case T22)', async () => {
    const event = await publish(shop, shop.a, { capacity: 10 });
    const type = await addType(shop.a, event.id, { maxPerOrder: 50 });
    const other = await addType(shop.a, event.id, { maxPerOrder: 50 });
    const lines = Array.from({ length: 20 }, (): [string, number] => [type.id, 1]);
    const refused = await buy(shop.a.guest, event.id, lines);
    expect(refused).toMatchObject({ status: 409, body: { code: 'sold_out', ticketTypeId: type.id, available: 10 } });
    expect(await tickets(shop.a, event.id)).toEqual([]);
    const both = await buy(shop.a.guest, event.id, [
      [type.id, 6],
      [other.id, 5],
    ]);
    expect(both.body).toMatchObject({ code: 'sold_out', ticketTypeId: other.id, available: 4 });
    expect(await tickets(shop.a, event.id)).toEqual([]);
  });

  it('of one type that is full leave the others on sale', async () => {
    const event = await publish(shop, shop.a);
    const full = await addType(shop.a, event.id, { quantity: 1 });
    const open = await addType(shop.a, event.id, { quantity: 3 });
    await must(buy(shop.a.guest, event.id, [[full.id, 1]]), 201);
    expect((await buy(shop.a.guest, event.id, [[full.id, 1]])).status).toBe(409);
    await must(buy(shop.a.guest, event.id, [[open.id, 3]]), 201);
    const list = await must(shop.a.guest.get<Json>(`/api/storefront/events/?slug=${event.slug}`), 200);
    expect(list.data[0].ticketTypes.map((one: Json) => one.availability)).toEqual(['sold_out', 'sold_out']);
  });

  it('keep to minimum, maximum and the time of the sale', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { minPerOrder: 2, maxPerOrder: 4 });
    for (const n of [1, 5])
      expect(await buy(shop.a.guest, event.id, [[type.id, n]])).toMatchObject({
        status: 422,
        body: { code: 'order_quantity', min: 2, max: 4 },
      });
    const later = new Date(shop.clock.ms() + 86_400_000).toISOString();
    const future = await addType(shop.a, event.id, { salesStart: later });
    expect((await buy(shop.a.guest, event.id, [[future.id, 1]])).body.code).toBe('sales_closed');
    const draft = await must(
      shop.a.admin.post<Json>('/api/admin/events/', {
        title: 'Draft',
        slug: 'draft',
        startsAt: later,
        endsAt: new Date(shop.clock.ms() + 90_000_000).toISOString(),
        timezone: 'Europe/Bucharest',
      }),
      201,
    );
    const hidden = await addType(shop.a, draft.id);
    expect((await buy(shop.a.guest, draft.id, [[hidden.id, 1]])).status).toBe(404);
    expect((await buy(shop.b.guest, event.id, [[type.id, 2]])).status).toBe(404);
    expect((await buy(shop.a.guest, event.id, [[hidden.id, 1]])).status).toBe(404);
  });

  it('without payments in the shop are all that can be had', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { price: ron(5000) });
    expect(await buy(shop.a.guest, event.id, [[type.id, 1]])).toMatchObject({
      status: 501,
      body: { code: 'provider_not_configured', provider: 'payments' },
    });
    expect(await tickets(shop.a, event.id)).toEqual([]);
    expect((await buy(shop.a.guest, event.id, [[type.id, 1]], { coupon: 'NOPE' })).status).toBe(404);
  });

  it('need a consent, which is kept, and are not for machines', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id);
    const attempt = (more: Json) => buy(shop.a.guest, event.id, [[type.id, 1]], more);
    expect((await attempt({ consent: false })).body).toMatchObject({ status: 422, code: 'consent_required' });
    expect((await attempt({ consent: undefined })).body).toMatchObject({ status: 422, errors: [{ pointer: '/consent' }] });
    expect((await attempt({ website: 'https://spam.example' })).body).toMatchObject({
      status: 422,
      errors: [{ pointer: '/website' }],
    });
    expect(await tickets(shop.a, event.id)).toEqual([]);
    const bought = await must(attempt({ consentVersion: 'tickets-7' }), 201);
    const kept = await shop.rows<Json>("select * from customers_consent where purpose = 'tickets' and subject = $1", [bought.id]);
    expect(kept).toMatchObject([{ granted: true, text_version: 'tickets-7', source: 'events', tenant_id: shop.a.id }]);
  });

  it('go to 10 of 50 simultaneous buyers over two processes', async () => {
    const event = await publish(shop, shop.a, { capacity: 10 });
    const type = await addType(shop.a, event.id, { quantity: 40 });
    const { answers, seconds } = await crowd(shop.bases, 50, (at, i) =>
      patiently(() => buy(at(shop.a.guest), event.id, [[type.id, 1]], { buyer: { name: `B ${i}`, email: `b${i}@example.org` } })),
    );
    console.log(`events: 50 buyers of the last 10 places took ${Math.round(seconds * 1000)} ms`);
    expect(tally(answers)).toEqual({ '201': 10, '409 sold_out': 40 });
    expect(await tickets(shop.a, event.id)).toHaveLength(10);
    expect(await repeatedUnits(shop.bases)).toEqual({});
  });

  it('of two types, bought by 200 in any order, never exceed either quota or the capacity', async () => {
    const event = await publish(shop, shop.a, { capacity: 40 });
    const types = [await addType(shop.a, event.id, { quantity: 25 }), await addType(shop.a, event.id, { quantity: 30 })];
    const ids = types.map(({ id }) => id as string) as [string, string];
    const { answers, seconds } = await crowd(shop.bases, 200, (at, i) => {
      const lines: [string, number][] = [
        [ids[0], 1],
        [ids[1], 1 + (i % 3)],
      ];
      const items = i % 4 === 0 ? lines : i % 2 === 0 ? lines.toReversed() : [lines[i % 3 === 0 ? 0 : 1] as [string, number]];
      const who = { name: `C ${i}`, email: `c${i % 50}@example.org` };
      return patiently(() => buy(at(shop.a.guest), event.id, items, { buyer: who }));
    });
    const seen = tally(answers);
    console.log(`events: 200 buyers of 40 places took ${Math.round(seconds * 1000)} ms: ${JSON.stringify(seen)}`);
    expect(Object.keys(seen).sort()).toEqual(['201', '409 sold_out']);
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}/ticket-types`), 200);
    const sold = ids.map((id) => shown.data.find((one: Json) => one.id === id).sold as number) as [number, number];
    expect(sold[0]).toBeLessThanOrEqual(25);
    expect(sold[1]).toBeLessThanOrEqual(30);
    expect(sold[0] + sold[1]).toBe(40);
    expect(await repeatedUnits(shop.bases)).toEqual({});
  });

  it('can not be sold while their number is cut below them', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id, { quantity: 30 });
    const path = `/api/admin/events/${event.id}/ticket-types/${type.id}`;
    await crowd(shop.bases, 40, (at, i) =>
      i % 4 === 3 ? at(shop.a.admin).patch<Json>(path, { quantity: 30 - i }) : buy(at(shop.a.guest), event.id, [[type.id, 1]]),
    );
    const shown = await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}/ticket-types`), 200);
    expect(shown.data[0].sold).toBeLessThanOrEqual(shown.data[0].quantity);
  });

  it('are never more than the quantity that staff lower meanwhile, nor of a type that they remove', async () => {
    const clients = shop.bases.map((base) => new TestClient(base, shop.a.host));
    for (let round = 0; round < 12; round++) {
      const event = await publish(shop, shop.a);
      const type = await addType(shop.a, event.id, { quantity: 6 });
      const path = `/api/admin/events/${event.id}/ticket-types/${type.id}`;
      const [changed, ...bought] = await Promise.all([
        round % 3 === 0 ? shop.a.admin.delete<Json>(path) : shop.a.admin.patch<Json>(path, { quantity: 2 }),
        ...Array.from({ length: 6 }, (_, i) => buy(clients[i % 2] as TestClient, event.id, [[type.id, 1]])),
      ]);
      expect(changed?.status).toBeLessThan(500);
      for (const { status } of bought) expect([201, 404, 409]).toContain(status);
      const sold = bought.filter(({ status }) => status === 201).length;
      expect(await tickets(shop.a, event.id)).toHaveLength(sold);
      if (changed?.status === 200) expect(sold).toBeLessThanOrEqual(2);
      if (changed?.status === 204) expect(sold).toBe(0);
    }
  });
});

describe('at the door', () => {
  async function ticketOf(more: Json = {}): Promise<{ code: string; event: Json; id: string }> {
    const event = await publish(shop, shop.a, more);
    const type = await addType(shop.a, event.id);
    await must(buy(shop.a.guest, event.id, [[type.id, 1]]), 201);
    const [row] = await tickets(shop.a, event.id);
    return { code: row?.code, id: row?.id, event };
  }
  const log = (id: string) =>
    shop.rows<{ result: string; forced: boolean }>(
      'select result, forced from events_check_in where ticket_id = $1 order by created_at, id',
      [id],
    );

  it('a ticket lets one person in, and refused scans are written down', async () => {
    const { code, id, event } = await ticketOf();
    const first = await must(scan(shop.a, code, { nonce: 'n1', gate: 'A' }), 200);
    expect(first).toMatchObject({ result: 'ok', forced: false, ticket: { status: 'checked_in' } });
    const second = await scan(shop.a, code, { nonce: 'n2', gate: 'B' });
    expect(second).toMatchObject({ status: 409, body: { code: 'already_redeemed', firstAt: first.at, gate: 'A' } });
    expect(await must(scan(shop.a, code, { nonce: 'n1', gate: 'A' }), 200)).toMatchObject({ at: first.at });
    expect((await log(id)).map(({ result }) => result)).toEqual(['ok', 'already_redeemed']);
    expect((await scan(shop.b, code, { nonce: 'n3' })).status).toBe(404);
    expect((await scan(shop.a, 'nosuchcode', { nonce: 'n3' })).status).toBe(404);
    expect(await tickets(shop.a, event.id, '&checkedIn=true')).toHaveLength(1);
  });

  it('a ticket of another event, or weeks before, is refused, and the response names event, type and holder', async () => {
    const { code, id, event } = await ticketOf();
    const other = await publish(shop, shop.a);
    const wrong = await scan(shop.a, code, { nonce: 'n1', eventId: other.id });
    const shown = { event: { id: event.id, title: 'Concert' }, ticketType: expect.stringMatching(/^Type/) };
    expect(wrong).toMatchObject({ status: 409, body: { code: 'wrong_event', ...shown, attendeeName: expect.anything() } });
    const closed = { doorsAt: new Date(shop.clock.ms() + 3_600_000).toISOString() };
    await must(shop.a.admin.patch<Json>(`/api/admin/events/${event.id}`, closed), 200);
    expect((await scan(shop.a, code, { nonce: 'n2' })).body).toMatchObject({ code: 'invalid_time', validFrom: closed.doorsAt });
    // Without a time for the doors: twelve hours before the event.
    await must(shop.a.admin.patch<Json>(`/api/admin/events/${event.id}`, { doorsAt: null }), 200);
    expect((await scan(shop.a, code, { nonce: 'n3', eventId: event.id })).body.code).toBe('invalid_time');
    await must(shop.a.admin.patch<Json>(`/api/admin/events/${event.id}`, { doorsAt: event.doorsAt }), 200);
    const admitted = await must(scan(shop.a, code, { nonce: 'n4', eventId: event.id, gate: 'A' }), 200);
    expect(admitted).toMatchObject({ result: 'ok', event: shown.event, ticket: { ticketType: shown.ticketType } });
    expect((await log(id)).map(({ result }) => result)).toEqual(['wrong_event', 'invalid_time', 'invalid_time', 'ok']);
  });

  it('out and in again needs an event that allows it', async () => {
    for (const reentry of [true, false]) {
      const { code } = await ticketOf({ reentry });
      const statuses: number[] = [];
      for (const [i, type] of ['entry', 'exit', 'entry'].entries())
        statuses.push((await scan(shop.a, code, { type, nonce: `n${i}` })).status);
      expect(statuses).toEqual([200, 200, reentry ? 200 : 409]);
    }
  });

  it('force lets in whom the door would refuse, is marked, and needs its permission', async () => {
    const { code, id } = await ticketOf();
    await must(scan(shop.a, code, { nonce: 'n1', force: true }), 200);
    await must(scan(shop.a, code, { nonce: 'n2', force: true }), 200);
    expect(await log(id)).toEqual([
      { result: 'ok', forced: false },
      { result: 'ok', forced: true },
    ]);
    // Not at the door of another event: the ticket stays valid for its own.
    const own = await ticketOf();
    const elsewhere = await scan(shop.a, own.code, { nonce: 'n1', eventId: (await publish(shop, shop.a)).id, force: true });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'wrong_event']);
    expect(await log(own.id)).toEqual([{ result: 'wrong_event', forced: false }]);
    const admitted = await must(scan(shop.a, own.code, { nonce: 'n2', eventId: own.event.id }), 200);
    expect(admitted).toMatchObject({ forced: false, ticket: { status: 'checked_in' } });
    const porter = await shop.a.staff(['events.ticket.check-in']);
    expect((await porter.post(`/api/admin/events/${code}/check-in`, { nonce: 'n3', force: true })).status).toBe(403);
    expect((await porter.post(`/api/admin/events/${code}/check-in`, { nonce: 'n3' })).status).toBe(409);
  });

  it('one ticket scanned 50 times simultaneously admits one person', async () => {
    const { code, id } = await ticketOf();
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => scan(shop.a, code, { nonce: `n${i}` })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
    expect((await log(id)).filter(({ result }) => result === 'ok')).toHaveLength(1);
  });

  it('a transferred or cancelled ticket is refused, and its place is free', async () => {
    const { code, id, event } = await ticketOf({ capacity: 1 });
    const passed = await shop.a.run('events', (ctx) =>
      ctx.require(events).transfer(id, { name: 'Another', email: 'another@example.org' }),
    );
    expect((await scan(shop.a, code, { nonce: 'a' })).body.code).toBe('revoked');
    expect((await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}`), 200)).sold).toBe(1);
    const name = (ticketId: string) =>
      shop.a.run('events', (ctx) => ctx.require(events).rename(ticketId, { name: 'Third', email: null }));
    await name(passed.id);
    expect((await tickets(shop.a, event.id, '&q=Third')).map((one) => one.id)).toEqual([passed.id]);
    await expect(name(id)).rejects.toMatchObject({ code: 'invalid_transition' });
    const again = shop.a.run('events', (ctx) => ctx.require(events).transfer(id, { name: 'Fourth', email: null }));
    await expect(again).rejects.toMatchObject({ code: 'invalid_transition' });
    await shop.a.run('events', (ctx) => ctx.require(events).cancel(passed.id));
    expect((await scan(shop.a, passed.code, { nonce: 'b' })).body.code).toBe('canceled');
    expect((await must(shop.a.admin.get<Json>(`/api/admin/events/${event.id}`), 200)).available).toBe(1);
  });
});

describe('staff', () => {
  it('can not make room smaller than what is sold, nor delete what has tickets', async () => {
    const event = await publish(shop, shop.a, { capacity: 5 });
    const type = await addType(shop.a, event.id, { quantity: 4 });
    await must(buy(shop.a.guest, event.id, [[type.id, 3]]), 201);
    const path = `/api/admin/events/${event.id}`;
    expect(await shop.a.admin.patch<Json>(path, { capacity: 2 })).toMatchObject({
      status: 409,
      body: { code: 'in_use', counts: { sold: 3, held: 0 } },
    });
    expect(await shop.a.admin.patch<Json>(`${path}/ticket-types/${type.id}`, { quantity: 2 })).toMatchObject({
      status: 409,
      body: { code: 'in_use', counts: { sold: 3, held: 0 } },
    });
    expect((await shop.a.admin.delete(`${path}/ticket-types/${type.id}`)).status).toBe(409);
    expect(await shop.a.admin.delete(path)).toMatchObject({ status: 409, body: { code: 'in_use', counts: { tickets: 3 } } });
    const empty = await addType(shop.a, event.id);
    expect((await shop.a.admin.delete(`${path}/ticket-types/${empty.id}`)).status).toBe(204);
  });

  it('of a type are never fewer than are sold, though both change simultaneously', async () => {
    const event = await publish(shop, shop.a);
    const types = await Promise.all(Array.from({ length: 12 }, () => addType(shop.a, event.id, { quantity: 10 })));
    const clients = shop.bases.map((base) => shop.a.admin.at(base));
    const answers = await Promise.all(
      types.map((type, i) =>
        Promise.all([
          patiently(() => buy(shop.a.guest, event.id, [[type.id, 4]])),
          patiently(() =>
            (clients[i % 2] as TestClient).patch<Json>(`/api/admin/events/${event.id}/ticket-types/${type.id}`, { quantity: 3 }),
          ),
        ]),
      ),
    );
    const outcomes = answers.map(([bought, changed]) => `${bought.body.code ?? 'sold'} ${changed.body.code ?? 'smaller'}`);
    expect(outcomes.filter((outcome) => outcome !== 'sold in_use' && outcome !== 'sold_out smaller')).toEqual([]);
  });

  it('keep speakers and sponsors, of whom the storefront shows what is public', async () => {
    const event = await publish(shop, shop.a, {
      venue: { name: 'Hall', address: 'Street 1', onlineUrl: 'https://online.example/room' },
    });
    const path = `/api/admin/events/${event.id}`;
    const speaker = await must(shop.a.admin.post<Json>(`${path}/speakers`, { name: 'Speaker', title: 'Dr' }), 201);
    await must(shop.a.admin.patch<Json>(`${path}/speakers/${speaker.id}`, { bio: 'Knows much' }), 200);
    const sponsor = { name: 'Sponsor', url: 'https://sponsor.example', amount: ron(777_777), tier: 'gold' };
    await must(shop.a.admin.post<Json>(`${path}/sponsors`, sponsor), 201);
    await addType(shop.a, event.id, { hidden: true, name: 'Backstage' });
    const other = await publish(shop, shop.a);
    expect((await shop.a.admin.patch(`/api/admin/events/${other.id}/speakers/${speaker.id}`, { bio: 'x' })).status).toBe(404);
    const answer = await shop.a.guest.get<Json>(`/api/v1/storefront/events/?slug=${event.slug}`);
    expect(answer.body.data[0]).toMatchObject({
      venue: { name: 'Hall', address: 'Street 1' },
      speakers: [{ name: 'Speaker', title: 'Dr', bio: 'Knows much', photo: null }],
      sponsors: [{ name: 'Sponsor', logo: null, url: 'https://sponsor.example' }],
      ticketTypes: [],
    });
    for (const secret of ['777777', 'online.example', 'Backstage', 'gold']) expect(answer.text).not.toContain(secret);
    expect((await shop.a.admin.delete(`${path}/speakers/${speaker.id}`)).status).toBe(204);
  });

  it('cancel an event: every ticket ends, every buyer gets one e-mail', async () => {
    const event = await publish(shop, shop.a);
    const type = await addType(shop.a, event.id);
    await must(buy(shop.a.guest, event.id, [[type.id, 2]], { buyer: { name: 'C', email: 'c@example.org' } }), 201);
    // The tickets are on their way before anything changes.
    await shop.settled();
    const path = `/api/admin/events/${event.id}`;
    await must(shop.a.admin.patch<Json>(path, { status: 'postponed' }), 200);
    await shop.settled();
    expect((await buy(shop.a.guest, event.id, [[type.id, 1]])).body.code).toBe('sales_closed');
    const [held] = await tickets(shop.a, event.id);
    const atTheDoor = await shop.a.admin.post<Json>(`/api/admin/events/${held?.code}/check-in`, { nonce: 'early' });
    expect(atTheDoor).toMatchObject({ status: 409, body: { code: 'invalid_time' } });
    // Changes of a draft send no e-mail.
    const later = { startsAt: '2031-05-01T17:00:00Z', endsAt: '2031-05-01T20:00:00Z' };
    await must(shop.a.admin.patch<Json>(path, later), 200);
    await must(shop.a.admin.patch<Json>(path, { status: 'published' }), 200);
    await shop.settled();
    await must(shop.a.admin.patch<Json>(path, { status: 'cancelled' }), 200);
    await must(shop.a.admin.patch<Json>(path, { status: 'cancelled' }), 200);
    expect((await shop.a.admin.patch<Json>(path, { status: 'published' })).body).toMatchObject({
      code: 'invalid_transition',
      from: 'cancelled',
    });
    await shop.settled();
    expect((await tickets(shop.a, event.id)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    const mails = (await shop.mails()).filter(({ to }) => to === 'c@example.org').map(({ template }) => template);
    expect(mails).toEqual(['events.tickets', 'events.postponed', 'events.moved', 'events.cancelled']);
    const files = sentCalendars(shop, 'c@example.org').map((lines) =>
      ['SEQUENCE', 'METHOD', 'DTSTART', 'UID'].map((name) => lines.find((line) => line.startsWith(`${name}:`))),
    );
    const uid = `UID:events.event.${event.id}@${shop.a.id}`;
    const [first, then] = [event.startsAt, later.startsAt].map(
      (start) => `DTSTART:${new Date(start).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')}`,
    );
    expect(files.sort()).toEqual([
      ['SEQUENCE:0', 'METHOD:REQUEST', first, uid],
      ['SEQUENCE:1', 'METHOD:CANCEL', first, uid],
      ['SEQUENCE:2', 'METHOD:REQUEST', then, uid],
      ['SEQUENCE:3', 'METHOD:CANCEL', then, uid],
    ]);
  });

  it('read figures that agree with the lists', async () => {
    const stats = await must(shop.a.admin.get<Json>('/api/admin/dashboard/events-stats'), 200);
    const { n } = (
      await shop.rows<{ n: number }>(
        "select count(*)::int as n from events_ticket where tenant_id = $1 and status in ('valid', 'checked_in', 'cancelled', 'refunded')",
        [shop.a.id],
      )
    )[0] as { n: number };
    expect(stats.metrics.ticketsSold30d).toBe(n);
    expect(stats.metrics).toMatchObject({ grossRevenue30d: ron(0), refunded30d: ron(0), checkInPct: null, noShowPct: null });
    expect(stats.series.salesByDay).toHaveLength(30);
  });
});
