import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase, type TestDatabase } from '@storeloom/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkDatabase } from './database.ts';
import { checkPackages } from './packages.ts';
import { checkRegistry } from './registry.ts';

describe('packages', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'storeloom-doctor-'));
    return () => rmSync(dir, { recursive: true, force: true });
  });
  const install = (at: string, name: string, manifest: object): void => {
    const folder = join(dir, at, 'node_modules', name);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name, version: '1.0.0', ...manifest }));
  };
  const uses = { peerDependencies: { '@storeloom/plugin-sdk': '^1.0.0' } };

  test('that find one copy of the SDK are fine', () => {
    install('.', '@storeloom/plugin-sdk', {});
    install('.', '@storeloom/plugin-hotel', uses);
    install('.', 'unscoped-plugin', uses);
    install('.', 'lodash', {});
    expect(checkPackages(dir)).toEqual([
      { check: 'packages', state: 'ok', message: '2 packages share one copy of @storeloom/plugin-sdk' },
    ]);
  });

  test('with a copy of their own are named', () => {
    install('.', '@storeloom/plugin-sdk', {});
    install('.', '@storeloom/plugin-hotel', uses);
    install('.', '@acme/plugin-loyalty', uses);
    install('node_modules/@acme/plugin-loyalty', '@storeloom/plugin-sdk', {});
    expect(checkPackages(dir)).toEqual([
      expect.objectContaining({
        state: 'error',
        message: expect.stringMatching(/2 copies .*\(@acme\/plugin-loyalty\).*\(@storeloom\/plugin-hotel\)/),
      }),
    ]);
  });
});

describe('the database', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database?.drop());

  test('whose functions all belong to the owner was restored without owners', async () => {
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(
      `create function one() returns int language sql security definer set search_path = pg_catalog as 'select 1'`,
    );
    expect(await checkDatabase(database.url)).toContainEqual(
      expect.objectContaining({ check: 'roles', state: 'error', fix: expect.stringContaining('rollback') }),
    );
    await client.query('drop function one()');
    await client.query(`create table core_installation (key text, value jsonb)`);
    expect((await checkDatabase(database.url)).map(({ check }) => check)).not.toContain('jobs');
    await client.query(`insert into core_installation values ('jobs.paused', '{"by": "Upgrade from 1 to 2"}')`);
    expect(await checkDatabase(database.url)).toContainEqual(
      expect.objectContaining({ check: 'jobs', state: 'warning', message: expect.stringContaining('Upgrade from 1 to 2') }),
    );
    await client.query('drop table core_installation');
    await client.end();
    expect((await checkDatabase(database.url)).filter(({ state }) => state === 'error')).toEqual([]);
  });
});

describe('the registry', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.headers.authorization === 'Bearer good') return response.writeHead(200).end('{}');
      return response
        .writeHead(403, { 'npm-notice': 'token_revoked: ask the operator for a new token' })
        .end('{"error": "token_revoked"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => server?.close());

  test('is quoted where it refuses, which package managers hide', async () => {
    expect(await checkRegistry(url, 'good')).toMatchObject([{ state: 'ok' }]);
    expect(await checkRegistry(url, 'bad')).toMatchObject([
      { state: 'error', message: expect.stringContaining('403: token_revoked: ask the operator') },
    ]);
    expect(await checkRegistry(undefined, undefined)).toMatchObject([{ state: 'error' }]);
    expect(await checkRegistry('http://127.0.0.1:1/', undefined)).toMatchObject([
      { message: expect.stringContaining("can't be reached") },
    ]);
  });
});
