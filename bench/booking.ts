// Free slots of 31 days for 20 staff with 2,000 appointments, compared with a raw program that builds the same response:
// `node bench/booking.ts [--seconds 4] [--connections 4]`. Targets: at most 1.5 times its CPU, and less than 80 ms.
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { bookingShop, fillBookings, from, to, zone } from './booking-shop.ts';
import { cost, type Figures, figuresLine, load } from './load.ts';
import { type Server, say, startBench, startServer } from './processes.ts';
import { fillShop, host } from './shop.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, connections: { type: 'string', default: '4' } },
});

async function bodyOf(server: Server, path: string): Promise<string> {
  const answer = await request(`${server.base}${path}`, { headers: { host } });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return text;
}

const bench = await startBench();
try {
  const { tenantId, serviceId } = await fillShop(await bookingShop(), async ({ kernel, tenantId }) => ({
    tenantId,
    serviceId: await fillBookings(kernel, tenantId),
  }));
  await bench.analyze();
  const ours = await startServer(['bench/booking-server.ts']);
  const raw = await bench.raw('bench/raw-booking.ts', tenantId);
  const query = new URLSearchParams({ serviceId, from, to, timezone: zone });
  const paths = { ours: `/api/storefront/booking/availability?${query}`, raw: `/availability?${query}` };
  const [own, plain] = [await bodyOf(ours, paths.ours), await bodyOf(raw, paths.raw)];
  if (own !== plain) throw new Error(`the two answers differ:\n${own.slice(0, 400)}\n${plain.slice(0, 400)}`);
  say(`the same answer of ${own.length} bytes`);
  const measure = (server: Server, path: string): Promise<Figures> =>
    load(server, {
      connections: Number(values.connections),
      seconds: Number(values.seconds),
      postmaster: bench.postmaster,
      host,
      next: () => ({ method: 'GET', path }),
    });
  const figures = { raw: await measure(raw, paths.raw), ours: await measure(ours, paths.ours) };
  for (const [name, measured] of Object.entries(figures)) say(figuresLine(name, measured));
  say(`CPU ratio ${(cost(figures.ours) / cost(figures.raw)).toFixed(2)} (aim 1.5)`);
  await ours.stop();
  await raw.stop();
} finally {
  await bench.stop();
}
