import { defineConfig } from 'vitest/config';

const conditions = ['storeloom-source'];
const folders = '{packages,plugins,examples}/*/{src,test}';

const olderPostgres = process.env.STORELOOM_TEST_PG === '15';

const shared = {
  environment: 'node' as const,
  pool: 'threads' as const,
  isolate: false,
  // A test file that leaves something open must fail, not hang the run.
  teardownTimeout: 20_000,
  // Half of a run waits for the database or a clock, so that two files at once share two cores well.
  maxWorkers: 2,
};

/**
 * The launcher's own tests start the embedded PostgreSQL, whatever the run's is; the others are about processes, sign-in, keys and
 * documents, where nothing depends on its version.
 */
const sameOnEveryPostgres = [
  'packages/core/src/embedded/**',
  'test/openapi.db.test.ts',
  'test/plugin-states.db.test.ts',
  'test/drain.db.test.ts',
  'test/lifecycle.db.test.ts',
  'test/kill.db.test.ts',
  'test/webhooks-kill.db.test.ts',
  'test/sign-in.db.test.ts',
  'test/keys.db.test.ts',
  'test/license-cli.db.test.ts',
  'test/registry.db.test.ts',
];

/** Two projects: `unit` needs nothing, `db` gets one PostgreSQL for the run (its URL is TEST_DATABASE_URL). */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['node'] } },
  test: {
    slowTestThreshold: 5000,
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          include: [`${folders}/**/*.test.ts`, 'tools/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.db.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'db',
          include: [`${folders}/**/*.db.test.ts`, 'test/**/*.db.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', ...(olderPostgres ? sameOnEveryPostgres : [])],
          globalSetup: ['./tools/test-postgres.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});
