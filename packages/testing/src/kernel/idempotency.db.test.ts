import { type Ctx, definePlugin, f, route, sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

const name = 'example-hello';
let shop: TestShop;
const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);

/** A handler of several round trips, which still runs when the key of its request is refused. */
const slow = route(
  'POST',
  '/example-hello/trips',
  { summary: 'Several statements', body: { n: f.int() }, response: { n: f.int() } },
  async (ctx: Ctx, req) => {
    for (let i = 0; i < 5; i++) await ctx.db.rows(sql`select ${i}::int as i`);
    await ctx.db.rows(sql`select pg_sleep(0.1)`);
    return { n: req.body.n };
  },
);

beforeAll(async () => {
  process.on('unhandledRejection', note);
  shop = await testShop({ plugins: [name], modules: { [name]: definePlugin({ name, storefront: [slow] }) }, workers: false });
});
afterAll(async () => {
  process.off('unhandledRejection', note);
  await shop?.stop();
});

it('a key that is reused with another body is refused while the handler runs, and the process goes on', async () => {
  const send = (n: number, key: string) =>
    shop.a.guest
      .with({ 'idempotency-key': key })
      .post<{ n: number; code?: string }>('/api/storefront/example-hello/trips', { n });
  expect((await send(1, 'reused-key-1')).body).toMatchObject({ n: 1 });
  expect(await send(2, 'reused-key-1')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
  const again = await send(1, 'reused-key-1');
  expect([again.body.n, again.headers['idempotency-replayed']]).toEqual([1, 'true']);
  const racing = await Promise.all([1, 2, 3, 4].map((n) => send(n, 'reused-key-2')));
  expect(racing.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of racing) expect([200, 409, 422]).toContain(status);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(unhandled).toEqual([]);
});
