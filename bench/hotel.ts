// Availability of a hotel for a month, compared with a raw program with the same response: `node bench/hotel.ts [--rooms 200]
// [--reservations 5000] [--seconds 4] [--connections 1]`. Exit code 1 if the responses differ or a target is missed.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readInstallation } from '@storeloom/core';
import type pg from 'pg';
import { request } from 'undici';
import { cost, type Figures, figuresLine, load } from './load.ts';
import { say, startBench } from './processes.ts';
import { fillShop, host } from './shop.ts';

const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '200' },
    reservations: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1' },
  },
});
const aims = { cpu: 1.5, p50: 80 };
const types = ['single', 'double', 'twin', 'triple', 'family', 'studio', 'suite', 'junior', 'attic', 'garden'];
const day = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10);
const ron = (amount: number) => ({ amount, currency: 'RON' });
const rule = { rate: null, minStay: null, quota: null };
/** A season, a weekend with a minimum of two nights, and a period with a quota. */
const rules = types.map((type, i) => [
  type,
  [
    { ...rule, from: day(10), to: day(40), rate: ron(20_000 + i * 1000) },
    { ...rule, from: day(30), to: day(32), minStay: 2 },
    { ...rule, from: day(20), to: day(60), quota: i === 3 ? 2 : 1000 },
  ],
]);

/** Creates a shop with the hotel's room types; returns the data for requests. */
async function shop(): Promise<{ tenantId: string; token: string }> {
  return fillShop(await readInstallation(process.cwd()), async ({ kernel, tenantId, ownerToken }) => {
    await kernel.inTenant(tenantId, 'hotel', (ctx) =>
      ctx.saveSettings({ roomTypes: rules.map(([code, own]) => ({ code, name: code, rules: own })) }),
    );
    return { tenantId, token: await ownerToken() };
  });
}

/** Creates rooms, and stays of one to four nights over a year, each in the first free room, so that none overlap. */
async function fill(client: pg.Client, tenantId: string): Promise<void> {
  await client.query('delete from hotel_room where tenant_id = $1', [tenantId]);
  const rooms = await client.query<{ id: string; room_type: string }>(
    `insert into hotel_room (tenant_id, id, number, room_type, max_adults, max_children, base_rate_amount, base_rate_currency, amenities, status,
       out_from, out_to, housekeeping, created_at, updated_at)
     select $1, gen_random_uuid(), lpad(n::text, 4, '0'), ($3::text[])[1 + n % cardinality($3::text[])], 2 + n % 3, 1, 15000 + 10 * n, 'RON', '[]',
       case when n % 40 = 7 then 'out_of_order' else 'available' end, case when n % 40 = 7 then current_date + 25 end,
       case when n % 40 = 7 then current_date + 28 end, 'clean', now(), now()
     from generate_series(1, $2::int) n returning id, room_type`,
    [tenantId, Number(values.rooms), types],
  );
  const { rows: guests } = await client.query<{ id: string }>(
    `insert into hotel_guest (tenant_id, id, first_name, last_name, vip, consent, created_at, updated_at)
     values ($1, gen_random_uuid(), 'Bench', 'Guest', false, false, now(), now()) returning id`,
    [tenantId],
  );
  const free = new Map<string, number>(rooms.rows.map(({ id }) => [id, 0]));
  const stays = Array.from({ length: Number(values.reservations) }, (_, i) => {
    const { id, room_type } = rooms.rows[i % rooms.rows.length] as { id: string; room_type: string };
    const from = (free.get(id) ?? 0) + ((i * 7919) % 21);
    const until = from + 1 + (i % 4);
    free.set(id, until);
    return { room: id, type: room_type, from: day(from), until: day(until) };
  });
  const column = (member: keyof (typeof stays)[number]): string[] => stays.map((stay) => stay[member]);
  await client.query(
    `insert into hotel_reservation (tenant_id, id, reference, status, room_id, room_type, guest_id, check_in, check_out, adults, children,
       nightly_rates, total_amount, total_currency, source, guest_ids, policy, locale, created_at, updated_at)
     select $1, gen_random_uuid(), gen_random_uuid()::text, 'confirmed', r, t, $2, f, u, 2, 0, '[]', 0, 'RON', 'direct', '[]', '{}', 'ro', now(), now()
     from unnest($3::uuid[], $4::text[], $5::date[], $6::date[]) s (r, t, f, u)`,
    [tenantId, guests[0]?.id, column('room'), column('type'), column('from'), column('until')],
  );
  const nights = `from hotel_reservation h, generate_series(h.check_in, h.check_out - 1, interval '1 day') d where h.tenant_id = $1`;
  await client.query(
    `insert into hotel_room_night (tenant_id, room_id, night, reservation_id) select h.tenant_id, h.room_id, d::date, h.id ${nights}`,
    [tenantId],
  );
  await client.query(
    `insert into hotel_type_night (tenant_id, room_type, night, reserved) select h.tenant_id, h.room_type, d::date, count(*) ${nights} group by 1, 2, 3`,
    [tenantId],
  );
}

const bench = await startBench();
// Both programs run in the installation's folder.
process.chdir(fileURLToPath(new URL('hotel/', import.meta.url)));
try {
  const { tenantId, token } = await shop();
  await bench.asSuperuser((client) => fill(client, tenantId));
  await bench.analyze();
  const ours = await bench.ours();
  const raw = await bench.raw('raw.ts', tenantId, { RAW_RULES: JSON.stringify(rules) });
  const base = {
    connections: Number(values.connections),
    seconds: Number(values.seconds),
    postmaster: bench.postmaster,
    host,
  };
  // A month starting on any day of the next two months.
  const path = (prefix: string) => () => {
    const from = 1 + Math.floor(Math.random() * 60);
    return {
      method: 'GET' as const,
      path: `${prefix}?checkIn=${day(from)}&checkOut=${day(from + 30)}&adults=2`,
      headers: { authorization: `Bearer ${token}` },
    };
  };
  const ourPath = '/api/admin/rooms/availability';
  for (const from of [1, 15, 29, 50]) {
    const query = `?checkIn=${day(from)}&checkOut=${day(from + 30)}&adults=2`;
    const ask = async (address: string): Promise<unknown> =>
      (await request(address, { headers: { host, authorization: `Bearer ${token}` } })).body.json();
    assert.deepEqual(await ask(`${ours.base}${ourPath}${query}`), await ask(`${raw.base}/${query}`));
  }
  say('both give the same answers');
  const rawFigures = await load(raw, { ...base, next: path('/') });
  const ourFigures = await load(ours, { ...base, next: path(ourPath) });
  await ours.stop();
  await raw.stop();
  report(ourFigures, rawFigures);
} finally {
  await bench.stop();
}

function report(ours: Figures, raw: Figures): void {
  const ratio = cost(ours) / cost(raw);
  process.stdout.write(
    `${values.rooms} rooms, ${values.reservations} reservations, a month\n${figuresLine('ours', ours)}\n${figuresLine('raw', raw)}\nCPU ratio ${ratio.toFixed(2)} (aim ≤ ${aims.cpu})\n`,
  );
  if (ours.errors + raw.errors > 0 || ratio > aims.cpu || ours.p50 >= aims.p50) process.exitCode = 1;
}
