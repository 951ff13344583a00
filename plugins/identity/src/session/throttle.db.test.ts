import { type PlatformCtx, rateLimits } from '@storeloom/plugin-sdk';
import { type TestShop, testShop } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countTry, forgive } from './throttle.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await testShop({ plugins: ['identity'] });
});
afterAll(() => shop?.stop());

/** The installation of the tests has its limits off; this context says they're on. */
const limited = (ctx: PlatformCtx, factor: number): PlatformCtx =>
  new Proxy(ctx, {
    get: (target, name) =>
      name === 'require'
        ? (token: { id: string }) => (token.id === rateLimits.id ? { factor } : target.require(token))
        : Reflect.get(target, name, target),
  });
const attempt = (key: string, factor = 1) =>
  shop.kernel.asPlatform('identity', (ctx) => ctx.transaction((platform) => countTry(limited(platform, factor), key)));

it('ten simultaneous attempts slow each other down', async () => {
  const delays = await Promise.all(Array.from({ length: 10 }, () => attempt('parallel')));
  expect(delays.sort((a, b) => a - b)).toEqual([0, 0, 0, 250, 500, 1000, 2000, 4000, 5000, 5000]);
});

it('another address is not slowed; a success, or a quarter of an hour, starts again', async () => {
  for (let i = 0; i < 6; i++) await attempt('one');
  expect(await attempt('another')).toBe(0);
  expect(await attempt('one')).toBe(2000);
  await shop.kernel.asPlatform('identity', (ctx) => ctx.transaction((platform) => forgive(platform, 'one')));
  expect(await attempt('one')).toBe(0);
  for (let i = 0; i < 6; i++) await attempt('two');
  shop.clock.advance(901_000);
  expect(await attempt('two')).toBe(0);
});

it('factor 0 is off', async () => {
  for (let i = 0; i < 6; i++) expect(await attempt('off', 0)).toBe(0);
});
