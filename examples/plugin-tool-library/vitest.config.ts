import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts'],
    // One PostgreSQL for the run: the embedded one, or the server of TEST_DATABASE_URL.
    globalSetup: ['@storeloom/testing/setup'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
