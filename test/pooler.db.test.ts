import { runtimeRole } from '@storeloom/data';
import { crowd, patiently, type TestResponse, tally } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cartPath, type Json } from '../plugins/checkout/test/goods.ts';
import { checkoutPath, placeBody } from '../plugins/checkout/test/till.ts';
import { stockFaults } from '../plugins/inventory/test/shop.ts';
import { type House, openHouse } from './support/house.ts';
import { type Pooler, startPooler, withoutPgbouncer } from './support/pgbouncer.ts';
import { type Api, processOf, run, startApi } from './support/processes.ts';

/** A process whose database is PgBouncer in transaction mode, beside one that goes to the server. */
describe.skipIf(withoutPgbouncer)(`behind PgBouncer${withoutPgbouncer ? ` (left out: ${withoutPgbouncer})` : ''}`, () => {
  let house: House;
  let pooler: Pooler;
  let api: Api;
  const behind = (): Parameters<typeof startApi>[0] => ({
    ...processOf(house.shop),
    databaseUrl: pooler.url,
    env: { DATABASE_URL_DIRECT: house.shop.prepared.ownerUrl },
  });
  beforeAll(async () => {
    house = await openHouse(0);
    pooler = await startPooler(house.shop, 3);
    api = await startApi(behind());
  });
  afterAll(async () => {
    await api?.kill();
    await pooler?.stop();
    await house?.stop();
  });

  it('migrates, and says what is missing where the server itself is not named', async () => {
    const migrated = await run(['migrate'], behind());
    expect([migrated.code, migrated.stderr]).toEqual([0, expect.any(String)]);
    const alone = await run(['start', '--port', '0'], { ...behind(), env: {} });
    expect(alone.code).toBe(5);
    expect(alone.stderr).toContain('DATABASE_URL_DIRECT must name the server itself');
  });

  it('sells to a crowd over three connections: every order once, with its stock, its event and its jobs', async () => {
    const { shop } = house;
    const variantId = await house.stocked(2500, 40);
    // Sixty at three connections: on a busy machine the last may have to come again.
    const come = (ask: () => Promise<TestResponse<Json>>) => patiently(ask, { busy: true });
    const { answers } = await crowd([api.base], 60, async (at, n) => {
      const guest = at(shop.a.guest);
      const cart = await come(() => guest.post<Json>(`${cartPath}/items`, { variantId, quantity: 1 }));
      if (cart.status !== 201) return cart;
      const mine = guest.with({ 'x-cart-token': cart.body.cartToken, 'idempotency-key': `pooled-${n}` });
      const placed = await come(() => mine.post<Json>(`${checkoutPath}/place`, placeBody(2500)));
      // The same request once more is the same order.
      const again = await come(() => mine.post<Json>(`${checkoutPath}/place`, placeBody(2500)));
      expect([again.status, again.body.order?.id]).toEqual([placed.status, placed.body.order?.id]);
      return placed;
    });
    console.info(`${JSON.stringify(tally(answers))}, ${JSON.stringify(await pooler.figures())}`);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(40);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    await shop.settled();
    const [level] = await shop.rows<Json>('select on_hand, reserved from inventory_level where variant_id = $1', [variantId]);
    expect(level).toEqual({ on_hand: 40, reserved: 40 });
    const [events] = await shop.rows<Json>(
      "select count(*)::int as n, count(distinct aggregate)::int as orders from core_event where type = 'orders.order.placed'",
    );
    expect(events).toEqual({ n: 40, orders: 40 });
    expect(await stockFaults(shop)).toEqual([]);
    expect((await pooler.figures()).servers).toBeLessThanOrEqual(3);
  });

  it('handles changes of another process, and publishes its own', async () => {
    const { shop } = house;
    const made = await house.post('/api/admin/products/', {
      title: 'Lamp',
      status: 'active',
      type: 'service',
      variants: [{ sku: 'LAMP', optionValues: {}, price: { amount: 100, currency: 'RON' } }],
    });
    const path = `/api/storefront/products/${made.slug}`;
    const titles = async (): Promise<string[]> =>
      Promise.all(
        [shop.a.guest, shop.a.guest.at(api.base)].map(async (client) => (await client.get<{ title: string }>(path)).body.title),
      );
    expect(await titles()).toEqual(['Lamp', 'Lamp']);
    for (const [client, title] of [
      [shop.a.admin, 'Lantern'],
      [shop.a.admin.at(api.base), 'Candle'],
    ] as const) {
      expect((await client.patch(`/api/admin/products/${made.id}`, { title })).status).toBe(200);
      await expect.poll(titles).toEqual([title, title]);
    }
  });

  it('says that the database is away where no connection to it comes free', async () => {
    const narrow = await startPooler(house.shop, 1);
    const login = new URL(narrow.url);
    const waiting = await startApi({ ...behind(), databaseUrl: narrow.url });
    try {
      // One transaction of the requests' own login has the only connection.
      login.username = runtimeRole(house.shop.prepared.ownerUrl);
      login.password = house.shop.prepared.dataDir.secrets.databasePassword;
      const holding = new pg.Client({ connectionString: login.href });
      // On failure, the pooler is stopped first.
      holding.on('error', () => undefined);
      await holding.connect();
      await holding.query('begin');
      const timed = async (path: string): Promise<[number, number]> => {
        const started = performance.now();
        const { status } = await house.shop.a.guest.at(waiting.base).get(path);
        return [status, Math.round(performance.now() - started)];
      };
      const [health, list] = await Promise.all([timed('/health'), timed('/api/storefront/products/?sort=title')]);
      console.info(`no connection to be had: ${JSON.stringify({ health, list })} (status, ms)`);
      expect([health[0], list[0]]).toEqual([503, 503]);
      expect(health[1]).toBeLessThan(10_000);
      expect(list[1]).toBeLessThan(25_000);
      await holding.query('rollback');
      await holding.end();
      for (const path of ['/health', '/api/storefront/products/?sort=title'])
        await expect.poll(async () => (await timed(path))[0]).toBe(200);
    } catch (error) {
      throw new Error(`the process said:\n${waiting.log()}`, { cause: error });
    } finally {
      await waiting.kill();
      await narrow.stop();
    }
  });
});
