export { type BadInputReport, badInputs } from './bad-input.ts';
export { startTestCluster, type TestCluster } from './cluster.ts';
export { crowd, repeatedUnits, runJob, tally } from './crowd.ts';
export { createDatabase, type Template, type TestDatabase } from './database.ts';
export { TestClient, type TestResponse } from './http.ts';
export { fingerprint, type IsolationReport, isolationFaults } from './isolation.ts';
export { type LeakOptions, type LeakReport, type LeakRequest, leakFaults } from './leaks.ts';
export { schemaFaults, tenancyFaults } from './schema-check.ts';
export { TestClock, type TestShop, type TestShopOptions, type TestTenant, testShop } from './shop.ts';
