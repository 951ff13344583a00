import type { DemoOwner } from '@storeloom/core';
import type { Ctx } from '@storeloom/plugin-sdk';
import { addDays, civilDate, eachDay, resolveBound, weekday } from '@storeloom/plugin-sdk/time';

const ron = (lei: number) => ({ amount: lei * 100, currency: 'RON' });

const services = [
  {
    name: 'Evaluare inițială',
    description: 'Discuție, testare și un plan de recuperare scris.',
    category: 'Fizioterapie',
    durationMin: 50,
    bufferAfterMin: 10,
    slotIntervalMin: 30,
    slotAlign: 'clock',
    price: ron(220),
    minNoticeMin: 120,
    maxAdvanceDays: 60,
    cancelCutoffMin: 1440,
    color: '#2f6f73',
  },
  {
    name: 'Ședință de kinetoterapie',
    description: 'Patruzeci și cinci de minute, după planul făcut la evaluare.',
    category: 'Fizioterapie',
    durationMin: 45,
    bufferAfterMin: 15,
    price: ron(160),
    maxAdvanceDays: 60,
    cancelCutoffMin: 720,
    color: '#4f8f5b',
  },
  {
    name: 'Consultație de nutriție',
    description: 'Prima întâlnire se confirmă de cabinet, după un scurt chestionar.',
    category: 'Nutriție',
    durationMin: 40,
    price: ron(200),
    requiresConfirmation: true,
    minNoticeMin: 1440,
    color: '#b5793a',
  },
  {
    name: 'Grup: spate sănătos',
    description: 'Cel mult șase oameni, aceleași exerciții în ritmul fiecăruia.',
    category: 'Grupuri',
    durationMin: 60,
    capacity: 6,
    price: ron(45),
    cancelCutoffMin: 180,
    color: '#6a5f9c',
  },
  {
    name: 'Analiza mersului',
    description: 'Filmare și măsurători; o parte din preț se achită la programare.',
    category: 'Fizioterapie',
    durationMin: 90,
    price: ron(380),
    deposit: ron(100),
    minNoticeMin: 2880,
    color: '#8a4a4a',
  },
];

const week = (start: string, end: string) =>
  Object.fromEntries(['mon', 'tue', 'wed', 'thu', 'fri'].map((day) => [day, [{ start, end }]]));

const staff = [
  {
    name: 'Irina Coman, fizioterapeut',
    email: 'irina@clinica.example',
    hours: week('08:00', '16:00'),
    offers: ['Evaluare inițială', 'Ședință de kinetoterapie', 'Analiza mersului'],
  },
  {
    name: 'Vlad Neagu, kinetoterapeut',
    email: 'vlad@clinica.example',
    hours: week('11:00', '19:00'),
    offers: ['Evaluare inițială', 'Ședință de kinetoterapie', 'Grup: spate sănătos'],
    priority: 1,
  },
  {
    name: 'Mara Ilie, dietetician',
    email: 'mara@clinica.example',
    hours: week('09:00', '15:00'),
    offers: ['Consultație de nutriție'],
  },
];

const pages = [
  {
    slug: 'about',
    title: { ro: 'Despre clinică', en: 'About the clinic' },
    body: {
      ro: '<p>Trei cabinete la parter, cu intrare fără trepte. Se lucrează numai cu programare.</p>',
      en: '<p>Three rooms on the ground floor, with no steps at the door. By appointment only.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
  {
    slug: 'first-visit',
    title: { ro: 'Prima vizită', en: 'Your first visit' },
    body: {
      ro: '<p>Vino cu zece minute înainte, cu haine comode și cu analizele pe care le ai.</p>',
      en: '<p>Come ten minutes early, in comfortable clothes, and bring what results you have.</p>',
    },
    status: 'published',
    showInMenu: true,
  },
];

/** A clinic with its services, who offers them and when, and a few appointments of the coming days. */
export async function seed(ctx: Ctx, owner: DemoOwner): Promise<void> {
  const { timezone } = ctx.tenant;
  await owner.call('PUT', '/api/admin/settings/store', {
    legalName: 'Clinica Pas cu Pas Demonstrație SRL (firmă fictivă)',
    address: { line1: 'Strada Exemplului 12', city: 'Orașul Exemplu', region: 'IS', postalCode: '000000', country: 'RO' },
    emails: { contact: 'programari@clinica.example' },
    phone: '+40700000003',
  });
  await owner.ensure('/api/admin/pages/', 'slug', pages);
  const offered = await owner.ensure('/api/admin/services/', 'name', services);
  const idOf = (name: string): string => offered.find((service) => service.name === name)?.id as string;
  const people = await owner.ensure(
    '/api/admin/staff/',
    'name',
    staff.map(({ hours, offers, ...more }) => ({
      ...more,
      timezone,
      weeklyHours: hours,
      breaks: week('13:00', '13:30'),
      serviceIds: offers.map(idOf),
    })),
  );

  const appointments = '/api/admin/appointments/';
  const { data } = await owner.call('GET', `${appointments}?limit=1`);
  if (data.length > 0) return;
  const today = civilDate(ctx.clock.now(), timezone);
  const [first, second] = eachDay(addDays(today, 1), addDays(today, 7)).filter(
    (day) => !['sat', 'sun'].includes(weekday(day)),
  ) as [string, string];
  const [irina, vlad, mara] = people.map(({ id }) => id as string);
  for (const [date, time, service, staffId, name] of [
    [first, '09:00', 'Evaluare inițială', irina, 'Toma Radu'],
    [first, '14:00', 'Ședință de kinetoterapie', irina, 'Alina Marin'],
    [first, '17:00', 'Grup: spate sănătos', vlad, 'Sorin Barbu'],
    [first, '17:00', 'Grup: spate sănătos', vlad, 'Lidia Petre'],
    [second, '10:00', 'Consultație de nutriție', mara, 'Dan Voicu'],
    [second, '15:00', 'Ședință de kinetoterapie', vlad, 'Toma Radu'],
  ] as const)
    await owner.call('POST', appointments, {
      serviceId: idOf(service),
      staffId,
      startsAt: resolveBound(date, time, timezone, 'start'),
      customer: { name, email: `${name.toLowerCase().replace(' ', '.')}@example.org` },
      source: 'phone',
    });
}
