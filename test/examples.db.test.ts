import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDatabase, TestClient, type TestDatabase } from '@storeloom/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { FakePaymentA } from '../plugins/payments/test/fake-payment-a.ts';
import { type Dev, startDev } from './support/processes.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many kinds.
type Json = Record<string, any>;

const root = fileURLToPath(new URL('../', import.meta.url));
const folder = (name: string): string => join(root, 'examples', `shop-${name}`);
const shops = readdirSync(join(root, 'examples'))
  .filter((name) => name.startsWith('shop-'))
  .map((name) => name.slice('shop-'.length));

interface Running {
  dev: Dev;
  visitor: TestClient;
  staff: TestClient;
  /** What the commands of its README print, run as they stand there. */
  readme(): string;
}
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** The example in a process of its own, as `npm start -- --example` runs it, with its seed. */
async function open(name: string, dir = folder(name)): Promise<Running> {
  const database: TestDatabase = await createDatabase();
  closing.push(() => database.drop());
  const dataDir = mkdtempSync(join(tmpdir(), 'storeloom-example-'));
  closing.push(() => rmSync(dataDir, { recursive: true, force: true }));
  const dev = await startDev({ dir, databaseUrl: database.url, dataDir });
  closing.push(() => dev.stop());
  // Nothing of the seed was refused, no plugin is off.
  expect(dev.log()).not.toMatch(/missing|failed|blocked/);
  const [tenant] = dev.ready.tenants as [Dev['ready']['tenants'][number]];
  expect(tenant).toMatchObject({ slug: name, host: `${name}.localhost` });
  const visitor = new TestClient(dev.ready.api, tenant.host);
  closing.push(() => visitor.close());
  const signedIn = await visitor.post<Json>('/api/auth/login', { ...tenant.owner, audience: 'admin' });
  const staff = visitor.with({ authorization: `Bearer ${signedIn.body.accessToken}` });
  return {
    dev,
    visitor,
    staff,
    readme() {
      const text = readFileSync(join(dir, 'README.md'), 'utf8');
      const script = /```sh\n(.*?)```/s.exec(text)?.[1] as string;
      const port = new URL(dev.ready.api).port;
      expect(script).toContain(`http://${name}.localhost:4000`);
      const { status, stdout, stderr } = spawnSync(
        'bash',
        ['--norc', '-euo', 'pipefail', '-c', script.replaceAll(':4000', `:${port}`)],
        {
          env: { ...process.env, PASSWORD: tenant.owner.password },
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([0, '']);
      return stdout;
    },
  };
}
async function got(answer: Promise<{ status: number; body: Json; text: string }>, status = 200): Promise<Json> {
  const { status: given, body, text } = await answer;
  expect(given, text).toBe(status);
  return body;
}
const inBothLanguages = async (visitor: TestClient, slug: string): Promise<void> => {
  const titles = await Promise.all(
    ['ro', 'en'].map(
      async (locale) => (await got(visitor.with({ 'accept-language': locale }).get<Json>(`/api/storefront/pages/${slug}`))).title,
    ),
  );
  expect(new Set(titles).size).toBe(2);
};

describe('the hotel', () => {
  it('shows its room types, books a stay and shows it to the desk', async () => {
    const { visitor, staff, readme } = await open('hotel');
    await inBothLanguages(visitor, 'arrival');
    const { data: rooms } = await got(staff.get<Json>('/api/admin/rooms/?limit=100'));
    expect(rooms).toHaveLength(15);
    expect(rooms.filter((room: Json) => room.occupied).map((room: Json) => room.number)).toEqual(['202']);
    const free = async (): Promise<number> => {
      const query = `checkIn=${day(30)}&checkOut=${day(32)}&roomType=double`;
      return (await got(staff.get<Json>(`/api/admin/rooms/availability?${query}`))).data[0].available;
    };
    const before = await free();
    expect(readme()).toContain('"roomType":"double"');
    expect(await free()).toBe(before - 1);
    const { data } = await got(staff.get<Json>(`/api/admin/reservations-hotel/?checkIn=${day(30)}`));
    expect(data).toMatchObject([{ guestName: 'Guest Example', source: 'shop', nights: 2 }]);
    const { data: orders } = await got(staff.get<Json>('/api/admin/orders/'));
    expect(orders.map(({ id }: Json) => id)).toEqual([data[0].orderId]);
    // Placed, to be paid at the desk: the event makes the stay sure.
    await expect
      .poll(async () => (await got(staff.get<Json>(`/api/admin/reservations-hotel/${data[0].id}`))).status)
      .toBe('confirmed');
    const stats = await got(staff.get<Json>('/api/admin/dashboard/hotel-stats'));
    expect(JSON.stringify(stats)).toContain('inHouse');
  });
});

describe('the event organiser', () => {
  it('sells tickets, free and paid, and lets their holders in', async () => {
    const { visitor, staff, readme } = await open('events');
    await inBothLanguages(visitor, 'tickets');
    const { data: events } = await got(visitor.get<Json>('/api/storefront/events/'));
    expect(events.map((event: Json) => event.slug)).toEqual(['duminica-la-depou', 'atelier-lada', 'noaptea-felinarelor']);
    const [sunday, , night] = events;
    const taken = async (id: string): Promise<Json[]> =>
      (await got(staff.get<Json>(`/api/admin/events/${id}/tickets?limit=100`))).data;
    expect(await taken(sunday.id)).toHaveLength(7);
    expect(readme()).toContain('"result":"ok"');
    const tickets = await taken(sunday.id);
    expect(
      tickets
        .filter(({ attendeeName }) => attendeeName === 'Visitor Example')
        .map(({ status }) => status)
        .sort(),
    ).toEqual(['checked_in', 'valid']);

    const body = {
      eventId: night.id,
      items: [{ ticketTypeId: night.ticketTypes.find(({ name }: Json) => name === 'Intrare').id, quantity: 2 }],
      buyer: { name: 'Mihai Voinea', email: 'mihai@example.org' },
      coupon: 'DEPOU15',
      consent: true,
    };
    const buy = () => visitor.post<Json>('/api/storefront/tickets/purchase', body);
    expect((await got(buy(), 501)).code).toBe('provider_not_configured');
    expect(await taken(night.id)).toEqual([]);
    const provider = await new FakePaymentA().start();
    closing.push(() => provider.stop());
    const { data: methods } = await got(staff.get<Json>('/api/admin/payment-methods/'));
    const card = methods.find(({ code }: Json) => code === 'card');
    await got(staff.patch<Json>(`/api/admin/payment-methods/${card.id}`, { enabled: true, config: provider.config() }));
    const bought = await got(buy(), 201);
    expect(bought).toMatchObject({ status: 'reserved', total: { amount: 10_200, currency: 'RON' } });
    expect(bought.paymentUrl).toContain(provider.url);
    expect((await taken(night.id)).map(({ status }) => status)).toEqual(['reserved', 'reserved']);
  });
});

describe('the clinic', () => {
  it('gives a time to one patient and shows it to the desk', async () => {
    const { visitor, staff, readme } = await open('booking');
    await inBothLanguages(visitor, 'first-visit');
    const { data: services } = await got(visitor.get<Json>('/api/storefront/booking/services'));
    expect(services).toHaveLength(5);
    expect(JSON.stringify(services)).not.toContain('clinica.example');
    const bookings = async (): Promise<Json[]> => (await got(staff.get<Json>('/api/admin/booking/bookings?limit=100'))).data;
    expect(await bookings()).toHaveLength(6);
    expect(readme()).toContain('"manageToken"');
    const mine = (await bookings()).filter(({ source }) => source === 'storefront');
    expect(mine).toMatchObject([{ status: 'confirmed', customer: { name: 'Patient Example' } }]);
    const walk = services.find(({ deposit }: Json) => deposit !== null);
    const days = await got(
      visitor.get<Json>(`/api/storefront/booking/availability?serviceId=${walk.id}&from=${day(7)}&to=${day(14)}`),
    );
    const [slot] = days.days.flatMap(({ slots }: Json) => slots);
    const body = { serviceId: walk.id, startsAt: slot.start, name: 'Patient', email: 'patient@example.org', consent: true };
    expect((await got(visitor.post<Json>('/api/storefront/booking/appointments', body), 501)).code).toBe(
      'provider_not_configured',
    );
    expect(await bookings()).toHaveLength(7);
  });
});

describe('the restaurant', () => {
  it('gives a table to a guest and shows it, and the open check, to the staff', async () => {
    const { visitor, staff, readme } = await open('restaurant');
    await inBothLanguages(visitor, 'groups');
    expect((await got(staff.get<Json>('/api/admin/menu/?limit=100'))).data).toHaveLength(10);
    const { data: tables } = await got(staff.get<Json>('/api/admin/tables/?limit=100'));
    expect(tables).toHaveLength(9);
    expect(tables.find(({ label }: Json) => label === '1').occupancy).toBe('occupied');
    const reservations = async (): Promise<Json[]> =>
      (await got(staff.get<Json>('/api/admin/restaurant-reservations/?limit=100'))).data;
    const seeded = await reservations();
    // The party of eight has both tables of four, or the big one in the garden.
    expect(seeded).toHaveLength(4);
    for (const { tableIds } of seeded) expect(tableIds.length).toBeGreaterThan(0);
    expect(readme()).toContain('"status":"open"');
    const [mine] = (await reservations()).filter(({ source }) => source === 'web');
    expect(mine).toMatchObject({ name: 'Guest Example', partySize: 4, status: 'confirmed' });
    expect(tables.find(({ id }: Json) => id === mine?.tableIds[0]).seats).toBe(4);
  });
});

describe('the shop of `npm start`', () => {
  it('takes an order for cash on delivery, and shows it to its buyer and to its owner', async () => {
    const { staff, visitor, readme } = await open('nord', root);
    const shown = JSON.parse(readme()) as Json;
    expect(shown).toMatchObject({
      status: 'confirmed',
      paymentStatus: 'unpaid',
      paymentMethod: 'cod',
      email: 'guest@example.org',
      lines: [{ quantity: 1 }],
      shippingLines: [{ code: 'courier' }],
      surcharges: [{ code: 'payment:cod' }],
    });
    const { data: orders } = await got(staff.get<Json>('/api/admin/orders/'));
    expect(orders).toMatchObject([{ id: shown.id, number: shown.number, total: shown.totals.total }]);
    // Without the token the order isn't accessible.
    expect((await visitor.get(`/api/storefront/checkout/orders/${shown.id}`)).status).toBe(404);
  });
});

const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

describe('npm start -- --example', () => {
  const start = (...options: string[]) =>
    spawnSync(process.execPath, [join(root, 'tools/bootstrap.mjs'), 'start', ...options], { cwd: root, encoding: 'utf8' });

  it('knows every shop of the folder, and each has its own host and its plugins as dependencies', async () => {
    const hosts = new Set<string>();
    for (const name of shops) {
      const { default: config } = (await import(join(folder(name), 'storeloom.config.ts'))) as { default: Json };
      const manifest = JSON.parse(readFileSync(join(folder(name), 'package.json'), 'utf8')) as Json;
      expect(manifest.private).toBe(true);
      expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(config.plugins));
      for (const { host } of config.demo) hosts.add(host);
    }
    expect(hosts.size).toBe(shops.length);
  });

  it.each([['--example', 'spaceport'], ['--example=spaceport'], ['--example'], ['--example', 'hotel', '--dir', '.']])(
    'refuses %j %j with the names',
    (...options) => {
      const { status, stdout, stderr } = start(...options.filter((option) => option !== undefined));
      expect([status, stdout]).toEqual([2, '']);
      if (!options.includes('hotel')) for (const name of shops) expect(stderr).toContain(name);
    },
  );
});
