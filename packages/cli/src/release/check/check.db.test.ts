import { createDatabase, type TestDatabase } from '@storeloom/testing';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFacts } from '../apply/database.ts';
import { databaseFindings, diskFinding } from './check.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database?.drop());

const states = (findings: readonly { check: string; state: string }[]): string[] =>
  findings.map(({ check, state }) => `${check} ${state}`);
const target = { version: '2.0.0', postgres: '>=15' };

test('facts of the server pass; an old transaction, an old server and a wrong clock are named', async () => {
  const facts = await databaseFacts(database.url);
  expect(facts).toMatchObject({ old: [], bytes: expect.any(Number), major: expect.any(Number) });
  expect(Math.abs(facts.ahead)).toBeLessThan(10_000);
  expect(states(databaseFindings(facts, target))).toEqual(['transactions ok', 'postgres ok']);
  expect(states(databaseFindings(facts, { ...target, postgres: '>=99' }))).toEqual(['transactions ok', 'postgres error']);
  const old = [{ pid: 7, application: 'report', seconds: 420 }];
  const [finding] = databaseFindings({ ...facts, old }, undefined);
  expect(finding).toMatchObject({
    state: 'error',
    message: expect.stringContaining('7 of report has had a transaction open for 7 minutes'),
  });
  expect(databaseFindings({ ...facts, ahead: -61_000 }, undefined).at(-1)).toMatchObject({
    state: 'warning',
    message: expect.stringContaining('61 s behind'),
  });
});

test('a transaction counts by its age', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select 1');
    expect((await databaseFacts(database.url)).old).toEqual([]);
  } finally {
    await client.end();
  }
});

test('the disk must hold two and a half times the database', () => {
  expect(diskFinding({ bytes: 400 }, 1000, '/x').state).toBe('ok');
  expect(diskFinding({ bytes: 401 }, 1000, '/x')).toMatchObject({
    state: 'error',
    fix: expect.stringContaining('snapshot prune'),
  });
});
