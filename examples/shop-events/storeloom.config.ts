import { defineConfig } from '@storeloom/core';
import { seed } from './seed.ts';

export default defineConfig({
  plugins: [
    '@storeloom/plugin-events',
    '@storeloom/plugin-payments',
    '@storeloom/plugin-taxes',
    '@storeloom/plugin-promotions',
    // What promotions needs.
    '@storeloom/plugin-catalog',
  ],
  demo: [
    {
      slug: 'events',
      name: 'Depoul de tramvaie',
      host: 'events.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      // Rates of VAT and ways to pay; the card one waits for the keys of its provider.
      seeds: ['taxes', 'payments'],
      seed,
    },
  ],
});
