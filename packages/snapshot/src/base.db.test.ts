import { chmodSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type EmbeddedDatabase, embeddedCluster, startEmbedded } from '@storeloom/embedded-postgres';
import { folderOfClusters } from '@storeloom/embedded-postgres/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillShop, fingerprint, query, tenants } from '../test/shop.ts';
import { dataPath, type SnapshotRecord, writeRecord } from './record.ts';
import { createSnapshot, restoreSnapshot, rowsWrittenSince, verifySnapshot } from './snapshot.ts';

const log = { info: () => undefined, warn: () => undefined, error: (line: string) => console.error(line) };
let base: string;
let dataDir: string;
let folder: string;
let server: EmbeddedDatabase | undefined;

const start = async (): Promise<string> => {
  server = await startEmbedded({ dataDir, log });
  return server.ownerUrl;
};
const stop = async (): Promise<void> => {
  await server?.stop();
  server = undefined;
};

beforeAll(async () => {
  base = mkdtempSync(join(folderOfClusters(), 'storeloom-base-'));
  chmodSync(base, 0o711);
  dataDir = join(base, 'data');
  folder = join(base, 'snapshots');
  await fillShop(await start());
});
afterAll(async () => {
  await stop();
  rmSync(base, { recursive: true, force: true });
});

const source = () => ({ dataDir });
let record: SnapshotRecord;

test('a snapshot of the running embedded database has one state while others write', async () => {
  const url = server!.ownerUrl;
  await query(url, 'create table counter (n int not null); insert into counter values (0)');
  let acknowledged = 0;
  let writing = true;
  const writer = (async () => {
    for (let n = 1000; writing; n++) {
      await query(
        url,
        `begin; insert into good (tenant_id, id, "order", name) values ('${tenants[0]}', ${n}, '-', 'new'); update counter set n = n + 1; commit`,
      );
      acknowledged++;
    }
  })();
  while (acknowledged < 3) await new Promise((resolve) => setTimeout(resolve, 10));
  const before = acknowledged;
  record = await createSnapshot(source(), { folder, product: '1.0.0' });
  writing = false;
  await writer;
  const goods = record.counts.find(({ table }) => table === 'public.good');
  expect(goods?.rows).toBeGreaterThanOrEqual(500 + before);
  expect(goods?.tenants?.[tenants[1]]).toBe(100);
  expect(record).toMatchObject({ engine: 'base', postgres: expect.stringMatching(/^18\./), database: 'storeloom' });
  await verifySnapshot(source(), record.id, { folder });
  expect(readdirSync(embeddedCluster(dataDir).place).filter((name) => name.startsWith('scratch'))).toEqual([]);
});

test('is restored in place of the stopped cluster, which is kept; a running one is refused', async () => {
  const url = server!.ownerUrl;
  await query(
    url,
    `insert into good (tenant_id, id, "order", name) values ('${tenants[1]}', 99000, '-', 'late'); create table later (id int)`,
  );
  expect(await rowsWrittenSince(source(), record)).toContainEqual({ table: 'public.good', rows: expect.any(Number) });
  await expect(restoreSnapshot(source(), record.id, { folder })).rejects.toMatchObject({ code: 'database_busy' });
  await stop();
  // Without a running server, one is started for the count.
  expect(await rowsWrittenSince(source(), record)).toContainEqual({ table: 'public.good', rows: expect.any(Number) });
  const { keptAs } = await restoreSnapshot(source(), record.id, { folder });
  expect(readdirSync(keptAs!)).toContain('PG_VERSION');
  const again = await start();
  expect(await query(again, `select count(*)::int as n from good where id = 99000`)).toEqual([{ n: 0 }]);
  expect(await query(again, `select to_regclass('later') as later`)).toEqual([{ later: null }]);
  const [state] = await query<{ goods: string; n: number }>(
    again,
    `select (select count(*) from good where id >= 1000) as goods, (select n from counter) as n`,
  );
  expect(Number(state?.goods)).toBe(state?.n);
  expect(await query(again, 'select good_count()::int > 500 as all')).toEqual([{ all: true }]);
});

test('of a stopped database is taken too, and equals it', async () => {
  const before = await fingerprint(server!.ownerUrl);
  await stop();
  const cold = await createSnapshot(source(), { folder });
  expect(embeddedCluster(dataDir).running).toBeUndefined();
  await restoreSnapshot(source(), cold.id, { folder });
  expect(await fingerprint(await start())).toBe(before);
});

test('is refused by its verification when a file is cut, also if the record was made of the cut one', async () => {
  const cluster = join(folder, dataPath(record));
  const [{ path }] = (await query<{ path: string }>(server!.ownerUrl, `select pg_relation_filepath('good') as path`)) as [
    { path: string },
  ];
  const file = record.files.find((stored) => stored.path === join(dataPath(record), path))!;
  expect(file.size).toBeGreaterThan(8192 * 4);
  // Whole pages are cut off: the server reads the rest without an error.
  truncateSync(join(cluster, path), 8192 * 2);
  await expect(verifySnapshot(source(), record.id, { folder })).rejects.toThrow(/has 16384 bytes, not/);
  await expect(restoreSnapshot(source(), record.id, { folder })).rejects.toMatchObject({ code: 'snapshot_invalid' });
  const { describeFiles } = await import('./files.ts');
  writeRecord(folder, { ...record, files: await describeFiles(folder, cluster) });
  await expect(verifySnapshot(source(), record.id, { folder })).rejects.toMatchObject({ code: 'snapshot_invalid' });
});
