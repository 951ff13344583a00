import { leakTest } from '@storeloom/testing';
import { addRoom, book, type Json, must } from '../test/shop.ts';
import plugin from './index.ts';

leakTest(plugin, {
  async fill(shop) {
    const from = new Date(shop.clock.ms() + 30 * 86_400_000).toISOString().slice(0, 10);
    const to = new Date(shop.clock.ms() + 32 * 86_400_000).toISOString().slice(0, 10);
    const guest = {
      firstName: 'Privatina',
      lastName: 'Privatescu',
      email: 'privatina@leak.example',
      phone: '+40711222333',
      nationality: 'RO',
      birthDate: '1980-02-03',
      idDocType: 'passport',
      idDocNumber: 'ZZ987654321',
      address: { line1: 'Private lane 1', city: 'Privateville', postalCode: '999888', country: 'RO' },
    };
    const folioAdd = [{ kind: 'payment', label: 'Private card', amount: { amount: 100, currency: 'RON' }, ref: 'PRIVATE-REF' }];
    const more = { roomType: 'double', checkIn: from, checkOut: to, guest, folioAdd, notes: 'allergic to feathers' };
    const made = await must(book(shop.a.admin, more), 201);
    const path = `/api/admin/reservations-hotel/${made.id}`;
    await must(shop.a.admin.patch<Json>(path, { status: 'cancelled', cancelReason: 'a private reason' }), 200);
    await must(book(shop.a.admin, { ...more, guest: { ...guest, email: 'other@leak.example', idDocNumber: 'ZZ11112222' } }), 201);
    // Made after the demo's, so that no request is made up of it.
    await addRoom(shop.a, { number: 'CHAMBER-771', floor: 'seventh-floor' });
    const rooms = await must(shop.a.admin.get<Json>('/api/admin/rooms/'), 200);
    const task = { roomId: rooms.data[0].id, type: 'deep', notes: 'hair in the private drain' };
    await must(shop.a.admin.post<Json>('/api/admin/housekeeping/', task), 201);
  },
  sentinels: { 'CHAMBER-771': 'hotel_room.number' },
  // A flag and a date can't be distinguished from other values.
  unmarked: ['hotel_guest.birth_date', 'hotel_guest.id_doc_type', 'hotel_guest.vip'],
});
