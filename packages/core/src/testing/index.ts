export { type BadInputReport, badInputs } from './bad-input.ts';
export { createDatabase, type Template, type TestDatabase } from './database.ts';
export { TestClient, type TestResponse } from './http.ts';
export { fingerprint, type IsolationReport, isolationFaults } from './isolation.ts';
export type { TestPlugin } from './plugins.ts';
export { schemaFaults, tenancyFaults } from './schema-check.ts';
export { startTestServer, type TestServer } from './server.ts';
export { TestClock, type TestShop, type TestShopOptions, type TestTenant, testShop } from './shop.ts';
