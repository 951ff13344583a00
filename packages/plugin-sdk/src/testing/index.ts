export {
  badInputs,
  fingerprint,
  isolationFaults,
  schemaFaults,
  TestClient,
  TestClock,
  type TestPlugin,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  tenancyFaults,
  testShop,
} from '@storeloom/core/testing';
export { type ContractTestOptions, contractTest } from './contract-test.ts';
