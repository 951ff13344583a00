import { type AddressInfo, createServer, type Socket } from 'node:net';
import { sql } from '@storeloom/plugin-sdk';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CoreDatabase, coreDatabase } from './core-database.ts';

let core: CoreDatabase;
let a: string;
let b: string;
beforeAll(async () => {
  core = await coreDatabase({ max: 2 });
  a = await core.tenant('session-a');
  b = await core.tenant('session-b');
});
afterAll(() => core?.close());

const put = (tenant: string, plugin: string) =>
  sql`insert into core_setting (tenant_id, plugin, "values", updated_at) values (${tenant}, ${plugin}, '{}', now())`;
const plugins = (tenant: string): Promise<string[]> =>
  core.database.withTenant(
    tenant,
    async ({ db }) =>
      (await db.rows<{ plugin: string }>(sql`select plugin from core_setting order by plugin`)).map(({ plugin }) => plugin),
    { readOnly: true },
  );

test('each statement of a read is in the scope of its tenant, on any connection', async () => {
  await core.database.withTenant(a, ({ db }) => db.run(put(a, 'scope')));
  const seen = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const tenant = i % 2 === 0 ? a : b;
      return core.database.withTenant(
        tenant,
        async ({ db }) => {
          const [first, second] = await Promise.all([
            db.first<{ tenant: string; n: number }>(sql`select core_current_tenant() as tenant, count(*) as n from core_setting`),
            db.first<{ tenant: string; role: string }>(sql`select core_current_tenant() as tenant, current_user as role`),
          ]);
          return (
            first?.tenant === tenant &&
            second?.tenant === tenant &&
            second.role === 'storeloom_app' &&
            first.n === (tenant === a ? 1 : 0)
          );
        },
        { readOnly: true },
      );
    }),
  );
  expect(seen).toEqual(seen.map(() => true));
});

test('a connection keeps neither role nor tenant after a read', async () => {
  await core.database.withTenant(a, ({ db }) => db.rows(sql`select 1`), { readOnly: true });
  const { rows } = await core.database.pool.query(
    `select current_user::text like 'storeloom_runtime_%' as runtime, coalesce(current_setting('app.tenant_id', true), '') as tenant`,
  );
  expect(rows).toEqual([{ runtime: true, tenant: '' }]);
  await expect(core.database.pool.query('select * from core_setting')).rejects.toMatchObject({ code: '42501' });
});

test('a read writes nothing, whichever way it tries', async () => {
  const read = (fn: Parameters<CoreDatabase['database']['withTenant']>[1]) => core.database.withTenant(a, fn, { readOnly: true });
  await expect(read(({ db }) => db.run(put(a, 'read')))).rejects.toMatchObject({ code: '25006' });
  await expect(read(({ db }) => db.rows(put(a, 'read')))).rejects.toMatchObject({ code: '25006' });
  await expect(read(({ db }) => db.rows(sql`with w as (${put(a, 'read')} returning 1) select * from w`))).rejects.toMatchObject({
    code: '25006',
  });
  await expect(read(async ({ db }) => db.later(put(a, 'read')))).rejects.toThrow('writes nothing');
  expect(await plugins(a)).not.toContain('read');
});

test('what a read runs for its effect holds until its end', async () => {
  const seen = await core.database.withTenant(
    a,
    async ({ db }) => {
      await db.run(sql`select set_config('statement_timeout', '4321', true)`);
      return db.first<{ t: string }>(sql`select current_setting('statement_timeout') as t`);
    },
    { readOnly: true },
  );
  expect(seen).toEqual({ t: '4321ms' });
  const after = await core.database.withTenant(a, ({ db }) => db.first(sql`select current_setting('statement_timeout') as t`));
  expect(after).toEqual({ t: '5s' });
});

test('a savepoint undoes its part, in reads and in writes', async () => {
  await core.database.withTenant(a, async (tx) => {
    await tx.db.run(put(a, 'kept'));
    await expect(
      tx.savepoint(async () => {
        await tx.db.run(put(a, 'undone'));
        tx.db.later(put(a, 'undone-too'));
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await expect(tx.savepoint(() => tx.db.run(put(a, 'kept')))).rejects.toMatchObject({ code: '23505' });
    tx.db.later(put(a, 'kept-too'));
  });
  expect(await plugins(a)).toEqual(['kept', 'kept-too', 'scope']);
  await core.database.withTenant(
    a,
    async (tx) => {
      await expect(tx.savepoint(() => tx.db.rows(sql`select 1/0`))).rejects.toMatchObject({ code: '22012' });
      expect(await tx.db.rows(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    },
    { readOnly: true },
  );
});

test('a failed statement is named by its error, without its values', async () => {
  const failed = core.database.withTenant(a, async ({ db }) => {
    await Promise.all([
      db.rows(sql`select 1`),
      db.rows(sql`select colour from core_setting where plugin = ${'secret'}`),
      db.rows(sql`select 2`),
    ]);
  });
  await expect(failed).rejects.toMatchObject({
    code: '42703',
    statement: 'select colour from core_setting where plugin = $1',
  });
  await failed.catch((error: object) => expect(Object.keys(error)).not.toContain('statement'));
});

test('a rollback waits for no statement that waits for a lock, and the connection is usable after it', async () => {
  await core.database.withTenant(a, ({ db }) => db.run(put(a, 'contended')));
  const lock = sql`select from core_setting where tenant_id = ${a} and plugin = 'contended' for update`;
  const holder = new pg.Client({ connectionString: core.ownerUrl, options: '-c app.maintenance=on' });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`select from core_setting where tenant_id = $1 and plugin = 'contended' for update`, [a]);
  const started = performance.now();
  for (let i = 0; i < 5; i++) {
    let waiting: Promise<unknown> | undefined;
    const failed = core.database.withTenant(a, async ({ db }) => {
      await db.run(put(a, 'undone'));
      waiting = db.rows(lock).catch((error: { code: string }) => error.code);
      await new Promise((resolve) => setTimeout(resolve, 10));
      throw new Error('changed my mind');
    });
    await expect(failed).rejects.toThrow('changed my mind');
    expect(await waiting).toBe('57014');
    // The cancellation hits nothing that comes later on the connection.
    expect(await plugins(a)).not.toContain('undone');
  }
  // The lock timeout is 3 s.
  expect(performance.now() - started).toBeLessThan(2500);
  await holder.end();
});

test('a savepoint costs no round trip of its own, and nothing where no statement runs in it', async () => {
  const sent: string[][] = [];
  const watch = (client: pg.PoolClient): void => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    Object.assign(client, {
      query(...args: unknown[]) {
        const { statements } = args[0] as { statements?: { text: string }[] };
        if (statements)
          sent.push(statements.map(({ text }) => /^(savepoint|release|rollback to|insert|commit)/.exec(text)?.[0] ?? '…'));
        return query(...args);
      },
    });
    core.database.pool.once('release', () => Object.assign(client, { query }));
  };
  core.database.pool.once('acquire', watch);
  await core.database.withTenant(a, async (tx) => {
    await tx.savepoint(async () => undefined);
    await expect(tx.savepoint(() => Promise.reject(new Error('nothing')))).rejects.toThrow('nothing');
    const unsent = tx.savepoint(async () => {
      tx.db.later(put(a, 'never sent'));
      throw new Error('no');
    });
    await expect(unsent).rejects.toThrow('no');
    await tx.savepoint(() => tx.db.run(put(a, 'one')));
    const nested = (): Promise<unknown> => tx.savepoint(() => tx.db.run(put(a, 'two')));
    await tx.savepoint(nested);
    await expect(tx.savepoint(() => tx.db.run(put(a, 'two')))).rejects.toMatchObject({ code: '23505' });
  });
  expect(sent).toEqual([
    ['…', '…', 'savepoint', 'insert'],
    ['release', 'savepoint', 'savepoint', 'insert'],
    ['release', 'release', 'savepoint', 'insert'],
    ['rollback to', 'release', 'commit'],
  ]);
  expect(await plugins(a)).toEqual(expect.arrayContaining(['one', 'two']));
});

test('what is written later comes in the order of the calls, with the next statement or the commit', async () => {
  await core.database.withTenant(b, async ({ db }) => {
    db.later(put(b, 'first'));
    db.later(sql`update core_setting set plugin = 'second' where tenant_id = ${b} and plugin = 'first'`);
    expect(await db.rows(sql`select plugin from core_setting`)).toEqual([{ plugin: 'second' }]);
    db.later(put(b, 'third'));
  });
  expect(await plugins(b)).toEqual(['second', 'third']);
});

test('a late write that fails takes the whole transaction with it', async () => {
  await expect(
    core.database.withTenant(b, async ({ db }) => {
      await db.run(put(b, 'gone'));
      db.later(put(b, 'second'));
    }),
  ).rejects.toMatchObject({ code: '23505' });
  await expect(
    core.database.withTenant(b, async ({ db }) => {
      db.later(put(b, 'gone'));
      db.later(sql`update core_setting set plugin = ${{ toJSON: () => 1n }} where tenant_id = ${b}`);
    }),
  ).rejects.toThrow('BigInt');
  expect(await plugins(b)).toEqual(['second', 'third']);
});

test('a transaction that a swallowed failure has spoilt is not taken for a committed one', async () => {
  await expect(
    core.database.withTenant(b, async ({ db }) => {
      await db.run(put(b, 'spoilt'));
      await db.rows(sql`select 1/0`).catch(() => undefined);
    }),
  ).rejects.toThrow('it was rolled back');
  expect(await plugins(b)).not.toContain('spoilt');
});

test('a statement that was not awaited never runs in the next unit of work', async () => {
  let late: Promise<unknown> | undefined;
  await core.database.withTenant(a, async ({ db }) => {
    await db.rows(sql`select 1`);
    late = new Promise((resolve) => setTimeout(resolve, 20)).then(() => db.run(put(a, 'late')));
    late.catch(() => undefined);
  });
  await expect(late).rejects.toThrow('not awaited');
});

test('what is asked for and not awaited when the work fails is never sent', async () => {
  let late: Promise<unknown> | undefined;
  for (const readOnly of [false, true]) {
    await expect(
      core.database.withTenant(
        a,
        async ({ db }) => {
          late = db.rows(readOnly ? sql`select 1` : sql`with w as (${put(a, 'late')} returning 1) select * from w`);
          late.catch(() => undefined);
          throw new Error('changed my mind');
        },
        { readOnly },
      ),
    ).rejects.toThrow('changed my mind');
    await expect(late).rejects.toThrow('not awaited');
  }
  expect(await plugins(a)).not.toContain('late');
});

test('simultaneous statements are sent together; the first failure fails all behind it', async () => {
  const outcomes = await core.database.withTenant(
    a,
    ({ db }) =>
      Promise.allSettled([db.rows(sql`select 1 as n`), db.rows(sql`select 1/0`), db.rows(sql`select 3`), db.run(sql`select 4`)]),
    { readOnly: true },
  );
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as { code: string }).code))).toEqual([
    [{ n: 1 }],
    '22012',
    '22012',
    '22012',
  ]);
  await core.database.withTenant(a, async ({ db }) => {
    const [n, , seen] = await Promise.all([
      db.run(put(a, 'together')),
      db.run(sql`update core_setting set plugin = 'as-one' where tenant_id = ${a} and plugin = 'together'`),
      db.rows(sql`select plugin from core_setting where plugin = 'as-one'`),
    ]);
    expect([n, seen]).toEqual([1, [{ plugin: 'as-one' }]]);
  });
});

test('a statement is prepared once a connection, and again where it could not be', async () => {
  for (let i = 0; i < 30; i++) {
    const rows = await core.database.withTenant(
      a,
      async ({ db }) => [
        ...(await db.rows(sql`select ${i}::int8 as n, ${null}::text as empty, ${['x', 'y']}::text[] as list`)),
        ...(await db.rows(sql`select ${JSON.stringify({ i })}::jsonb as json where ${i} % 2 = 0`)),
      ],
      { readOnly: true },
    );
    expect(rows).toEqual([{ n: i, empty: null, list: ['x', 'y'] }, ...(i % 2 === 0 ? [{ json: { i } }] : [])]);
    await expect(
      core.database.withTenant(a, ({ db }) => db.rows(sql`select ${i}::int4 as twice from no_such_table`)),
    ).rejects.toMatchObject({ code: '42P01' });
  }
});

test('behind a pooler each unit of work makes its own settings and prepares nothing by name', async () => {
  const pooled = await coreDatabase({ max: 1, pooled: true });
  try {
    const tenant = await pooled.tenant('session-pooled');
    const outside = async (): Promise<unknown> =>
      (
        await pooled.database.pool.query(
          "select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement",
        )
      ).rows;
    const before = await outside();
    const settings = sql`select current_setting('lock_timeout') as lock, current_setting('statement_timeout') as statement,
      current_setting('idle_in_transaction_session_timeout') as idle, current_setting('timezone') as zone`;
    for (const readOnly of [true, false])
      for (let round = 0; round < 12; round++)
        expect(await pooled.database.withTenant(tenant, ({ db }) => db.first(settings), { readOnly })).toEqual({
          lock: '3s',
          statement: '5s',
          idle: '10s',
          zone: 'UTC',
        });
    expect(await pooled.database.withPlatform(({ db }) => db.first(settings))).toMatchObject({ lock: '3s', statement: '5s' });
    expect(await outside()).toEqual(before);
    expect(before).toEqual([{ lock: '0', statement: '0' }]);
    expect((await pooled.database.pool.query('select count(*)::int as n from pg_prepared_statements')).rows).toEqual([{ n: 0 }]);
  } finally {
    await pooled.close();
  }
});

test('a connection isn’t used again while a cancellation can still reach it', async () => {
  const sockets: Socket[] = [];
  // Takes the request and never acknowledges it.
  const silent = createServer((socket) => void sockets.push(socket));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const backend = sql`select pg_backend_pid() as pid`;
  let used: number | undefined;
  const unit = core.database.withTenant(a, async ({ db, session }) => {
    used = (await db.first<{ pid: number }>(backend))?.pid;
    const { client } = session as unknown as { client: object };
    Object.assign(client, { host: '127.0.0.1', port });
    void db.rows(sql`select pg_sleep(1)`).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    throw new Error('changed my mind');
  });
  await expect(unit).rejects.toThrow('changed my mind');
  expect(sockets.length).toBeGreaterThan(0);
  const pids = await Promise.all(
    Array.from({ length: 4 }, () =>
      core.database.withTenant(a, async ({ db }) => (await db.first<{ pid: number }>(backend))?.pid),
    ),
  );
  expect(used).toBeTypeOf('number');
  expect(pids).not.toContain(used);
  for (const socket of sockets) socket.destroy();
  silent.close();
});
