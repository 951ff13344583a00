import { definePlugin, f, route, sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestShop, testShop } from '../index.ts';

describe('what a process remembers of a shop’s configuration', () => {
  let shop: TestShop;
  let loads = 0;
  const plugin = definePlugin({
    name: 'example-hello',
    storefront: [
      route(
        'GET',
        '/example-hello/setup',
        { summary: 'Reads what the shop is set up with', response: { data: f.anyJson(), same: f.bool(), fixed: f.bool() } },
        async (ctx) => {
          const read = () =>
            ctx.remember('rows', async () => {
              loads++;
              return ctx.db.rows(sql`select name, used from example_setup where tenant_id = ${ctx.tenant.id} order by name`);
            });
          const [first, second] = await Promise.all([read(), read()]);
          return { data: first, same: first === second, fixed: Object.isFrozen(first) && first.every(Object.isFrozen) };
        },
      ),
    ],
  });
  beforeAll(async () => {
    shop = await testShop({ plugins: ['example-hello'], modules: { 'example-hello': plugin }, processes: 2 });
    await shop.rows(`create table example_setup (tenant_id uuid not null, name text not null, used int not null default 0,
      version int not null default 1, primary key (tenant_id, name));
      select core_tenant_table('example_setup'); select core_configuration_table('example_setup', 'used')`);
  });
  afterAll(() => shop?.stop());
  beforeEach(async () => {
    await shop.rows('delete from example_setup');
    await shop.rows(`insert into example_setup (tenant_id, name) values ($1, 'one'), ($2, 'other')`, [shop.a.id, shop.b.id]);
  });

  const names = async (process = 0, of: 'a' | 'b' = 'a'): Promise<string[]> => {
    const { body } = await shop[of].guest.at(shop.bases[process] as string).get('/api/storefront/example-hello/setup');
    expect(body).toMatchObject({ same: true, fixed: true });
    return (body.data as { name: string }[]).map(({ name }) => name);
  };
  const loadsOf = async (work: () => Promise<unknown>): Promise<number> => {
    const before = loads;
    await work();
    return loads - before;
  };

  it('is read once, by each process and for each shop', async () => {
    expect(await loadsOf(() => names())).toBe(1);
    expect(await loadsOf(async () => expect(await names()).toEqual(['one']))).toBe(0);
    expect(await loadsOf(async () => expect(await names(0, 'b')).toEqual(['other']))).toBe(1);
    expect(await loadsOf(async () => expect(await names(1)).toEqual(['one']))).toBe(1);
  });

  it('is read again by every process after a change by any process', async () => {
    await Promise.all([names(0), names(1), names(0, 'b')]);
    await shop.rows(`update example_setup set name = 'two' where tenant_id = $1`, [shop.a.id]);
    expect(await names(0)).toEqual(['two']);
    expect(await names(1)).toEqual(['two']);
    expect(await loadsOf(() => names(0, 'b'))).toBe(0);
    await shop.rows(`insert into example_setup (tenant_id, name) values ($1, 'three')`, [shop.a.id]);
    expect(await names(0)).toEqual(['three', 'two']);
    await shop.rows('delete from example_setup where tenant_id = $1', [shop.a.id]);
    expect(await names(1)).toEqual([]);
  });

  it('stays where a counter moved, or a write was undone', async () => {
    await names();
    await shop.rows('update example_setup set used = used + 1, version = version + 1');
    expect(await loadsOf(() => names())).toBe(0);
    const failed = shop.rows(`do $$ begin update example_setup set name = 'never'; raise exception 'undone'; end $$`);
    await expect(failed).rejects.toThrow('undone');
    expect(await loadsOf(async () => expect(await names()).toEqual(['one']))).toBe(0);
  });

  it('is never older than what was committed before the request, under writes from all sides', async () => {
    await shop.rows(`update example_setup set name = '000' where tenant_id = $1`, [shop.a.id]);
    let committed = 0;
    let over = false;
    const reading = async (process: number): Promise<void> => {
      while (!over) {
        const least = committed;
        const [name] = await names(process);
        expect(Number(name)).toBeGreaterThanOrEqual(least);
      }
    };
    const writing = async (): Promise<void> => {
      for (let n = 1; n <= 60; n++) {
        await shop.rows('update example_setup set name = $2 where tenant_id = $1', [shop.a.id, String(n).padStart(3, '0')]);
        committed = n;
      }
      over = true;
    };
    await Promise.all([writing(), reading(0), reading(1), reading(0), reading(1)]);
  });
});
