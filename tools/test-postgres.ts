import { startTestCluster } from '../packages/core/src/testing/cluster.ts';

/** Global set-up of vitest's `db` project: one PostgreSQL a run, known to the tests by its URL. */
export default async function setup(): Promise<() => Promise<void>> {
  const cluster = await startTestCluster();
  process.env.TEST_DATABASE_URL = cluster.ownerUrl;
  process.env.TEST_SUPERUSER_URL = cluster.superuserUrl;
  return () => cluster.stop();
}
