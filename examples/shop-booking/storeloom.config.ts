import { defineConfig } from '@storeloom/core';
import { seed } from './seed.ts';

export default defineConfig({
  plugins: ['@storeloom/plugin-booking', '@storeloom/plugin-payments'],
  demo: [
    {
      slug: 'booking',
      name: 'Clinica Pas cu Pas',
      host: 'booking.localhost',
      locales: ['ro', 'en'],
      currency: 'RON',
      timezone: 'Europe/Bucharest',
      // Ways to pay; the card one waits for the keys of its provider.
      seeds: ['payments'],
      seed,
    },
  ],
});
