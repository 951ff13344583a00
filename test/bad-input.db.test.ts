import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { job } from '@storeloom/plugin-sdk';
import { badInputs, fingerprint } from '@storeloom/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';
import naughty from './testdata/naughty-strings.json' with { type: 'json' };

/** Bad bodies, queries and paths over every route of the repository's plugins. More of them a night, and other ones. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
const count = nightly ? 10_000 : 1500;
/** By then every route has been asked at least twice: what a first request loads and makes stays. */
const first = nightly ? 2000 : 1050;
const seed = nightly ? Math.floor(Date.now() / 86_400_000) : 7;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Megabytes that this process's tests and kernel hold on to. */
function kept(): number {
  // What a finalizer lets go of is collected the second time.
  for (let i = 0; i < 2; i++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

let till: Till;
beforeAll(async () => {
  // No session expires during the test, and no job becomes due.
  till = await openTill(everyPlugin, { now: new Date().toISOString() });
  for (const tenant of [till.shop.a, till.shop.b]) await fill(till, tenant);
  // It notes once which payments it has looked at.
  await till.shop.b.run('payments', (ctx) => ctx.enqueue(job('heal'), {}));
  await till.shop.settled();
});
afterAll(() => till?.stop());

it(`answers ${count} bad inputs with problems, and changes nothing of the other shop (seed ${seed})`, async () => {
  const { shop } = till;
  const before = await fingerprint(shop, shop.b.id);
  const warm = await badInputs(shop, { count: first, seed, strings: naughty as string[] });
  const used = kept();
  const rest = await badInputs(shop, { count: count - first, seed: seed + 1, strings: naughty as string[] });
  const grown = kept() - used;
  const [requests, faults] = [warm.requests + rest.requests, [...warm.faults, ...rest.faults]];
  console.info(
    `${requests} bad inputs over ${shop.kernel.routes.length} routes: ${faults.length} faults, ${grown.toFixed(1)} MB more memory after the first ${warm.requests}`,
  );
  expect(requests).toBe(count);
  expect(faults).toEqual([]);
  expect(grown).toBeLessThan(50);
  const after = await fingerprint(shop, shop.b.id);
  expect([...after].filter(([table, sum]) => before.get(table) !== sum).map(([table]) => table)).toEqual([]);
  // And it still sells.
  expect((await shop.b.guest.get('/health')).status).toBe(200);
  expect((await shop.b.guest.get('/api/storefront/products/')).status).toBe(200);
}, 600_000);
