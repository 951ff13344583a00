// The raw program for `bench/booking.ts`: node:http and pg, one statement, specialised loops. It knows services and working hours in
// advance, as the API process does.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dayBounds, eachDay, epoch, formatWithOffset, offsetAt } from '@storeloom/plugin-sdk/time';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.RAW_DATABASE_URL ?? '', max: 12 });
const tenant = process.env.RAW_TENANT ?? '';
const half = 30 * 60_000;

interface Person {
  id: string;
  timezone: string;
}
const people = (
  await pool.query<Person>('select id, timezone from booking_staff where tenant_id = $1 and is_active order by name, id', [
    tenant,
  ])
).rows;
const ids = people.map(({ id }) => id);
// Aggregated in the database: thousands of rows would cost more than the rest.
const statement = `select staff_id as id, string_agg((date_part('epoch', blocked_from) * 1000)::int8::text || ' ' || (date_part('epoch', blocked_until) * 1000)::int8::text, ' '
    order by blocked_from) as ranges
  from booking_session where tenant_id = $1 and staff_id = any($2::uuid[]) and blocked_until > $3 and blocked_from < $4 group by 1`;

async function availability(from: string, to: string, timezone: string) {
  const { start, end } = dayBounds(from, to, timezone);
  const { rows } = await pool.query<{ id: string; ranges: string }>({
    name: 'busy',
    text: statement,
    values: [tenant, ids, start, end],
  });
  const busy = new Map(rows.map(({ id, ranges }) => [id, ranges.split(' ').map(Number)]));
  const least = Date.now() + 60 * 60_000;
  const first = epoch(start);
  const last = epoch(end);
  const free = new Set<number>();
  const days = eachDay(from, to);
  for (const { id, timezone: own } of people) {
    const taken = busy.get(id) ?? [];
    let next = 0;
    for (const date of days) {
      // No clock change between nine and five.
      const noon = Date.parse(`${date}T12:00:00Z`);
      const open = noon - 3 * 3_600_000 - offsetAt(noon, own);
      for (let at = open; at + half <= open + 8 * 3_600_000; at += half) {
        while (next < taken.length && (taken[next + 1] as number) <= at) next += 2;
        const block = taken[next];
        if (at >= least && at >= first && at < last && (block === undefined || block >= at + half)) free.add(at);
      }
    }
  }
  const answer: { date: string; slots: { start: string; end: string; seatsLeft: null }[] }[] = [];
  for (const at of [...free].sort((a, b) => a - b)) {
    const text = formatWithOffset(at, timezone);
    const date = text.slice(0, 10);
    if (answer.at(-1)?.date !== date) answer.push({ date, slots: [] });
    answer.at(-1)?.slots.push({ start: text, end: formatWithOffset(at + half, timezone), seatsLeft: null });
  }
  return { timezone, days: answer };
}

const server = createServer(async (req, res) => {
  try {
    const { searchParams } = new URL(req.url ?? '/', 'http://localhost');
    const [from, to, timezone] = ['from', 'to', 'timezone'].map((name) => searchParams.get(name) ?? '') as [
      string,
      string,
      string,
    ];
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(await availability(from, to, timezone)));
  } catch (error) {
    res.writeHead(500).end(String(error));
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${(server.address() as AddressInfo).port}\n`));
process.on('SIGTERM', () => process.exit(0));
