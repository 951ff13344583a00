import { defineConfig } from '@storeloom/core';
import { seed } from './seed.ts';

export default defineConfig({
  plugins: ['@storeloom/plugin-restaurant', '@storeloom/plugin-taxes'],
  demo: [
    {
      slug: 'restaurant',
      name: 'Cuptorul din Colț',
      host: 'restaurant.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      // Rates of VAT.
      seeds: ['taxes'],
      seed,
    },
  ],
});
