import type { TestShop, TestTenant } from '@storeloom/testing';
import type { Json } from '../../plugins/checkout/test/goods.ts';

const day = 86_400_000;

/** What the first weeks leave in the industry plugins that are there: stays, guests in house, tickets that were bought and scanned. */
export async function fillVerticals(
  shop: TestShop,
  tenant: TestTenant,
  post: (path: string, body: Record<string, unknown>, client?: TestTenant['admin']) => Promise<Json>,
  name?: string,
): Promise<void> {
  const has = (name: string): boolean => shop.kernel.registry.byName.has(name);
  const date = (days: number): string => new Date(shop.clock.ms() + days * day).toISOString().slice(0, 10);
  if (has('hotel')) {
    const { body } = await tenant.admin.get<Json>('/api/admin/rooms/?limit=1');
    const guest = {
      firstName: name ?? 'Guest',
      lastName: tenant.slug,
      email: `guest@${tenant.slug}.example`,
      idDocNumber: 'AB123456',
    };
    await post('/api/admin/reservations-hotel/', {
      roomId: body.data[0].id,
      checkIn: date(40),
      checkOut: date(42),
      adults: 1,
      guest,
      folioAdd: [{ kind: 'charge', label: 'Breakfast', amount: { amount: 4500, currency: 'RON' } }],
    });
    await post('/api/admin/housekeeping/', { roomId: body.data[0].id, type: 'deep' });
  }
  if (has('events')) {
    const shown = await tenant.guest.get<Json>('/api/storefront/events/');
    const [event] = shown.body.data;
    const free = event.ticketTypes.find((type: Json) => type.price.amount === 0);
    const bought = await post(
      '/api/storefront/tickets/purchase',
      {
        eventId: event.id,
        items: [{ ticketTypeId: free.id, quantity: 2 }],
        buyer: { name: name ?? 'Buyer', email: `buyer@${tenant.slug}.example` },
        consent: true,
      },
      tenant.guest,
    );
    await post(`/api/admin/events/${bought.tickets[0].code}/check-in`, { nonce: 'gate', force: true });
  }
  if (has('booking')) {
    const shown = await tenant.guest.get<Json>('/api/storefront/booking/services');
    const service = shown.body.data.find(({ capacity, requiresConfirmation }: Json) => capacity === 1 && !requiresConfirmation);
    const free = await tenant.guest.get<Json>(
      `/api/storefront/booking/availability?serviceId=${service.id}&from=${date(9)}&to=${date(12)}`,
    );
    const [slot] = free.body.days.flatMap(({ slots }: Json) => slots);
    await post(
      '/api/storefront/booking/appointments',
      {
        serviceId: service.id,
        startsAt: slot.start,
        name: name ?? 'Customer',
        email: `customer@${tenant.slug}.example`,
        consent: true,
      },
      tenant.guest,
    );
  }
  if (has('restaurant')) {
    // The demo's house is open at noon.
    const saturday = [7, 8, 9, 10, 11, 12, 13].map(date).find((one) => new Date(one).getUTCDay() === 6);
    const { body: menu } = await tenant.admin.get<Json>('/api/admin/menu/?limit=1');
    const { body: tables } = await tenant.admin.get<Json>('/api/admin/tables/?limit=1');
    await post('/api/admin/table-orders/', {
      tableId: tables.data[0].id,
      covers: 2,
      rounds: [{ items: [{ menuItemId: menu.data[0].id, qty: 1 }] }],
    });
    await post('/api/admin/restaurant-reservations/', {
      name: name ?? 'Guest',
      email: `table@${tenant.slug}.example`,
      partySize: 2,
      source: 'phone',
      date: saturday,
      time: '13:00',
    });
  }
}
