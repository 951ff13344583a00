export {
  TestClient,
  TestClock,
  type TestResponse,
  type TestShop,
  type TestShopOptions,
  type TestTenant,
  testShop,
} from '@storeloom/core/testing';
