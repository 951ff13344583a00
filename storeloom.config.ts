import { defineConfig } from '@storeloom/core';
import { seedShop } from './demo/seed.ts';

/** The repository itself is an installation: what an online shop needs, and two demo shops. Verticals are not in it. */
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
      seed: seedShop(new URL('./demo/nord/', import.meta.url)),
    },
    {
      slug: 'casa',
      name: 'Casa Luminii',
      host: 'casa.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      seed: seedShop(new URL('./demo/casa/', import.meta.url)),
    },
  ],
});
