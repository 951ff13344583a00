import { defineConfig } from '@storeloom/core';
import { seedShop } from './demo/seed.ts';

/** What a shop that sells goods begins with. The verticals are on and empty: their shops are in examples/. */
const retail = ['content', 'customers', 'inventory', 'currencies', 'promotions', 'taxes', 'shipping', 'payments', 'checkout'];

/** The repository itself is an installation: every plugin that is built, and two demo shops. */
export default defineConfig({
  plugins: [
    '@storeloom/plugin-catalog',
    '@storeloom/plugin-search',
    '@storeloom/plugin-inventory',
    '@storeloom/plugin-currencies',
    '@storeloom/plugin-promotions',
    '@storeloom/plugin-taxes',
    '@storeloom/plugin-shipping',
    '@storeloom/plugin-payments',
    '@storeloom/plugin-orders',
    '@storeloom/plugin-checkout',
    '@storeloom/plugin-data-exchange',
    '@storeloom/plugin-booking',
    '@storeloom/plugin-events',
    '@storeloom/plugin-hotel',
    '@storeloom/plugin-restaurant',
    '@storeloom/plugin-example-hello',
  ],
  demo: [
    {
      slug: 'nord',
      name: 'Nord Atelier',
      host: 'nord.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      seeds: retail,
      seed: seedShop(new URL('./demo/nord/', import.meta.url)),
    },
    {
      slug: 'casa',
      name: 'Casa Luminii',
      host: 'casa.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      seeds: retail,
      seed: seedShop(new URL('./demo/casa/', import.meta.url)),
    },
  ],
});
