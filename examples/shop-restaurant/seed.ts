import type { DemoOwner } from '@storeloom/core';
import type { Ctx } from '@storeloom/plugin-sdk';
import { addDays, civilDate } from '@storeloom/plugin-sdk/time';

const ron = (lei: number) => ({ amount: lei * 100, currency: 'RON' });

const open = [{ start: '12:00', end: '23:00' }];
const late = [{ start: '12:00', end: '01:00' }];
const settings = {
  openingHours: { mon: open, tue: open, wed: open, thu: open, fri: late, sat: late, sun: open },
  lastSeating: '22:00',
  turnoverMin: 15,
  maxParty: 10,
  maxCoversPerSlot: 24,
  cancelCutoffMin: 180,
};

const tables = [
  ...['1', '2'].map((label) => ({ label, area: 'Sala mare', seats: 2 })),
  ...['3', '4', '5', '6'].map((label) => ({ label, area: 'Sala mare', seats: 4 })),
  { label: '7', area: 'Lângă cuptor', seats: 6, seatsMin: 3, extraSeats: 1 },
  { label: 'G1', area: 'Grădina', seats: 4, priority: 5 },
  { label: 'G2', area: 'Grădina', seats: 8, seatsMin: 5, priority: 5 },
];

const categories = [
  { name: 'Din cuptor', sortOrder: 1 },
  { name: 'De-ale zilei', sortOrder: 2 },
  { name: 'Dulciuri', sortOrder: 3 },
  { name: 'Băuturi', sortOrder: 4 },
];

const menu: Record<string, object[]> = {
  'Din cuptor': [
    { name: 'Păstrăv pe lespede', price: ron(58), allergens: ['fish'], prepMin: 20 },
    {
      name: 'Coaste la cuptor',
      price: ron(64),
      allergens: ['mustard', 'celery'],
      prepMin: 15,
      modifierGroups: [
        {
          name: 'Garnitură',
          min: 1,
          max: 2,
          options: [{ name: 'Cartofi noi' }, { name: 'Mămăligă' }, { name: 'Salată de varză', priceDelta: ron(4) }],
        },
      ],
    },
    { name: 'Plăcintă cu praz', price: ron(34), dietary: ['vegetarian'], allergens: ['gluten', 'milk', 'eggs'], prepMin: 12 },
  ],
  'De-ale zilei': [
    { name: 'Ciorbă de fasole', price: ron(24), dietary: ['vegan'], allergens: ['celery'], prepMin: 6 },
    { name: 'Zacuscă cu pâine caldă', price: ron(26), dietary: ['vegan'], allergens: ['gluten'], prepMin: 5 },
    { name: 'Tocăniță de ciuperci', price: ron(42), dietary: ['vegetarian'], allergens: ['milk'], prepMin: 15, stockQty: 20 },
  ],
  Dulciuri: [
    { name: 'Cozonac copt pe jar', price: ron(22), allergens: ['gluten', 'milk', 'eggs', 'nuts'], prepMin: 4 },
    { name: 'Mere cu scorțișoară', price: ron(19), dietary: ['vegan'], prepMin: 8 },
  ],
  Băuturi: [
    { name: 'Limonadă cu soc', price: ron(17), station: 'bar' },
    { name: 'Vin alb al casei, pahar', price: ron(21), station: 'bar', allergens: ['sulphites'] },
  ],
};

const pages = [
  {
    slug: 'about',
    title: { ro: 'Despre noi', en: 'About us' },
    body: {
      ro: '<p>Un cuptor cu lemne, nouă mese și o grădină. Meniul se schimbă cu ce aduce piața.</p>',
      en: '<p>A wood oven, nine tables and a garden. The menu follows what the market brings.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
  {
    slug: 'groups',
    title: { ro: 'Grupuri', en: 'Groups' },
    body: {
      ro: '<p>De la zece oameni în sus, sună-ne: unim mesele și stabilim meniul dinainte.</p>',
      en: '<p>For more than ten, give us a call: we put tables together and agree on the menu.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
];

/** A restaurant with tables, a menu, upcoming reservations, and an occupied table. */
export async function seed(ctx: Ctx, owner: DemoOwner): Promise<void> {
  await owner.call('PUT', '/api/admin/settings/store', {
    legalName: 'Cuptorul din Colț Demonstrație SRL (firmă fictivă)',
    address: { line1: 'Strada Exemplului 3', city: 'Orașul Exemplu', region: 'CJ', postalCode: '000000', country: 'RO' },
    emails: { contact: 'rezervari@cuptorul.example' },
    phone: '+40700000004',
  });
  const reduced = (await owner.call('GET', '/api/admin/taxes/categories?limit=100')).data.find(
    ({ code }: { code: string }) => code === 'reduced',
  );
  await owner.call('PUT', '/api/admin/plugins/restaurant/settings', {
    settings: { ...settings, ...(reduced ? { taxCategoryId: reduced.id } : {}) },
  });
  await owner.ensure('/api/admin/pages/', 'slug', pages);
  const placed = await owner.ensure('/api/admin/tables/', 'label', tables);
  const tableOf = (label: string) => placed.find((table) => table.label === label)?.id as string;
  // Two tables of four that are pushed together for a party of eight.
  await owner.call('PATCH', `/api/admin/tables/${tableOf('3')}`, { combinableWith: [tableOf('4')] });
  await owner.call('PATCH', `/api/admin/tables/${tableOf('4')}`, { combinableWith: [tableOf('3')] });
  const made = await owner.ensure('/api/admin/menu/categories', 'name', categories);
  const dishes = await owner.ensure(
    '/api/admin/menu/',
    'name',
    made.flatMap(({ id, name }) => (menu[name as string] ?? []).map((dish) => ({ ...dish, categoryId: id }))),
  );

  const reservations = '/api/admin/restaurant-reservations/';
  const { data } = await owner.call('GET', `${reservations}?limit=1`);
  if (data.length > 0) return;
  const today = civilDate(ctx.clock.now(), ctx.tenant.timezone);
  for (const [days, time, name, partySize, more] of [
    [1, '13:00', 'Monica Ene', 2, { notes: 'Masă la fereastră.' }],
    [1, '19:00', 'Familia Grosu', 8, { occasion: 'Aniversare' }],
    [1, '19:30', 'Cristian Pavel', 4, { area: 'Lângă cuptor' }],
    [2, '20:00', 'Oana Rusu', 3, {}],
  ] as const)
    await owner.call('POST', reservations, { name, phone: '+40700000005', partySize, date: addDays(today, days), time, ...more });
  const idOf = (name: string) => dishes.find((dish) => dish.name === name)?.id as string;
  await owner.call('POST', '/api/admin/table-orders/', {
    tableId: tableOf('1'),
    covers: 2,
    rounds: [
      {
        items: [
          { menuItemId: idOf('Ciorbă de fasole'), qty: 1 },
          { menuItemId: idOf('Coaste la cuptor'), qty: 1, modifiers: [{ group: 'Garnitură', option: 'Mămăligă' }] },
          { menuItemId: idOf('Limonadă cu soc'), qty: 2 },
        ],
      },
    ],
  });
}
