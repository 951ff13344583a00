import { leakTest } from '@storeloom/testing';
import { addService, addStaff, at, book, must, person } from '../test/shop.ts';
import plugin from './index.ts';

let wanted: { serviceId: string; startsAt: string } | undefined;

leakTest(plugin, {
  async fill(shop) {
    const group = await addService(shop.a, { capacity: 5, staffIds: [], name: 'Leak class' });
    await addStaff(shop.a, [group], { email: 'private@example.org', phone: '+40722222222' });
    wanted = { serviceId: group.id, startsAt: at(shop, 3, '10:00') };
    await must(
      book(shop.a.guest, { ...wanted, ...person('secret-attendee'), phone: '+40733333333', notes: 'A private note' }),
      201,
    );
  },
  async requests(shop) {
    const day = at(shop, 3, '10:00').slice(0, 10);
    const request = { ...wanted, consent: true, timezone: 'Europe/Bucharest' };
    return [
      { method: 'GET', path: `/api/storefront/booking/availability?serviceId=${wanted?.serviceId}&from=${day}&to=${day}` },
      {
        method: 'POST',
        path: '/api/storefront/booking/appointments',
        body: { ...request, name: 'Second seat', email: 'second@example.net' },
      },
      {
        method: 'POST',
        path: '/api/storefront/booking/bookings',
        body: {
          items: [{ serviceId: wanted?.serviceId }],
          startsAt: at(shop, 3, '12:00'),
          consent: true,
          name: 'Basket',
          phone: '+40744444444',
        },
      },
    ];
  },
});
