import { leakTest } from '@storeloom/testing';
import { addType, buy, buyer, type Json, must, publish, ron, scan, tickets } from '../test/shop.ts';
import plugin from './index.ts';

leakTest(plugin, {
  async fill(shop) {
    const venue = { name: 'Hall', address: 'Street 1', onlineUrl: 'https://online.example/private-room' };
    const event = await publish(shop, shop.a, { venue, capacity: 5000 });
    const type = await addType(shop.a, event.id, { quantity: 4000 });
    await addType(shop.a, event.id, { name: 'Backstage of friends', hidden: true });
    const path = `/api/admin/events/${event.id}`;
    const sponsor = { name: 'Sponsor', url: 'https://sponsor.example', amount: ron(777_777), tier: 'goldtier' };
    await must(shop.a.admin.post<Json>(`${path}/sponsors`, sponsor), 201);
    await must(shop.a.admin.post<Json>(`${path}/speakers`, { name: 'Speaker' }), 201);
    const attendees = [{ name: 'Attendee Private', email: 'attendee@private.example' }];
    const who = { name: 'Buyer Private', email: 'buyer@private.example', phone: '+40711222444' };
    await must(buy(shop.a.guest, event.id, [[type.id, 1]], { buyer: who, attendees }), 201);
    const [row] = await tickets(shop.a, event.id);
    await must(scan(shop.a, row?.code, { nonce: 'private-nonce', gate: 'private-gate', deviceId: 'private-device' }), 200);
  },
  async requests(shop) {
    const list = await must(shop.a.guest.get<Json>('/api/storefront/events/?q=Concert'), 200);
    const [{ id: eventId, ticketTypes }] = list.data;
    const items = [{ ticketTypeId: ticketTypes[0].id, quantity: 1 }];
    return [{ method: 'POST', path: '/api/storefront/tickets/purchase', body: { eventId, items, buyer, consent: true } }];
  },
  sentinels: { 'Backstage of friends': 'a hidden type' },
  // No purchase here has a coupon.
  unmarked: ['events_purchase.coupon'],
});
