import { defineConfig } from '@storeloom/core';

/** The installation of `bench/hotel.ts`. */
export default defineConfig({
  plugins: ['@storeloom/plugin-hotel'],
  demo: [
    {
      slug: 'bench',
      name: 'Bench',
      host: 'bench.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
    },
  ],
});
