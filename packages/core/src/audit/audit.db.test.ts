import { type Actor, type Ctx, type Db, sql, uuidv7 } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CoreDatabase, coreDatabase } from '../../test/core-database.ts';
import { auditHash, auditReader, createAuditBuffer } from './audit.ts';
import { verifyChain } from './verify.ts';

let core: CoreDatabase;
let superuser: pg.Client;
beforeAll(async () => {
  core = await coreDatabase();
  const url = new URL(process.env.TEST_SUPERUSER_URL as string);
  url.pathname = new URL(core.ownerUrl).pathname;
  superuser = new pg.Client({ connectionString: url.toString() });
  await superuser.connect();
});
afterAll(async () => {
  await superuser.end();
  await core.close();
});

const staff: Actor = { type: 'staff', userId: uuidv7(), can: () => true };
const who = (at = new Date().toISOString()) => ({
  actor: staff,
  action: 'catalog.product.update',
  ip: '203.0.113.7',
  requestId: 'req-12345678',
  at,
});
async function write(
  tenant: string,
  count: number,
  more: { entity?: string; entityId?: string | null; at?: string } = {},
): Promise<void> {
  await core.database.withTenant(tenant, async ({ db }) => {
    const buffer = createAuditBuffer();
    for (let i = 0; i < count; i++)
      buffer.add(
        { entity: more.entity ?? 'catalog.product', entityId: more.entityId ?? null, before: { n: i }, after: { n: i + 1 } },
        who(more.at),
      );
    await buffer.flush(db, tenant);
  });
}
const inTenant = <T>(tenant: string, fn: (db: Db) => Promise<T>): Promise<T> =>
  core.database.withTenant(tenant, ({ db }) => fn(db), { readOnly: true });
const verify = (tenant: string) => inTenant(tenant, (db) => verifyChain(db, tenant, 7));

test('rows follow each other in one chain, and the chain verifies in the tenant scope and as platform', async () => {
  const tenant = await core.tenant('chain');
  await write(tenant, 1);
  await write(tenant, 3);
  await write(tenant, 20);
  const rows = await inTenant(tenant, (db) =>
    db.rows<{ position: number; prev_hash: string; hash: string }>(
      sql`select position, prev_hash, hash from core_audit order by position`,
    ),
  );
  expect(rows.map((row) => row.position)).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
  expect(rows.map((row) => row.prev_hash)).toEqual(['0'.repeat(64), ...rows.slice(0, -1).map((row) => row.hash)]);
  expect(await verify(tenant)).toEqual({ rows: 24, position: 24, hash: rows.at(-1)?.hash, faults: [] });
  expect((await core.database.withPlatform(({ db }) => verifyChain(db, tenant))).faults).toEqual([]);
  expect(await verify(await core.tenant('untouched'))).toEqual({ rows: 0, position: 0, hash: '0'.repeat(64), faults: [] });
});

test('writers of one tenant in parallel make one chain without gaps; a rolled-back one leaves nothing', async () => {
  const [tenant, other] = [await core.tenant('parallel'), await core.tenant('beside')];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 60 }, (_, i) =>
      core.database.withTenant(i % 6 === 5 ? other : tenant, async ({ db }) => {
        const buffer = createAuditBuffer();
        for (let n = 0; n <= i % 3; n++) buffer.add({ entity: 'x.y', entityId: null, after: { i, n } }, who());
        await buffer.flush(db, i % 6 === 5 ? other : tenant);
        if (i % 10 === 9) throw new Error('too late');
      }),
    ),
  );
  const done = outcomes.map((outcome, i) => (outcome.status === 'fulfilled' ? (i % 3) + 1 : 0));
  const expected = (mine: boolean) => done.reduce((sum, n, i) => sum + ((i % 6 === 5) === mine ? 0 : n), 0);
  expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toHaveLength(6);
  for (const [id, rows] of [
    [tenant, expected(true)],
    [other, expected(false)],
  ] as const) {
    const report = await verify(id);
    expect(report.faults).toEqual([]);
    expect(report.rows).toBe(rows);
  }
});

test('an empty buffer takes no lock and makes no head', async () => {
  const tenant = await core.tenant('empty');
  await write(tenant, 0);
  expect(await inTenant(tenant, (db) => db.rows(sql`select 1 from core_audit_head`))).toEqual([]);
});

/** What a superuser can do to one row behind the product's back, and the place that must be named. */
const attacks: [name: string, attack: (tenant: string, position: number) => Promise<unknown>, fault: string][] = [
  [
    'member changed',
    (t, p) =>
      superuser.query(
        `update core_audit set changes = jsonb_set(changes, '{after,n}', '99') where tenant_id = $1 and position = $2`,
        [t, p],
      ),
    'changed',
  ],
  [
    'actor changed',
    (t, p) => superuser.query('update core_audit set actor_id = null where tenant_id = $1 and position = $2', [t, p]),
    'changed',
  ],
  [
    'moved by a microsecond',
    (t, p) =>
      superuser.query(`update core_audit set at = at + interval '1 microsecond' where tenant_id = $1 and position = $2`, [t, p]),
    'changed',
  ],
  [
    'hash changed',
    (t, p) => superuser.query('update core_audit set hash = repeat($3, 64) where tenant_id = $1 and position = $2', [t, p, 'a']),
    'changed',
  ],
  ['deleted', (t, p) => superuser.query('delete from core_audit where tenant_id = $1 and position = $2', [t, p]), 'missing'],
  [
    'given to another tenant',
    async (t, p) =>
      superuser.query(
        'update core_audit set tenant_id = $3, position = position + 100000 where tenant_id = $1 and position = $2',
        [t, p, await core.tenant(`thief-${t}-${p}`)],
      ),
    'missing',
  ],
];
test.each(attacks)('one row %s: exactly that row is named', async (_, attack, fault) => {
  const tenant = await core.tenant(`attack-${uuidv7()}`);
  await write(tenant, 30);
  for (const position of [1, 2, 17, 29, 30]) {
    const before = await superuser.query('select * from core_audit where tenant_id = $1 and position = $2', [tenant, position]);
    await attack(tenant, position);
    const report = await verify(tenant);
    expect(report.faults).toEqual([{ position, id: fault === 'missing' ? null : before.rows[0].id, fault }]);
    // Put back as it was, so that the next place starts from a sound chain.
    await superuser.query('delete from core_audit where id = $1', [before.rows[0].id]);
    const columns = Object.keys(before.rows[0]);
    await superuser.query(
      `insert into core_audit (${columns.join()}) values (${columns.map((_c, i) => `$${i + 1}`).join()})`,
      columns.map((c) => (c === 'changes' ? JSON.stringify(before.rows[0][c]) : before.rows[0][c])),
    );
    expect((await verify(tenant)).faults).toEqual([]);
  }
});

test('reports two swapped rows, an inserted row, and a missing head', async () => {
  const tenant = await core.tenant('order');
  await write(tenant, 10);
  await superuser.query('update core_audit set position = 1000004 where tenant_id = $1 and position = 4', [tenant]);
  await superuser.query('update core_audit set position = 4 where tenant_id = $1 and position = 7', [tenant]);
  await superuser.query('update core_audit set position = 7 where tenant_id = $1 and position = 1000004', [tenant]);
  expect((await verify(tenant)).faults.map(({ position, fault }) => [position, fault])).toEqual([
    [4, 'changed'],
    [7, 'changed'],
  ]);

  const forged = await core.tenant('forged');
  await write(forged, 3);
  await superuser.query(
    `insert into core_audit select tenant_id, gen_random_uuid(), 4, actor_type, actor_id, action, entity, entity_id, changes, ip, request_id, at, hash, 'x' from core_audit where tenant_id = $1 and position = 3`,
    [forged],
  );
  expect((await verify(forged)).faults).toMatchObject([{ position: 4, fault: 'added' }]);
  await superuser.query('delete from core_audit_head where tenant_id = $1', [forged]);
  expect((await verify(forged)).faults).toMatchObject([{ position: 1, fault: 'head' }]);
});

test('a row rewritten together with its own hash is still named', async () => {
  const tenant = await core.tenant('rewritten');
  await write(tenant, 5);

  const { rows } = await superuser.query(
    `select *, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as instant from core_audit where tenant_id = $1 and position = 3`,
    [tenant],
  );
  const row = rows[0];
  const hash = auditHash(row.prev_hash, {
    tenantId: tenant,
    id: row.id,
    position: 3,
    actorType: 'guest',
    actorId: row.actor_id,
    action: row.action,
    entity: row.entity,
    entityId: row.entity_id,
    changes: row.changes,
    ip: row.ip,
    requestId: row.request_id,
    at: row.instant,
  });
  await superuser.query(`update core_audit set actor_type = 'guest', hash = $2 where id = $1`, [row.id, hash]);
  expect((await verify(tenant)).faults).toEqual([{ position: 3, id: row.id, fault: 'changed' }]);
});

test('the app may only add rows, and only its own tenant’s', async () => {
  const [tenant, other] = [await core.tenant('mine'), await core.tenant('theirs')];
  await write(tenant, 2);
  await write(other, 2);
  await expect(
    core.database.withTenant(tenant, ({ db }) => db.run(sql`update core_audit set action = 'x'`)),
  ).rejects.toMatchObject({ code: '42501' });
  await expect(core.database.withTenant(tenant, ({ db }) => db.run(sql`delete from core_audit`))).rejects.toMatchObject({
    code: '42501',
  });
  await expect(
    core.database.withTenant(tenant, async ({ db }) => {
      const buffer = createAuditBuffer();
      buffer.add({ entity: 'x.y', entityId: null }, who());
      await buffer.flush(db, other);
    }),
  ).rejects.toMatchObject({ code: '42501' });
  expect((await verify(other)).rows).toBe(2);
});

test('the list is newest first, pages by keyset, and filters', async () => {
  const tenant = await core.tenant('list');
  const product = uuidv7();
  for (let i = 0; i < 7; i++)
    await write(tenant, 1, {
      entity: i % 2 ? 'orders.order' : 'catalog.product',
      entityId: i === 4 ? product : null,
      at: `2026-11-0${i + 1}T10:00:00.000Z`,
    });
  const list = (query: Parameters<typeof auditReader.list>[1]) =>
    inTenant(tenant, (db) => auditReader.list({ db, tenant: { id: tenant } } as unknown as Ctx, query));
  const first = await list({ limit: 3 });
  expect(first.rows.map((row) => row.position)).toEqual([7, 6, 5]);
  await write(tenant, 1);
  const second = await list({ limit: 3, cursor: first.nextCursor as string });
  expect(second.rows.map((row) => row.position)).toEqual([4, 3, 2]);
  expect((await list({ limit: 3, cursor: second.nextCursor as string })).nextCursor).toBeNull();
  expect((await list({ limit: 10, entity: 'orders.order' })).rows).toHaveLength(3);
  expect((await list({ limit: 10, entityId: product })).rows).toHaveLength(1);
  expect(
    (await list({ limit: 10, from: '2026-11-02T10:00:00.000Z', to: '2026-11-04T10:00:00.000Z' })).rows.map((row) => row.position),
  ).toEqual([3, 2]);
  expect((await list({ limit: 10, actor: 'staff' })).rows).toHaveLength(8);
  expect((await list({ limit: 10, actor: 'nobody' })).rows).toHaveLength(0);
  await expect(list({ limit: 3, cursor: 'bm9wZQ' })).rejects.toMatchObject({ code: 'invalid_parameter' });
  const [row] = first.rows;
  expect(row).toMatchObject({
    actor: { type: 'staff', id: (staff as { userId: string }).userId },
    action: 'catalog.product.update',
    changes: { before: { n: 0 }, after: { n: 1 } },
    ip: '203.0.113.7',
    requestId: 'req-12345678',
    at: '2026-11-07T10:00:00.000Z',
  });
  const get = (in_: string, id: string) =>
    inTenant(in_, (db) => auditReader.get({ db, tenant: { id: in_ } } as unknown as Ctx, id));
  expect(await get(tenant, row?.id as string)).toEqual(row);
  expect(await get(await core.tenant('stranger'), row?.id as string)).toBeUndefined();
});
