import { defineConfig } from '@storeloom/core';
import { seed } from './seed.ts';

export default defineConfig({
  plugins: [
    '@storeloom/plugin-hotel',
    // Guests buy a stay through the cart.
    '@storeloom/plugin-catalog',
    '@storeloom/plugin-orders',
    '@storeloom/plugin-payments',
    '@storeloom/plugin-checkout',
    '@storeloom/plugin-taxes',
  ],
  demo: [
    {
      slug: 'hotel',
      name: 'Hotel La Tei',
      host: 'hotel.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      // VAT rates. The seed creates the payment method.
      seeds: ['taxes'],
      seed,
    },
  ],
});
