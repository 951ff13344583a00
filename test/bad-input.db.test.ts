import { badInputs, fingerprint } from '@storeloom/plugin-sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';
import naughty from './testdata/naughty-strings.json' with { type: 'json' };

/** Bad bodies, queries and paths over every route of the repository's plugins. More of them a night, and other ones. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
const count = nightly ? 10_000 : 1500;
const seed = nightly ? Math.floor(Date.now() / 86_400_000) : 7;

let till: Till;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  for (const tenant of [till.shop.a, till.shop.b]) await fill(till, tenant);
}, 180_000);
afterAll(() => till?.stop());

it(`answers ${count} bad inputs with problems, and changes nothing of the other shop (seed ${seed})`, async () => {
  const { shop } = till;
  const before = await fingerprint(shop, shop.b.id);
  const heap = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const used = heap();
  const { requests, faults } = await badInputs(shop, { count, seed, strings: naughty as string[] });
  console.info(
    `${requests} bad inputs over ${shop.kernel.routes.length} routes: ${faults.length} faults, ${(heap() - used).toFixed(1)} MB more memory`,
  );
  expect(requests).toBe(count);
  expect(faults).toEqual([]);
  const after = await fingerprint(shop, shop.b.id);
  expect([...after].filter(([table, sum]) => before.get(table) !== sum).map(([table]) => table)).toEqual([]);
  // And it still sells.
  expect((await shop.b.guest.get('/health')).status).toBe(200);
  expect((await shop.b.guest.get('/api/storefront/products/')).status).toBe(200);
}, 600_000);
