import { readFileSync } from 'node:fs';
import { getConstructionPlans } from 'pg-boss';
import { expect, test } from 'vitest';
import { schema } from './queues.ts';

const file = readFileSync(new URL('../../migrations/0010_jobs.sql', import.meta.url), 'utf8');

test('the migration makes the tables that the installed pg-boss expects', () => {
  const plan = getConstructionPlans(schema);
  const tables = plan.slice(plan.indexOf('CREATE SCHEMA'), plan.lastIndexOf('COMMIT;')).trim();
  expect(tables.length).toBeGreaterThan(10_000);
  // After an update of pg-boss: leave the file as it is, add a migration from its getMigrationPlans('jobs', 46), and compare with both.
  expect(file).toContain(tables);
});

test('it has no transaction of its own', () => {
  expect(file).not.toMatch(/^\s*(BEGIN|COMMIT)\s*;/im);
});
