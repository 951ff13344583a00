export { folderOfClusters, startTestCluster, type TestCluster } from './cluster.ts';
export { createDatabase, type Template, type TestDatabase, type TestDatabaseOptions } from './database.ts';
export { startTestServer, type TestServer, type TestServerOptions } from './server.ts';
