export {
  badInputs,
  fingerprint,
  isolationFaults,
  type LeakOptions,
  type LeakReport,
  type LeakRequest,
  leakFaults,
  schemaFaults,
  TestClient,
  TestClock,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  tenancyFaults,
  testShop,
} from '@storeloom/core/testing';
export { type ContractTestOptions, contractTest } from './contract-test.ts';
export { type LeakTestOptions, leakTest } from './leak-test.ts';
