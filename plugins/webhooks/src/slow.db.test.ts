import { setTimeout as sleep } from 'node:timers/promises';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver } from '../test/receiver.ts';
import { announce, deliveries, subscribe } from '../test/shop.ts';
import { slow } from './schedule.ts';

const defaults = { ...slow };
const answerMs = 1500;
let shop: TestShop;
let receiver: Receiver;
beforeAll(async () => {
  Object.assign(slow, { fromMs: 1000, pauseMs: 500, askMs: 200 });
  receiver = await new Receiver().start();
  shop = await testShop({ plugins: ['webhooks'], processes: 2 });
});
afterAll(async () => {
  Object.assign(slow, defaults);
  await shop?.stop();
  await receiver?.stop();
});

it('six slow endpoints take turns, so that a healthy one of the same tenant gets its events immediately', async () => {
  const busy = new Map<string, number>();
  let most = 0;
  const names = Array.from({ length: 6 }, (_, i) => `/slow-${i}`);
  for (const name of names)
    receiver.behave(name, () => {
      busy.set(name, (busy.get(name) ?? 0) + 1);
      most = Math.max(most, [...busy.values()].filter((count) => count > 0).length);
      return { status: 200, hold: sleep(answerMs).then(() => busy.set(name, (busy.get(name) as number) - 1)) };
    });
  const slowOnes = [];
  for (const name of names) slowOnes.push(await subscribe(shop.a, receiver.url(name)));
  await expect.poll(() => names.every((name) => receiver.of(name).length === 1), { timeout: 30_000 }).toBe(true);
  await shop.settled();
  await subscribe(shop.a, receiver.url('/healthy'));
  await expect.poll(() => receiver.of('/healthy').length, { timeout: 10_000 }).toBe(1);

  // Nothing was known of them before their pings. Now they are slow.
  most = 0;
  const started = performance.now();
  const tookMs: number[] = [];
  for (let n = 1; n <= 4; n++) {
    const from = performance.now();
    await announce(shop.a);
    await expect.poll(() => receiver.of('/healthy').length, { timeout: 20_000, interval: 50 }).toBe(1 + n);
    tookMs.push(performance.now() - from);
  }
  const healthyMs = performance.now() - started;
  await expect
    .poll(() => names.map((name) => new Set(receiver.of(name).map(({ id }) => id)).size), { timeout: 90_000, interval: 500 })
    .toEqual(names.map(() => 5));
  expect(most).toBe(1);
  // Four rounds of six endpoints in three slots would have taken longer.
  expect(healthyMs).toBeLessThan(4 * 2 * answerMs);
  await shop.settled();
  for (const { id } of slowOnes)
    expect((await deliveries(shop.a, id)).map(({ status, attempt }) => [status, attempt])).toEqual(
      Array(5).fill(['succeeded', 1]),
    );
  console.log(`webhooks: a healthy endpoint beside six slow ones: ${tookMs.map(Math.round).join(', ')} ms`);
}, 180_000);
