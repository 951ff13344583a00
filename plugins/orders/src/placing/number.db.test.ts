import type { Ctx } from '@storeloom/plugin-sdk';
import type { TestShop, TestTenant } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openShop, type Placed, place } from '../../test/shop.ts';
import { settings } from '../settings.ts';
import { nextOrderNumber } from './number.ts';

let shop: TestShop;
beforeAll(async () => {
  shop = await openShop({ processes: 2, workers: false });
});
afterAll(() => shop?.stop());

const formatOf = async (tenant: TestTenant, orderNumberFormat: string): Promise<void> => {
  expect((await tenant.admin.put('/api/admin/settings/store', { orderNumberFormat })).status).toBe(200);
  // The other process is notified.
  for (const kernel of shop.kernels) {
    const present = (): Promise<string> =>
      kernel.inTenant(tenant.id, 'orders', async (ctx) => ctx.settings(settings).orderNumberFormat);
    await expect.poll(present).toBe(orderNumberFormat);
  }
};
const one = (tenant: TestTenant) => place(tenant, { lines: [{ price: 100 }] });

/** A context that counts its statements. */
function counting(ctx: Ctx): { ctx: Ctx; count: () => number } {
  let statements = 0;
  const db = new Proxy(ctx.db, {
    get: (of, name) =>
      name === 'rows' || name === 'first' || name === 'run'
        ? (...args: unknown[]) => {
            statements += 1;
            return (of[name] as (...given: unknown[]) => unknown)(...args);
          }
        : Reflect.get(of, name),
  });
  const counted = new Proxy(ctx, { get: (of, name) => (name === 'db' ? db : Reflect.get(of, name, of)) });
  return { ctx: counted, count: () => statements };
}

describe('order numbers of a format similar to an earlier one', () => {
  it('start after the greatest used number, without additional statements', async () => {
    const { id } = await one(shop.a);
    const [row] = await shop.rows<{ columns: string }>(
      `select string_agg(format('%I', column_name), ', ') as columns from information_schema.columns
        where table_name = 'orders_order' and column_name not in ('id', 'number', 'cart_id')`,
    );
    await shop.rows(
      `insert into orders_order (id, number, ${row?.columns})
        select gen_random_uuid(), 'X' || lpad(n::text, 5, '0'), ${row?.columns} from orders_order, generate_series(1, 3000) n where id = $1`,
      [id],
    );
    await formatOf(shop.a, 'X0{0000}');
    const statements = await shop.a.run('orders', async (ctx) => {
      const counted = counting(ctx);
      expect(await nextOrderNumber(counted.ctx)).toBe('X03001');
      return counted.count();
    });
    expect(statements).toBeLessThanOrEqual(3);
    expect((await one(shop.a)).number).toBe('X03002');
    // No number has this suffix.
    await formatOf(shop.a, 'X{0}Y');
    expect((await one(shop.a)).number).toBe('X1Y');
  });

  it('skip a number that another format is using concurrently', async () => {
    const second: TestTenant = { ...shop.b, run: (plugin, fn) => shop.kernels[1]!.inTenant(shop.b.id, plugin, fn, {}) };
    await formatOf(shop.b, '{00}');
    const [first, other] = await shop.b.run('checkout', async (ctx) => {
      const placed = await one({ ...shop.b, run: (_, fn) => fn(ctx) });
      await formatOf(shop.b, '0{0}');
      // Committed while the first transaction is open.
      return [placed, await one(second)];
    });
    expect([first.number, other.number]).toEqual(['01', '02']);
  });

  it('are unique while the format changes and two processes place orders', async () => {
    const tenants = shop.kernels.map(
      (kernel): TestTenant => ({ ...shop.b, run: (plugin, fn) => kernel.inTenant(shop.b.id, plugin, fn, {}) }),
    );
    // Adjacent formats of the list produce the same numbers.
    const formats = ['{00}', '0{0}', '{000}', '00{0}', '{0}'];
    const placing: Promise<Placed>[] = [];
    // Each wave starts while the previous one is being placed.
    for (let wave = 0; wave < 12; wave++) {
      await Promise.allSettled(placing.slice(0, -3));
      await formatOf(shop.b, formats[wave % formats.length]!);
      for (let i = 0; i < 3; i++) placing.push(one(tenants[i % 2]!));
    }
    const placed = await Promise.allSettled(placing);
    expect(placed.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))).toEqual([]);
    const numbers = placed.flatMap((each) => (each.status === 'fulfilled' ? [each.value.number] : []));
    expect(new Set(numbers).size).toBe(36);
    expect(numbers.filter((number) => !/^\d+$/.test(number))).toEqual([]);
  });
});

describe('concurrent placements', () => {
  it('have different numbers without waiting for each other', async () => {
    await formatOf(shop.a, 'P{000}');
    const open: (() => void)[] = [];
    const numbers: string[] = [];
    // Each transaction stays open until all have their number, so one that waited for another would deadlock.
    const all = Promise.all(
      // Two a process: more connections a busy process doesn't give to one tenant.
      Array.from({ length: 4 }, (_, i) =>
        shop.kernels[i % 2]!.inTenant(shop.a.id, 'orders', async (ctx) => {
          numbers.push(await nextOrderNumber(ctx));
          await new Promise<void>((resolve) => {
            open.push(resolve);
            if (open.length === 4) for (const go of open) go();
          });
        }),
      ),
    );
    await all;
    expect([...numbers].sort()).toEqual(['P001', 'P002', 'P003', 'P004']);
  });

  it('use each number once if some fail, and skip at most those of the failed ones', async () => {
    await formatOf(shop.a, 'Q{000}');
    const tenants = shop.kernels.map(
      (kernel): TestTenant => ({ ...shop.a, run: (plugin, fn) => kernel.inTenant(shop.a.id, plugin, fn, {}) }),
    );
    const failing = (tenant: TestTenant): TestTenant => ({
      ...tenant,
      run: (plugin, fn) =>
        tenant.run(plugin, async (ctx) => {
          await fn(ctx);
          throw new Error('the placement fails after its number was taken');
        }),
    });
    const placed = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => one(i % 5 === 0 ? failing(tenants[i % 2]!) : tenants[i % 2]!)),
    );
    const reasons = placed.flatMap((each) => (each.status === 'rejected' ? [(each.reason as Error).message] : []));
    expect(reasons).toEqual(Array.from({ length: 12 }, () => 'the placement fails after its number was taken'));
    const numbers = placed.flatMap((each) => (each.status === 'fulfilled' ? [each.value.number] : []));
    expect(new Set(numbers).size).toBe(48);
    expect(numbers.filter((number) => !/^Q\d{3}$/.test(number))).toEqual([]);
    // At most one number per failure is skipped.
    expect(numbers.filter((number) => number > 'Q060')).toEqual([]);
    expect(numbers).not.toContain((await one(shop.a)).number);
  });
});
