import { setTimeout as sleep } from 'node:timers/promises';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Receiver } from '../plugins/webhooks/test/receiver.ts';
import { announce, deliveries, subscribe } from '../plugins/webhooks/test/shop.ts';
import { type Api, processOf, startApi } from './support/processes.ts';

/** A process that sends webhooks is killed in the middle of it: each event arrives all the same, under the one id that it has. */
const kills = process.env.STORELOOM_NIGHTLY === '1' ? 20 : 1;
// A round may wait for a dead process’s job twice.
const patience = Math.max(300_000, kills * 150_000);
const events = 12;
/**
 * A job that died with its process is due again 30 seconds after its last sign of life, and found so by the next look of the supervisor,
 * 15 seconds later at most: that may happen to the job that writes a delivery, and then its sending begins.
 */
const bound = 90_000;

let shop: TestShop;
let receiver: Receiver;
let api: Api | undefined;
beforeAll(async () => {
  receiver = await new Receiver().start();
  // Only the process that is killed works.
  shop = await testShop({ plugins: ['webhooks'], workers: false });
});
afterAll(async () => {
  await api?.kill();
  await shop?.stop();
  await receiver?.stop();
});

async function until(come: () => boolean | Promise<boolean>, milliseconds: number): Promise<number> {
  const started = Date.now();
  while (!(await come())) {
    if (Date.now() - started > milliseconds) throw new Error(`it did not come within ${milliseconds} ms`);
    await sleep(200);
  }
  return Date.now() - started;
}

it(
  `${events} events arrive, though who sends them is killed (${kills}×)`,
  async () => {
    const times: number[] = [];
    for (let round = 1; round <= kills; round++) {
      api = await startApi(processOf(shop));
      const path = `/round-${round}`;
      const { id } = await subscribe(shop.a, receiver.url(path));
      await until(() => receiver.of(path).length === 1, 60_000);
      const { promise: hold, resolve: answer } = Promise.withResolvers<void>();
      receiver.behave(path, (n) => ({ status: 200, delayMs: 1000, ...(n < 4 ? {} : { hold }) }));
      await announce(shop.a, events);
      // Some are under way: sent, and not yet answered.
      await until(() => receiver.of(path).length > 4, 60_000);
      await api.kill();
      answer();
      const open = (await deliveries(shop.a, id)).filter(({ status }) => status !== 'succeeded');
      expect(open.length).toBeGreaterThan(0);
      const began = Date.now();
      api = await startApi(processOf(shop));
      // The ping and every event: the deliveries of some may not even have been written when the process was killed.
      const done = async (): Promise<number> =>
        (await deliveries(shop.a, id)).filter(({ status }) => status === 'succeeded').length;
      await until(async () => (await done()) === events + 1, bound);
      times.push(Date.now() - began);
      const rows = await deliveries(shop.a, id);
      expect(rows).toHaveLength(events + 1);
      expect(new Set(receiver.of(path).map((hit) => hit.id))).toEqual(new Set(rows.map(({ eventId }) => eventId)));
      await api.kill();
      api = undefined;
    }
    console.log(
      `webhooks: killed ${kills}×, ${events * kills} events, 0 lost, all delivered within ${Math.max(...times)} ms of the restart`,
    );
  },
  patience,
);
