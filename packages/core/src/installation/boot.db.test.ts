import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '@storeloom/keys';
import { sql } from '@storeloom/plugin-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CoreDatabase, coreDatabase } from '../../test/core-database.ts';
import { readConfig } from '../config.ts';
import { prepare } from './boot.ts';
import { claimInstallation, readInstallationRecord } from './installation-record.ts';

let core: CoreDatabase;
const folders: string[] = [];
const dataDir = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'storeloom-boot-'));
  folders.push(folder);
  return folder;
};
const open = (folder: string) =>
  prepare(
    readConfig({ STORELOOM_ENV: 'development', STORELOOM_DATA: folder, DATABASE_URL: core.ownerUrl, PORT: '0' }),
    { dir: process.cwd(), plugins: [], demo: [] },
    { logLevel: 'fatal', importModule: () => Promise.reject(new Error('no plugin in this test')) },
  );

beforeAll(async () => {
  core = await coreDatabase();
});
afterAll(async () => {
  await core.close();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

test('only a ready plugin has tables: for others the error has state and reason', async () => {
  const prepared = await open(dataDir());
  expect(() => prepared.tablesOf('identity')).toThrow(
    /^The plugin identity is failed\.\nimport_failed {2}identity [\d.]+ can't be imported\n[\s\S]*why +no plugin in this test/,
  );
  expect(() => prepared.tablesOf('hotl')).toThrow(/^No plugin is named hotl\. The installation has .*identity/);
});

test('the mail transport is closed with the kernel, after the last e-mail, and where the boot fails', async () => {
  const closed: string[] = [];
  const own = await coreDatabase();
  const opening = prepare(
    readConfig({ STORELOOM_ENV: 'development', STORELOOM_DATA: dataDir(), DATABASE_URL: own.ownerUrl, PORT: '0' }),
    { dir: process.cwd(), plugins: [], demo: [] },
    {
      logLevel: 'fatal',
      importModule: () => Promise.reject(new Error('no plugin in this test')),
      drivers: { mail: async () => ({ send: async () => undefined, close: async () => void closed.push('mail') }) },
    },
  );
  try {
    const prepared = await opening;
    await prepared.migrate();
    const kernel = await prepared.start({ port: 0, host: '127.0.0.1', workers: false });
    expect(closed).toEqual([]);
    await Promise.all([kernel.stop(), kernel.stop()]);
    expect(closed).toEqual(['mail']);
    await expect(prepared.start({ port: 0, host: 'no-such-host.invalid', workers: false })).rejects.toThrow();
    expect(closed).toEqual(['mail', 'mail']);
  } finally {
    await own.close();
  }
});

test('a database belongs to the first data directory that starts on it; a new one beside it stops the boot', async () => {
  expect(await readInstallationRecord(core.ownerUrl)).toEqual({ id: undefined, plugins: undefined });
  const own = dataDir();
  const first = await open(own);
  // Two simultaneous first starts: one claims, and both get the result.
  const claims = await Promise.all([
    claimInstallation(core.ownerUrl, first.dataDir.secrets.installation),
    claimInstallation(core.ownerUrl, randomUUID()),
  ]);
  expect(new Set(claims).size).toBe(1);
  await core.database.withPlatform((tx) =>
    tx.db.run(
      sql`update core_installation set value = to_jsonb(${first.dataDir.secrets.installation}::text) where key = 'installation'`,
    ),
  );

  await expect(open(own)).resolves.toBeDefined();
  const lost = open(dataDir());
  await expect(lost).rejects.toThrow(ConfigError);
  await expect(lost).rejects.toThrow(/Restore the data directory/);
  // A process prepared before another one claimed the database doesn't start either.
  await core.database.withPlatform((tx) =>
    tx.db.run(sql`update core_installation set value = to_jsonb(${randomUUID()}::text) where key = 'installation'`),
  );
  await expect(first.start()).rejects.toThrow(ConfigError);
});

test('what was let in at the last start is what an expired licence lets go on, also what failed once', async () => {
  await core.database.withPlatform((tx) =>
    tx.db.run(sql`insert into core_plugin_state (name, package, version, state, updated_at) values
      ('catalog', '@storeloom/plugin-catalog', '1.0.0', 'ready', now()), ('search', '@storeloom/plugin-search', '1.0.0', 'failed', now()), ('hotel', '@storeloom/plugin-hotel', '1.0.0', 'unlicensed', now())`),
  );
  expect((await readInstallationRecord(core.ownerUrl)).plugins).toEqual(new Set(['catalog', 'search']));
});
