import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withDatabase } from '@storeloom/embedded-postgres';
import { startTestCluster, type TestCluster } from '@storeloom/embedded-postgres/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fillShop, fingerprint, query, tenants } from '../test/shop.ts';
import { dataPath, listSnapshots, pruneSnapshots, readRecord, recordFile, type SnapshotRecord } from './record.ts';
import { createSnapshot, restoreSnapshot, rowsWrittenSince, verifySnapshot } from './snapshot.ts';

/** `pg_dump` of Debian's PostgreSQL 15, which reads no newer server. */
const installed = existsSync('/usr/lib/postgresql/15/bin/pg_dump');

describe.skipIf(!installed)('a dump', () => {
  let cluster: TestCluster;
  let url: string;
  let folder: string;
  let made = 0;
  const source = () => ({ url, dataDir: '/nowhere' });

  beforeAll(async () => {
    cluster = await startTestCluster('15');
  });
  afterAll(() => cluster?.stop());
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'storeloom-snapshots-'));
    const database = `shop_${++made}`;
    await query(cluster.ownerUrl, `create database ${database}`);
    url = withDatabase(cluster.ownerUrl, database);
    await fillShop(url);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const create = (): Promise<SnapshotRecord> => createSnapshot(source(), { folder, product: '1.0.0' });
  const databases = async (): Promise<string[]> => {
    const own = new URL(url).pathname.slice(1);
    const rows = await query<{ name: string }>(
      cluster.ownerUrl,
      `select datname::text as name from pg_database where datname = '${own}' or datname like '${own}\\_%' order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  test('contains the rows of all tenants, which the owner doesn’t see without asking, and says so in its record', async () => {
    const record = await create();
    expect(record).toMatchObject({ engine: 'dump', product: '1.0.0', postgres: expect.stringMatching(/^15\./) });
    expect(record.counts.find(({ table }) => table === 'public.good')).toEqual({
      table: 'public.good',
      rows: 500,
      tenants: { [tenants[0]]: 400, [tenants[1]]: 100 },
    });
    expect(record.counts.find(({ table }) => table === 'queue.job_open')).toEqual({
      table: 'queue.job_open',
      rows: 30,
      tenants: null,
    });
    expect(record.functionOwners).toEqual([{ function: 'good_count()', owner: 'storeloom_platform' }]);
    expect(listSnapshots(folder)).toMatchObject([{ id: record.id, engine: 'dump', rows: 592 }]);
    expect(statSync(join(folder, dataPath(record))).mode & 0o077).toBe(0);
    await verifySnapshot(source(), record.id, { folder });
    await verifySnapshot(source(), record.id, { folder, deep: true });
    expect(await databases()).toHaveLength(1);
  });

  test('has one state while others write: goods and their counter agree', async () => {
    await query(url, 'create table counter (n int not null); insert into counter values (0)');
    let writing = true;
    const writer = (async () => {
      for (let n = 1000; writing; n++)
        await query(
          url,
          `begin; insert into good (tenant_id, id, "order", name) values ('${tenants[0]}', ${n}, '-', 'new'); update counter set n = n + 1; commit`,
        );
    })();
    const record = await create();
    writing = false;
    await writer;
    const { keptAs } = await restoreSnapshot(source(), record.id, { folder });
    expect(keptAs).toMatch(/^shop_\d+_failed_\d{14}$/);
    const [state] = await query<{ goods: string; n: number }>(
      url,
      `select (select count(*) from good where id >= 1000) as goods, (select n from counter) as n`,
    );
    expect(Number(state?.goods)).toBe(state?.n);
  });

  test('is restored over a newer schema without a trace of it, with owners, policies and grants', async () => {
    const before = await fingerprint(url);
    const record = await create();
    await query(
      url,
      `create type colour as enum ('red'); create table shade (good_id int, tenant_id uuid, colour colour,
        foreign key (tenant_id, good_id) references good (tenant_id, id));
      create view shades as select g.name, s.colour from good g join shade s on s.good_id = g.id;
      alter table good add column weight int; update good set weight = 1; delete from good where id < 100;
      alter function good_count() owner to current_user`,
    );
    expect(await rowsWrittenSince(source(), record)).toEqual([]);
    await query(url, `insert into good (tenant_id, id, "order", name) values ('${tenants[1]}', 9000, '-', 'late')`);
    expect(await rowsWrittenSince(source(), record)).toEqual([{ table: 'public.good', rows: 1 }]);
    const { keptAs } = await restoreSnapshot(source(), record.id, { folder });
    expect(await fingerprint(url)).toBe(before);
    // The replaced database stays, with what was written since.
    const kept = withDatabase(url, keptAs ?? '');
    expect(await query(kept, 'select id from good where id = 9000')).toEqual([{ id: 9000 }]);
    expect(await query(url, 'select good_count()::int as n')).toEqual([{ n: 500 }]);
  });

  test('is restored in one transaction where the role can’t create databases', async () => {
    const before = await fingerprint(url);
    const record = await create();
    await query(url, 'create table later (id int); delete from good');
    await query(cluster.superuserUrl, 'alter role storeloom_owner nocreatedb');
    try {
      expect((await restoreSnapshot(source(), record.id, { folder })).keptAs).toBeNull();
      expect(await fingerprint(url)).toBe(before);
      // Fewer rows than the record says: nothing is committed.
      const counts = record.counts.map((count) =>
        count.table === 'queue.job_open' ? { ...count, rows: count.rows + 1 } : count,
      );
      writeFileSync(recordFile(folder, record.id), JSON.stringify({ ...record, counts }));
      await query(url, 'create table kept (id int)');
      await expect(restoreSnapshot(source(), record.id, { folder })).rejects.toThrow(/queue.job_open has not 31 rows/);
      expect(await query(url, `select to_regclass('kept') is not null as kept`)).toEqual([{ kept: true }]);
      expect(readdirSync(folder)).toHaveLength(2);
    } finally {
      await query(cluster.superuserUrl, 'alter role storeloom_owner createdb');
    }
  });

  test('is refused by its verification when cut, changed, of another database, or without rows of a tenant', async () => {
    const record = await create();
    const path = join(folder, dataPath(record));
    const whole = readFileSync(path);
    const refused = (message: RegExp) =>
      Promise.all([
        expect(verifySnapshot(source(), record.id, { folder })).rejects.toThrow(message),
        expect(restoreSnapshot(source(), record.id, { folder })).rejects.toThrow(message),
      ]);
    truncateSync(path, whole.length - 2000);
    await refused(/has \d+ bytes, not/);
    const flipped = Buffer.from(whole);
    flipped[Math.floor(whole.length / 2)]! ^= 1;
    writeFileSync(path, flipped);
    await refused(/was changed/);
    rmSync(path);
    await refused(/is missing/);
    // A dump of the same size and hash can't be forged here; one whose record claims more rows is one that lost them.
    writeFileSync(path, whole);
    const counts = record.counts.map((count) =>
      count.table === 'public.good' ? { ...count, rows: 501, tenants: { ...count.tenants, [tenants[1]]: 101 } } : count,
    );
    writeFileSync(recordFile(folder, record.id), JSON.stringify({ ...record, counts }));
    await expect(verifySnapshot(source(), record.id, { folder })).rejects.toThrow(/public.good has 500 rows, not 501/);
    const before = await fingerprint(url);
    await expect(restoreSnapshot(source(), record.id, { folder })).rejects.toMatchObject({
      code: 'snapshot_invalid',
      exitCode: 1,
    });
    expect(await fingerprint(url)).toBe(before);
    expect(await databases()).toHaveLength(1);
  });

  test('is not restored while a process is connected, which is named', async () => {
    const record = await create();
    const client = new pg.Client({ connectionString: url, application_name: 'storeloom' });
    await client.connect();
    await expect(restoreSnapshot(source(), record.id, { folder })).rejects.toMatchObject({
      code: 'database_busy',
      message: expect.stringContaining('storeloom (1)'),
    });
    await client.end();
    expect(await databases()).toHaveLength(1);
  });

  test('leaves nothing when it is interrupted', async () => {
    const stopping = new AbortController();
    const taking = createSnapshot(source(), { folder, signal: stopping.signal });
    setTimeout(() => stopping.abort(new Error('stopped')), 20);
    await expect(taking).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of the oldest is deleted beyond the number to keep, with remains of interrupted ones', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await create()).id);
    // Of one that is being written now, one of the day before yesterday, and files of others.
    for (const name of ['2026-01-02T00-00-00Z.partial', '2026-01-01T00-00-00Z.partial', 'customers.csv', 'site.json'])
      writeFileSync(join(folder, name), '');
    const old = new Date(Date.now() - 2 * 86_400_000);
    utimesSync(join(folder, '2026-01-01T00-00-00Z.partial'), old, old);
    expect(new Set(ids).size).toBe(3);
    expect(pruneSnapshots(folder, 2)).toEqual([[...ids].sort()[0]]);
    expect(readdirSync(folder)).toHaveLength(4 + 3);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['2026-01-02T00-00-00Z.partial', 'customers.csv', 'site.json']));
    expect(() => readRecord(folder, [...ids].sort()[0]!)).toThrow(/No snapshot/);
  });
});
