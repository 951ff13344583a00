import type { Person } from '@storeloom/plugin-sdk';
import type { TestShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addType, buy, eventShop, must, publish, ron } from '../test/shop.ts';
import { erasePerson, exportPerson } from './people.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await eventShop();
});
afterAll(() => shop?.stop());

const personOf = (email: string): Person => ({ emails: [email.toUpperCase()], phones: [] });
const exported = (email: string) => shop.a.run('events', async (ctx) => exportPerson(ctx, personOf(email)));
async function erased(email: string): Promise<unknown[]> {
  const reports: unknown[] = [];
  await shop.a.run('events', async (ctx) =>
    erasePerson(ctx, { ...personOf(email), report: (entry) => void reports.push(entry) }),
  );
  return reports;
}

it('exports and erases purchases, and tickets in the name of the person', async () => {
  const event = await publish(shop, shop.a);
  const type = await addType(shop.a, event.id, { price: ron(0) });
  const buyer = { name: 'Ana Buyer', email: 'buyer@example.org' };
  const attendees = [{ name: 'Ana Buyer' }, { name: 'Friend', email: 'friend@example.org' }];
  const bought = await must(buy(shop.a.guest, event.id, [[type.id, 2]], { buyer, attendees }), 201);

  expect(await exported('buyer@example.org')).toMatchObject([
    { resource: 'events.purchase', rows: [{ orderRef: bought.orderRef, buyerName: 'Ana Buyer', total: ron(0) }] },
    { resource: 'events.ticket', rows: [{ attendeeName: 'Ana Buyer' }] },
  ]);
  const friend = await exported('friend@example.org');
  expect(friend).toMatchObject([
    { resource: 'events.ticket', rows: [{ attendeeName: 'Friend', attendeeEmail: 'friend@example.org', eventId: event.id }] },
  ]);
  expect(friend[0]?.rows[0]).not.toHaveProperty('price');
  expect(await shop.b.run('events', async (ctx) => exportPerson(ctx, personOf('buyer@example.org')))).toEqual([]);

  expect(await erased('buyer@example.org')).toEqual([
    { resource: 'events.purchase', erased: 1 },
    { resource: 'events.ticket', erased: 1 },
  ]);
  expect(await exported('buyer@example.org')).toEqual([]);
  expect(await exported('friend@example.org')).toHaveLength(1);
  const [row] = await shop.rows<{ name: string; email: string; phone: string | null }>(
    'select buyer_name as name, buyer_email as email, buyer_phone as phone from events_purchase where order_ref = $1',
    [bought.orderRef],
  );
  expect(row).toEqual({ name: 'erased', email: expect.stringMatching(/^erased\+.*@invalid$/), phone: null });
  expect(await erased('buyer@example.org')).toEqual([
    { resource: 'events.purchase', erased: 0 },
    { resource: 'events.ticket', erased: 0 },
  ]);
});
