import { defineConfig } from '@storeloom/core';

export default defineConfig({
  plugins: ['.'],
  demo: [
    {
      slug: 'tools',
      name: 'Tools',
      host: 'tools.localhost',
      locales: ['en', 'ro'],
      currency: 'EUR',
      timezone: 'Europe/Bucharest',
    },
  ],
});
