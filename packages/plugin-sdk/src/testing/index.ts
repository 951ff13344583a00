export {
  badInputs,
  crowd,
  fingerprint,
  isolationFaults,
  type LeakOptions,
  type LeakReport,
  type LeakRequest,
  leakFaults,
  repeatedUnits,
  runJob,
  schemaFaults,
  TestClient,
  TestClock,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  tally,
  tenancyFaults,
  testShop,
} from '@storeloom/core/testing';
export { type ContractTestOptions, contractTest } from './contract-test.ts';
export { type LeakTestOptions, leakTest } from './leak-test.ts';
