export { startTestCluster, type TestCluster } from './cluster.ts';
export { createDatabase, type Template, type TestDatabase } from './database.ts';
