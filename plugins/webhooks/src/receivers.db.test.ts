import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver } from '../test/receiver.ts';
import { announce, deliveries, type Json, pass, subscribe } from '../test/shop.ts';
import { signature } from './signature.ts';

/**
 * Receivers that are down, slow, answer 500, 301 or 410, or cut the connection: each event arrives at least once, under one id, signed by
 * every secret that holds, and nothing is sent to an endpoint that was switched off.
 */
const events = 8;
const path = '/api/admin/webhooks/';
let shop: TestShop;
let receiver: Receiver;
let down: Receiver;
beforeAll(async () => {
  receiver = await new Receiver().start();
  down = await new Receiver().start();
  shop = await testShop({ plugins: ['webhooks'] });
});
afterAll(async () => {
  await shop?.stop();
  await receiver?.stop();
  await down?.stop();
});

it(`${events} events arrive at receivers that are down, slow, answer 500, 301, 410 or cut the connection`, async () => {
  const { port } = down;
  const made: Record<string, Json> = {};
  for (const name of ['slow', 'error', 'moved', 'gone', 'reset']) made[name] = await subscribe(shop.a, receiver.url(`/${name}`));
  made.down = await subscribe(shop.a, down.url('/down'));
  await shop.settled();
  // Each had its ping. Then it all goes wrong.
  await down.stop();
  let redirected = 0;
  receiver.behave('/elsewhere', () => ({ status: 200 }));
  receiver.behave('/slow', (n) => (n === 1 ? { status: 200, delayMs: 20_000 } : { status: 200 }));
  receiver.behave('/error', (n) => (n <= events ? { status: 500 } : { status: 200 }));
  receiver.behave('/moved', (n) => {
    if (n > events) return { status: 200 };
    redirected++;
    return { status: 301, headers: { location: receiver.url('/elsewhere') } };
  });
  receiver.behave('/gone', () => ({ status: 410 }));
  receiver.behave('/reset', (n) => (n % 3 === 1 ? 'reset' : { status: 202 }));
  const secrets: Record<string, string[]> = {};
  for (const [name, { id, secret }] of Object.entries(made))
    secrets[name] = [(await shop.a.admin.post<Json>(`${path}${id}/rotate-secret`)).body.secret, secret];
  const ids = await announce(shop.a, events);
  await shop.settled();
  // The slow one lets a request hang until it is given up.
  const timedOut = async (): Promise<boolean> =>
    (await deliveries(shop.a, made.slow!.id)).some(({ attempts }) => attempts[0]?.error === 'timeout');
  await expect.poll(timedOut, { interval: 500 }).toBe(true);

  const off = (await shop.a.admin.get<Json>(`${path}${made.gone!.id}`)).body;
  expect(off).toMatchObject({ active: false, disabledReason: 'gone' });
  const sentToGone = receiver.of('/gone').length;

  await new Promise((resolve) => setTimeout(resolve, 200));
  down = await new Receiver().start(port);
  for (const seconds of [6, 360, 2160, 8640]) for (const { id } of Object.values(made)) await pass(shop, shop.a, id, seconds);

  // Nothing went to the one that is off, though there is much to send.
  expect(receiver.of('/gone')).toHaveLength(sentToGone);
  receiver.behave('/gone', () => ({ status: 200 }));
  await shop.a.admin.patch(`${path}${made.gone!.id}`, { active: true });
  await shop.settled();

  let requests = 0;
  for (const [name, { id }] of Object.entries(made)) {
    const at = name === 'down' ? down : receiver;
    const rows = (await deliveries(shop.a, id)).filter(({ type }) => type !== 'ping');
    expect([name, rows.map(({ status }) => status)]).toEqual([name, Array(events).fill('succeeded')]);
    expect(new Set(rows.map(({ payload }) => payload.data.id))).toEqual(new Set(ids));
    const hits = at.of(`/${name}`).filter((hit) => !hit.body.includes('"ping"'));
    requests += hits.length;
    // One id an event, and what was sent under it is always the same.
    const accepted = hits.filter(({ answered }) => answered !== null && answered < 300);
    expect(new Set(accepted.map((hit) => hit.id))).toEqual(new Set(rows.map(({ eventId }) => eventId)));
    for (const hit of hits) {
      const { eventId, payload } = rows.find((row) => row.eventId === hit.id)!;
      expect(JSON.parse(hit.body)).toEqual(payload);
      expect(hit.signatures).toEqual(secrets[name]!.map((secret) => signature([secret], eventId, hit.timestamp, hit.body)));
    }
  }
  expect(redirected).toBeGreaterThan(0);
  expect(receiver.of('/elsewhere')).toEqual([]);
  console.log(
    `webhooks: ${events} events x ${Object.keys(made).length} receivers, ${requests} requests, all delivered, none to a disabled endpoint`,
  );
});
