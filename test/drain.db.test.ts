import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processOf, startApi } from './support/processes.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['catalog'], workers: false });
});
afterAll(() => shop?.stop());

it('a process that is asked to end is gone soon after its clients are, not when some timer fires', async () => {
  const api = await startApi(processOf(shop));
  expect((await shop.a.guest.at(api.base).get('/health')).status).toBe(200);
  const asked = performance.now();
  expect(await api.stop()).toBe(0);
  // The connection stays open for its five seconds of keep-alive.
  expect(performance.now() - asked).toBeLessThan(15_000);
});

it('a process whose npm was killed drains and ends', async () => {
  const api = await startApi({ ...processOf(shop), shell: true, env: { npm_command: 'exec' } });
  const alive = (): Promise<boolean> =>
    fetch(`${api.base}/health`).then(
      () => true,
      () => false,
    );
  expect(await alive()).toBe(true);
  await api.kill();
  await expect.poll(alive).toBe(false);
});
