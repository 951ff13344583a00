import { customers } from '@storeloom/commerce';
import type { Kernel } from '@storeloom/core';
import { sql, tenants, uuidv7 } from '@storeloom/plugin-sdk';
import { tenancyFaults } from '@storeloom/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTill, type Till } from '../plugins/checkout/test/till.ts';
import { customer } from '../plugins/customers/src/customer.ts';
import { bodiesOf, withIds } from './support/bodies.ts';
import { fill } from './support/fill.ts';
import { everyPlugin } from './support/house.ts';
import { kernelBehind, startPooler, withoutPgbouncer } from './support/pgbouncer.ts';

/** Tenants apart: in the schema, under load, against every way around it, and in what requests name. */
const nightly = process.env.STORELOOM_NIGHTLY === '1';
let till: Till;
beforeAll(async () => {
  till = await openTill(everyPlugin);
  for (const tenant of [till.shop.a, till.shop.b]) await fill(till, tenant);
  await till.shop.settled();
});
afterAll(() => till?.stop());

it('every table of a tenant is behind forced row-level security, with the tenant first in every key', async () => {
  const faults = await tenancyFaults(till.shop);
  const [row] = await till.shop.rows<{ n: number }>(
    "select count(*)::int as n from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'",
  );
  console.info(`${row?.n} tables with a tenant: ${faults.length} violations`);
  expect(row?.n).toBeGreaterThan(80);
  expect(faults).toEqual([]);
});

describe('twenty workers over fifty tenants, one in ten failing midway: no row of another one is seen or written', () => {
  /** `slug` begins the names of the tenants. */
  async function interleave(kernel: Kernel, slug: string, each: number): Promise<string> {
    const ids = await till.shop.kernel.asPlatform('platform', (ctx) =>
      ctx.transaction(async (inside) => {
        const made: string[] = [];
        for (let i = 0; i < 50; i++)
          made.push(
            (await inside.require(tenants).create({ slug: `${slug}-${i}`, name: `Load ${i}`, hosts: [`${slug}-${i}.localhost`] }))
              .id,
          );
        return made;
      }),
    );
    const written = new Map<string, number>();
    let [wrong, failed, units] = [0, 0, 0];
    const work = async (worker: number): Promise<void> => {
      for (let i = 0; i < each; i++) {
        const id = ids[(worker * 31 + i * 7) % ids.length] as string;
        const fails = (worker + i) % 10 === 0;
        units++;
        try {
          await kernel.inTenant(id, 'customers', async (ctx) => {
            await ctx.require(customers).upsert({ email: `w${worker}-${i}@${id}.example` });
            const rows = await ctx.db.rows<{ tenantId: string; email: string }>(
              sql`select tenant_id as "tenantId", email from customers_customer order by created_at desc limit 20`,
            );
            wrong += rows.filter(({ tenantId, email }) => tenantId !== id || !email.endsWith(`@${id}.example`)).length;
            if (fails) throw new Error('midway');
          });
          written.set(id, (written.get(id) ?? 0) + 1);
        } catch (error) {
          if ((error as Error).message !== 'midway') throw error;
          failed++;
        }
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, worker) => work(worker)));
    const stored = await till.shop.rows<{ id: string; n: number; strange: number }>(
      `select tenant_id as id, count(*)::int as n, count(*) filter (where email not like '%@' || tenant_id || '.example')::int as strange
       from customers_customer where tenant_id = any($1) group by 1`,
      [ids],
    );
    expect(wrong).toBe(0);
    expect(stored.reduce((sum, { strange }) => sum + strange, 0)).toBe(0);
    expect(new Map(stored.map(({ id, n }) => [id, n]))).toEqual(written);
    const outside = await kernel.database.pool
      .query('select count(*) from customers_customer')
      .catch((error: { code: string }) => error);
    expect(outside).toMatchObject({ code: '42501' });
    return `${units} units of work by 20 workers over 50 tenants, ${failed} failed midway: ${wrong} rows of another tenant seen`;
  }

  it('at the server', async () => {
    console.info(await interleave(till.shop.kernel, 'load', nightly ? 5000 : 100));
  }, 900_000);

  it('through PgBouncer in transaction mode, over five connections', async ({ skip }) => {
    if (withoutPgbouncer) return skip(withoutPgbouncer);
    const pooler = await startPooler(till.shop, 5);
    const kernel = await kernelBehind(till.shop, pooler, 20);
    try {
      const units = await interleave(kernel, 'pooled', nightly ? 5000 : 50);
      const { servers, transactions } = await pooler.figures();
      console.info(`${units}, in ${transactions} transactions over ${servers} connections of PgBouncer`);
      expect(servers).toBeLessThanOrEqual(5);
      expect(transactions).toBeGreaterThan(nightly ? 100_000 : 1000);
    } finally {
      await kernel.stop({ immediately: true });
      await pooler.stop();
    }
  }, 3_600_000);
});

describe('around the tenant, by the context of a plugin', () => {
  const foreignId = async (): Promise<string> =>
    (
      (
        await till.shop.rows<{ id: string }>('select id from customers_customer where tenant_id = $1 order by id limit 1', [
          till.shop.b.id,
        ])
      )[0] as { id: string }
    ).id;
  const inA = <T>(fn: Parameters<typeof till.shop.a.run<T>>[1]): Promise<T> => till.shop.a.run('customers', fn);
  const refused = /row-level security|permission denied|foreign key|not_found|not found|version|Not here/i;
  const raw: [string, (id: string, b: string) => ReturnType<typeof sql>][] = [
    ['selects', (id) => sql`select id from customers_customer where id = ${id}`],
    ['selects with the tenant named', (id, b) => sql`select id from customers_customer where tenant_id = ${b} and id = ${id}`],
    ['updates', (id) => sql`update customers_customer set first_name = 'x' where id = ${id} returning id`],
    [
      'moves a row here',
      (id, b) =>
        sql`update customers_customer set tenant_id = ${till.shop.a.id} where tenant_id = ${b} and id = ${id} returning id`,
    ],
    ['deletes', (id) => sql`delete from customers_customer where id = ${id} returning id`],
    ['locks', (id) => sql`select id from customers_customer where id = ${id} for update`],
    ['asks a sub-select', (id) => sql`select 1 as id where exists (select from customers_customer where id = ${id})`],
  ];
  it.each(raw)('%s: nothing', async (_, statement) => {
    const id = await foreignId();
    expect(await inA((ctx) => ctx.db.rows(statement(id, till.shop.b.id)))).toEqual([]);
  });

  const writes: [string, (id: string, b: string) => ReturnType<typeof sql>][] = [
    [
      'inserts for it',
      (_, b) =>
        sql`insert into customers_customer (tenant_id, id, email, created_at, updated_at) values (${b}, ${uuidv7()}, 'x@b.example', now(), now())`,
    ],
    [
      'upserts its row',
      (id, b) =>
        sql`insert into customers_customer (tenant_id, id, email, created_at, updated_at) values (${b}, ${id}, 'x@b.example', now(), now()) on conflict (tenant_id, id) do update set first_name = 'x'`,
    ],
    ['gives a row of its own away', (_, b) => sql`update customers_customer set tenant_id = ${b}`],
    [
      'hangs a row under its row',
      (id) =>
        sql`insert into customers_address (tenant_id, id, customer_id, fingerprint, address, created_at, updated_at) values (${till.shop.a.id}, ${uuidv7()}, ${id}, 'x', '{}', now(), now())`,
    ],
  ];
  it.each(writes)('%s: refused', async (_, statement) => {
    const id = await foreignId();
    await expect(inA((ctx) => ctx.db.run(statement(id, till.shop.b.id)))).rejects.toThrow(refused);
  });

  it('the rows of a table, by get, update, updateWhere, remove and insert: nothing, or refused', async () => {
    const id = await foreignId();
    expect(await inA((ctx) => ctx.rows(customer).get(id))).toBeUndefined();
    expect(await inA((ctx) => ctx.rows(customer).find({ id: [id] }))).toEqual([]);
    expect(await inA((ctx) => ctx.rows(customer).updateWhere({ id: [id] }, { firstName: 'x' }))).toBe(0);
    for (const change of [
      () => inA((ctx) => ctx.rows(customer).update(id, { firstName: 'x' })),
      () => inA((ctx) => ctx.rows(customer).require(id)),
    ])
      await expect(change()).rejects.toMatchObject({ code: expect.stringMatching(/not_found|version_conflict/) });
    await inA((ctx) => ctx.rows(customer).removeWhere({ id: [id] }));
    const email = `${uuidv7()}@a.example`;
    const made = await inA((ctx) => ctx.rows(customer).insert({ email, tenantId: till.shop.b.id } as never)).catch(
      () => undefined,
    );
    const owners = await till.shop.rows<{ t: string }>('select tenant_id as t from customers_customer where email = $1', [email]);
    expect(owners.every(({ t }) => t === till.shop.a.id)).toBe(true);
    expect(made === undefined || owners.length === 1).toBe(true);
    const [row] = await till.shop.rows<{ t: string; name: string | null }>(
      'select tenant_id as t, first_name as name from customers_customer where id = $1',
      [id],
    );
    expect(row?.t).toBe(till.shop.b.id);
    expect(row?.name).not.toBe('x');
  });

  it('another tenant is not entered from inside one, and what is remembered is its own', async () => {
    const { a, b, kernel } = till.shop;
    await expect(inA(() => kernel.inTenant(b.id, 'customers', async () => 'inside'))).rejects.toThrow(/tenant/i);
    const remembered = (tenant: typeof a) =>
      tenant.run('customers', (ctx) => ctx.remember('tenancy-test', async () => ctx.tenant.id));
    expect([await remembered(a), await remembered(b), await remembered(a)]).toEqual([a.id, b.id, a.id]);
  });
});

it('ids of another shop in bodies and queries join nothing of the two', async () => {
  const { shop } = till;
  const own = await shop.rows<{ table: string }>(
    `select c.table_name as table from information_schema.columns c join information_schema.columns t using (table_schema, table_name)
     where c.table_schema = 'public' and c.column_name = 'id' and c.data_type = 'uuid' and t.column_name = 'tenant_id' order by 1`,
  );
  const foreign = new Map<string, string[]>();
  for (const { table } of own) {
    const rows = await shop.rows<{ id: string }>(`select id from "${table}" where tenant_id = $1 order by id limit 5`, [
      shop.b.id,
    ]);
    if (rows.length > 0)
      foreign.set(
        table,
        rows.map(({ id }) => id),
      );
  }
  const customerOfA = await shop.a.customer();
  const rounds = nightly ? 5 : 1;
  let [sent, taken] = [0, 0];
  const leaks: string[] = [];
  const all = new Set([...foreign.values()].flat());
  for (const { method, path, family, body, query } of await bodiesOf(shop))
    for (let round = 0; round < rounds; round++) {
      const client = family === 'admin' ? shop.a.admin : customerOfA;
      const named = new Set<string>();
      const target = path.replace(/\{\w+\}/g, () => uuidv7());
      const search =
        query.length === 0
          ? ''
          : `?${query.map((name) => `${name}=${withIds({ [name]: all.values().next().value as string }, foreign, round, named)[name]}`).join('&')}`;
      const answer = await client.call(
        method,
        `${target}${search}`,
        body === undefined ? {} : { body: withIds(body, foreign, round, named) },
      );
      sent++;
      if (answer.status < 300) taken++;
      if (answer.status >= 500 && answer.status !== 501) leaks.push(`${method} ${path}: ${answer.status}`);
      for (const id of all) if (!named.has(id) && answer.text.includes(id)) leaks.push(`${method} ${path} shows ${id}`);
    }
  await shop.settled();
  // Nothing that A has now names anything of B, but its audit log, which says what it was asked for in vain.
  const pattern = [...all].join('|');
  const tables = await shop.rows<{ table: string }>(
    "select table_name as table from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id' and table_name not in ('core_idempotency', 'core_audit') order by 1",
  );
  for (const { table } of tables) {
    const rows = await shop.rows<{ row: string }>(
      `select left(t::text, 600) as row from "${table}" t where tenant_id = $1 and t::text ~ $2`,
      [shop.a.id, pattern],
    );
    for (const { row } of rows) leaks.push(`${table} refers to the other shop: ${row}`);
  }
  console.info(
    `${sent} requests with ids of another shop (${all.size} ids of ${foreign.size} tables), ${taken} taken: ${leaks.length} joins or leaks`,
  );
  expect(leaks).toEqual([]);
}, 900_000);
