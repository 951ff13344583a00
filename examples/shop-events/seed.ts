import type { DemoOwner } from '@storeloom/core';
import type { Ctx } from '@storeloom/plugin-sdk';
import { addDays, civilDate, resolveBound } from '@storeloom/plugin-sdk/time';

const ron = (lei: number) => ({ amount: lei * 100, currency: 'RON' });
const venue = { name: 'Depoul de tramvaie', address: 'Strada Exemplului 21, Orașul Exemplu' };

/** Hours of a day so many days from now, as the clock at the door shows them. */
const between = (ctx: Ctx, days: number, from: string, to: string) => {
  const { timezone } = ctx.tenant;
  const date = addDays(civilDate(ctx.clock.now(), timezone), days);
  return { startsAt: resolveBound(date, from, timezone, 'start'), endsAt: resolveBound(date, to, timezone, 'end'), timezone };
};

const programme = (ctx: Ctx) => [
  {
    event: {
      title: 'Noaptea felinarelor',
      slug: 'noaptea-felinarelor',
      ...between(ctx, 21, '18:00', '23:00'),
      venue,
      capacity: 300,
      reentry: true,
      description:
        '<p>Trei sute de felinare, două scene și un depou fără lumină electrică. Se poate ieși și intra cu același bilet.</p>',
    },
    types: [
      { name: 'Intrare', price: ron(60), order: 1 },
      { name: 'Devreme', price: ron(45), quantity: 80, order: 2 },
      { name: 'Familie (2 + 2)', price: ron(150), quantity: 40, maxPerOrder: 2, order: 3 },
    ],
    speakers: [{ name: 'Corul depoului', title: 'Scena mare', order: 1 }],
    sponsors: [{ name: 'Fierăria Veche', tier: 'Gazdă', amount: ron(5000), order: 1 }],
  },
  {
    event: {
      title: 'Atelier: o ladă din stejar',
      slug: 'atelier-lada',
      ...between(ctx, 9, '10:00', '16:00'),
      venue,
      capacity: 12,
      description: '<p>Douăsprezece bancuri, unelte pentru toți și o ladă pe care o iei acasă.</p>',
    },
    types: [
      { name: 'Loc la banc', price: ron(240), maxPerOrder: 2, order: 1 },
      { name: 'Elev sau student', price: ron(140), quantity: 4, maxPerOrder: 1, order: 2 },
    ],
    speakers: [{ name: 'Tâmplarul casei', title: 'Conduce atelierul', order: 1 }],
    sponsors: [],
  },
  {
    event: {
      title: 'Duminică la depou',
      slug: 'duminica-la-depou',
      ...between(ctx, 5, '11:00', '17:00'),
      venue,
      capacity: 120,
      reentry: true,
      description:
        '<p>Ușile sunt deschise: trei vagoane reparate, cafea și povești de pe linie. Intrarea este liberă, cu bilet.</p>',
    },
    types: [{ name: 'Intrare liberă', price: ron(0), maxPerOrder: 6, order: 1 }],
    speakers: [],
    sponsors: [],
  },
];

const pages = [
  {
    slug: 'about',
    title: { ro: 'Despre depou', en: 'About the depot' },
    body: {
      ro: '<p>Un depou din care nu mai pleacă tramvaie: concerte, ateliere și uși deschise.</p>',
      en: '<p>A depot that no tram leaves any more: concerts, workshops and open doors.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
  {
    slug: 'tickets',
    title: { ro: 'Bilete și retururi', en: 'Tickets and refunds' },
    body: {
      ro: '<p>Biletul este codul din e-mail; ajunge pe telefon. La un eveniment anulat banii se întorc singuri.</p>',
      en: '<p>Your ticket is the code in the e-mail; show it on your phone. If an event is cancelled, you are refunded automatically.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
];

/** A season of three events, a code for those who come early, and the first visitors of the free one. */
export async function seed(ctx: Ctx, owner: DemoOwner): Promise<void> {
  await owner.call('PUT', '/api/admin/settings/store', {
    legalName: 'Asociația Depoul Demonstrație (fictivă)',
    address: { line1: 'Strada Exemplului 21', city: 'Orașul Exemplu', region: 'TM', postalCode: '000000', country: 'RO' },
    emails: { contact: 'bilete@depoul.example' },
    phone: '+40700000002',
  });
  await owner.ensure('/api/admin/pages/', 'slug', pages);
  await owner.ensure('/api/admin/promotions/', 'code', [
    { name: 'Prietenii depoului: 15%', code: 'DEPOU15', type: 'percentage', value: { percentBp: 1500 } },
  ]);
  for (const { event, types, speakers, sponsors } of programme(ctx)) {
    const [made] = await owner.ensure('/api/admin/events/', 'slug', [event]);
    const at = `/api/admin/events/${made?.id}`;
    const ticketTypes = await owner.ensure(`${at}/ticket-types`, 'name', types);
    await owner.ensure(`${at}/speakers`, 'name', speakers);
    await owner.ensure(`${at}/sponsors`, 'name', sponsors);
    if (made?.status !== 'draft') continue;
    await owner.call('PATCH', at, { status: 'published' });
    for (const type of ticketTypes.filter(({ price }) => price.amount === 0))
      for (const [name, quantity] of [
        ['Ana Lupu', 2],
        ['Radu Stan', 1],
        ['Familia Oprea', 4],
      ] as const)
        await owner.call('POST', '/api/storefront/tickets/purchase', {
          eventId: made.id,
          items: [{ ticketTypeId: type.id, quantity }],
          buyer: { name, email: `${name.toLowerCase().replace(' ', '.')}@example.org` },
          consent: true,
        });
  }
}
