import { defineConfig } from '@storeloom/core';
import { seed } from './seed.ts';

export default defineConfig({
  plugins: ['@storeloom/plugin-hotel'],
  demo: [
    {
      slug: 'hotel',
      name: 'Hotel La Tei',
      host: 'hotel.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      seeds: [],
      seed,
    },
  ],
});
