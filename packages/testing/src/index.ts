export type { Template, TestDatabase } from '@storeloom/embedded-postgres/testing';
export { type BadInputReport, badInputs } from './conformance/bad-input.ts';
export { type ContractTestOptions, contractTest } from './conformance/contract-test.ts';
export { fingerprint, type IsolationReport, isolationFaults } from './conformance/isolation.ts';
export { tenancyFaults } from './conformance/schema.ts';
export { must, patiently } from './crowd/answers.ts';
export { crowd, repeatedUnits, runJob, tally } from './crowd/crowd.ts';
export { createDatabase } from './database.ts';
export { fileStoreTest } from './files/file-store-test.ts';
export { type LeakTestOptions, leakTest } from './leaks/leak-test.ts';
export { type LeakOptions, type LeakReport, type LeakRequest, leakFaults } from './leaks/leaks.ts';
export { mailSources, sentCalendars, sentMails } from './mail/mails.ts';
export {
  cashOnDelivery,
  type FilledCart,
  filledCart,
  type PlacedOrder,
  placedOrder,
  postalAddress,
  sellableProduct,
} from './selling/selling.ts';
export { TestClient, type TestResponse } from './shop/client.ts';
export type { TestPlugin } from './shop/plugins.ts';
export { TestClock, type TestShop, type TestShopOptions, type TestTenant, testShop } from './shop/shop.ts';
