import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const conditions = ['storeloom-source'];
const folders = '{packages,plugins,examples}/*/{src,test}';

const olderPostgres = process.env.STORELOOM_TEST_PG === '15';

/**
 * Tests with their own processes take longest and mostly wait, so they start first. The others follow by known duration, otherwise by
 * size.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const whole = (file: TestSpecification): boolean => file.moduleId.startsWith(`${import.meta.dirname}/test/`);
    return [...sorted.filter(whole), ...sorted.filter((file) => !whole(file))];
  }
}

const shared = {
  environment: 'node' as const,
  pool: 'threads' as const,
  isolate: false,
  // A test file that leaves a handle open must fail instead of hanging the run.
  teardownTimeout: 20_000,
  // Many tests wait for a clock or another process: three parallel files keep two cores busy.
  maxWorkers: 3,
};

/**
 * Tests whose result doesn't depend on the PostgreSQL version: the launcher's tests always start the embedded one; the others cover
 * processes, sign-in, keys and documents.
 */
const sameOnEveryPostgres = [
  'packages/embedded-postgres/src/**',
  'test/openapi.db.test.ts',
  'test/plugin-states.db.test.ts',
  'test/drain.db.test.ts',
  'test/lifecycle.db.test.ts',
  'test/kill.db.test.ts',
  'test/webhooks-kill.db.test.ts',
  'test/sign-in.db.test.ts',
  'test/keys.db.test.ts',
  // Each plugin's contract test covers both versions.
  'test/isolation.db.test.ts',
  'test/bad-input.db.test.ts',
  'test/access.db.test.ts',
  'test/threats.db.test.ts',
  'test/markup.db.test.ts',
  'test/guesses.db.test.ts',
  'test/observability.db.test.ts',
  'plugins/webhooks/src/receivers.db.test.ts',
  'plugins/identity/src/external-*.db.test.ts',
  'plugins/identity/src/session/throttle.db.test.ts',
  'plugins/identity/src/second-factor/two-factor*.db.test.ts',
  'test/license-cli.db.test.ts',
  'test/registry.db.test.ts',
  'test/registry-readme.db.test.ts',
  'test/registry-tool.db.test.ts',
  'test/examples.db.test.ts',
  'test/verticals.db.test.ts',
];

/** Two projects: `unit` without a database, `db` with one PostgreSQL per run (URL in TEST_DATABASE_URL). */
export default defineConfig({
  resolve: { conditions },
  // For imports of the global set-up; `ssr` is for those of the tests.
  environments: { __vitest__: { resolve: { conditions } } },
  ssr: { resolve: { conditions, externalConditions: ['node'] } },
  test: {
    slowTestThreshold: 5000,
    // The default of one second is too short on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          ...shared,
          name: 'unit',
          setupFiles: ['./tools/test-seed.ts'],
          include: [`${folders}/**/*.test.ts`, 'tools/**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/*.db.test.ts'],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          ...shared,
          name: 'db',
          include: [`${folders}/**/*.db.test.ts`, 'test/**/*.db.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', ...(olderPostgres ? sameOnEveryPostgres : [])],
          globalSetup: ['./packages/testing/src/setup.ts'],
          setupFiles: ['./tools/test-identity.ts', './tools/test-seed.ts'],
          // Only ends hanging tests: durations vary on a busy machine.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
