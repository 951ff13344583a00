import type { DemoOwner } from '@storeloom/core';
import type { Ctx } from '@storeloom/plugin-sdk';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';

const ron = (lei: number) => ({ amount: lei * 100, currency: 'RON' });

const roomTypes = (year: number) => {
  // Two seasons, and a holiday with a minimum stay.
  const rules = (winter: number, feast: number) => [
    { from: `${year}-11-01`, to: `${year + 1}-03-31`, rate: ron(winter) },
    { from: `${year}-12-29`, to: `${year + 1}-01-01`, rate: ron(feast), minStay: 2 },
  ];
  const policy = {
    freeUntilHours: 48,
    feeBp: 5000,
    depositBp: 3000,
    text: 'Anulare gratuită cu 48 de ore înainte de sosire; după aceea se reține jumătate din preț.',
  };
  return [
    { code: 'single', name: 'Cameră single', capacity: { adults: 1, children: 0 }, policy, rules: rules(190, 320) },
    {
      code: 'double',
      name: 'Cameră dublă cu vedere la curte',
      capacity: { adults: 2, children: 1 },
      policy,
      rules: rules(290, 480),
    },
    { code: 'suite', name: 'Apartament sub acoperiș', capacity: { adults: 2, children: 2 }, policy, rules: rules(450, 720) },
    { code: 'dorm', name: 'Dormitorul întreg', capacity: { adults: 4, children: 0 }, policy },
    { code: 'bed', name: 'Pat în dormitor', capacity: { adults: 1, children: 0 }, policy: { freeUntilHours: 24, feeBp: 10_000 } },
  ];
};

const rooms = [
  ...['1', '2', '3'].map((n) => ({
    number: `10${n}`,
    roomType: 'single',
    floor: '1',
    maxAdults: 1,
    baseRate: ron(220),
    beds: '1 de o persoană',
  })),
  ...['1', '2', '3', '4', '5'].map((n) => ({
    number: `20${n}`,
    roomType: 'double',
    floor: '2',
    maxAdults: 2,
    maxChildren: 1,
    baseRate: ron(340),
    beds: '1 matrimonial',
    amenities: ['balcon', 'birou'],
  })),
  ...['1', '2'].map((n) => ({
    number: `30${n}`,
    roomType: 'suite',
    floor: '3',
    maxAdults: 2,
    maxChildren: 2,
    baseRate: ron(520),
    beds: '1 matrimonial, 2 de o persoană',
    amenities: ['aer condiționat', 'chicinetă'],
  })),
];

const pages = [
  {
    slug: 'about',
    title: { ro: 'Despre hotel', en: 'About the hotel' },
    body: {
      ro: '<p>Zece camere și un dormitor cu patru paturi, în jurul unei curți cu tei. Micul dejun se servește afară când vremea o permite.</p>',
      en: '<p>Ten rooms and a dormitory with four beds around a courtyard with lime trees. Breakfast is served outside when the weather allows it.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
  {
    slug: 'arrival',
    title: { ro: 'Cum ajungi', en: 'How to get here' },
    body: {
      ro: '<p>Camerele sunt gata de la ora 14:00 și se eliberează până la 11:00. Bagajele pot rămâne la recepție.</p>',
      en: '<p>Rooms are ready from 2 pm and are left by 11 am. Luggage may stay at the desk.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
];

const paymentMethods = [
  {
    code: 'at-the-desk',
    name: { ro: 'La recepție', en: 'At the desk' },
    provider: 'cod',
    enabled: true,
    instructions: { ro: 'Plătești la sosire, cu cardul sau în numerar.', en: 'You pay on arrival, by card or in cash.' },
  },
  { code: 'card', name: { ro: 'Card bancar', en: 'Card' }, provider: 'payment-a', enabled: false },
];

/** A hotel with rooms, rates and restrictions, a guest in house, an arrival today, and a pending request. */
export async function seed(ctx: Ctx, owner: DemoOwner): Promise<void> {
  const today = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  await owner.call('PUT', '/api/admin/settings/store', {
    legalName: 'Hotel La Tei Demonstrație SRL (firmă fictivă)',
    address: { line1: 'Strada Exemplului 7', city: 'Orașul Exemplu', region: 'SB', postalCode: '000000', country: 'RO' },
    emails: { contact: 'receptie@hotel.example' },
    phone: '+40700000001',
  });
  await owner.ensure('/api/admin/payment-methods/', 'code', paymentMethods);
  const reduced = (await owner.call('GET', '/api/admin/taxes/categories?limit=100')).data.find(
    ({ code }: { code: string }) => code === 'reduced',
  );
  await owner.call('PUT', '/api/admin/plugins/hotel/settings', {
    settings: {
      ...(reduced ? { taxCategoryId: reduced.id } : {}),
      roomTypes: roomTypes(Number(today.slice(0, 4))),
      guestDataRequired: ['nationality', 'idDocNumber'],
    },
  });
  await owner.ensure('/api/admin/pages/', 'slug', pages);

  const made = await owner.ensure('/api/admin/rooms/', 'number', [
    ...rooms,
    { number: '401', roomType: 'dorm', floor: '4', maxAdults: 4, baseRate: ron(400), beds: '4 de o persoană' },
  ]);
  const dorm = made.at(-1)?.id;
  const bed = (n: string) => ({
    number: `401-${n}`,
    roomType: 'bed',
    floor: '4',
    maxAdults: 1,
    baseRate: ron(110),
    parentRoomId: dorm,
  });
  await owner.ensure('/api/admin/rooms/', 'number', ['1', '2', '3', '4'].map(bed));

  const reservations = '/api/admin/reservations-hotel/';
  const { data } = await owner.call('GET', `${reservations}?limit=1`);
  if (data.length > 0) return;
  const roomOf = (number: string) => made.find((room) => room.number === number)?.id;
  const guest = (firstName: string, lastName: string, more: object = {}) => ({
    firstName,
    lastName,
    email: `${firstName}.${lastName}@example.org`.toLowerCase(),
    ...more,
  });
  const inHouse = await owner.call('POST', reservations, {
    roomId: roomOf('202'),
    checkIn: today,
    checkOut: addDays(today, 3),
    adults: 2,
    guest: guest('Ioana', 'Marcu', { nationality: 'RO', idDocType: 'identity_card', idDocNumber: 'SB000001' }),
    source: 'phone',
    notes: 'Cere o cameră liniștită.',
  });
  await owner.call('POST', `${reservations}${inHouse.id}/check-in`, {
    folioAdd: [{ kind: 'charge', label: 'Mic dejun', amount: ron(45), vatRate: 110_000 }],
  });
  await owner.call('POST', reservations, {
    roomId: roomOf('301'),
    checkIn: today,
    checkOut: addDays(today, 1),
    adults: 2,
    children: 1,
    guest: guest('Martin', 'Weber', { nationality: 'DE' }),
    source: 'agency',
  });
  await owner.call('POST', reservations, {
    roomType: 'double',
    checkIn: addDays(today, 14),
    checkOut: addDays(today, 16),
    adults: 2,
    guest: guest('Elena', 'Dima'),
    source: 'web',
    hold: true,
  });
  await owner.call('POST', '/api/admin/housekeeping/', {
    roomId: roomOf('103'),
    type: 'deep',
    dueDate: addDays(today, 2),
    notes: 'Perdele la spălat.',
  });
}
