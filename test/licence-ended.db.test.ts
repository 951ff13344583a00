import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { drivers } from '@storeloom/cli';
import { prepare } from '@storeloom/core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDataDir } from '../packages/keys/src/data-dir.ts';
import { createIssuer, type IssuerKeys } from '../packages/licence/src/issuer.ts';
import { product, visitor } from '../plugins/checkout/test/goods.ts';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';

/** An ended licence stops neither the start nor the sale of a shop that is there: seen over HTTP, and by starting once more. */
const day = 86_400_000;
const now = Date.now();
const from = now - 60 * day;
let folder: string;
let issuer: IssuerKeys;
let till: Till;
let variantId: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'storeloom-issuer-'));
  issuer = createIssuer(openDataDir(folder));
  till = await openTill([], { now: new Date(from).toISOString(), licenceIssuer: { id: issuer.id, keys: issuer.keys() } });
  ({ variantId } = await product(till.shop.a, 5000));
});
afterAll(async () => {
  await till?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const certificate = (plugins: Record<string, string>): Promise<string> => {
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  const end = seconds(from + 30 * day);
  return issuer.sign('license+jwt', {
    aud: 'kernel',
    v: 1,
    sub: till.shop.prepared.dataDir.secrets.installation,
    jti: 'L-1',
    iat: seconds(from),
    exp: end,
    expiresAt: end,
    env: 'development',
    plan: 'shop',
    plugins,
    updatesUntil: end,
  });
};
const sell = async (): Promise<number> => {
  const { client, cart } = await visitor(till.shop.a, [variantId, 1]);
  const placed = await till.place(client, cart.totals.total.amount);
  expect(placed.status, placed.text).toBe(201);
  return placed.status;
};
const state = async () => (await till.shop.a.guest.get<{ licence: string }>('/health')).body.licence;
const statesAtStart = async (plugins: readonly string[]): Promise<Record<string, string>> => {
  const { config, installation, log, ownerUrl } = till.shop.prepared;
  const again = await prepare(config, { ...installation, plugins }, { log, ownerUrl, drivers });
  return Object.fromEntries(again.registry.states().map((record) => [record.name, record.state]));
};

it('sells while the licence runs, in its grace, and after its end; starts then, too, and lets nothing new in', async () => {
  const { shop } = till;
  const activated = await shop.a.admin.post('/api/admin/license/activate', { key: await certificate({ '*': '*' }) });
  expect(activated.body, activated.text).toMatchObject({ state: 'renewal_due', plan: 'shop' });
  await sell();
  shop.clock.advance(35 * day);
  expect(await state()).toBe('grace');
  await sell();
  shop.clock.advance(25 * day);
  expect(await state()).toBe('expired');
  await sell();

  const { plugins } = shop.prepared.installation;
  const states = await statesAtStart([...plugins, '@storeloom/plugin-example-hello']);
  for (const name of ['catalog', 'orders', 'payments', 'checkout']) expect([name, states[name]]).toEqual([name, 'ready']);
  expect(states['example-hello']).toBe('unlicensed');
});

it('a licence that lacks a plugin stops that one only', async () => {
  const { shop } = till;
  shop.clock.advance(-59 * day);
  const activated = await shop.a.admin.post('/api/admin/license/activate', {
    key: await certificate({ catalog: '^1.0.0', search: '*' }),
  });
  expect(activated.status, activated.text).toBe(200);
  await expect
    .poll(async () => (await shop.a.admin.get('/api/admin/orders/')).body)
    .toMatchObject({
      status: 403,
      code: 'plugin_not_enabled',
      why: expect.stringMatching(/not_licensed|requires:/),
    });
  expect((await shop.a.guest.get('/api/storefront/products/')).status).toBe(200);
});
