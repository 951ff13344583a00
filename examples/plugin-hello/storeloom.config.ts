import { defineConfig } from '@storeloom/core';

/** A shop to try the plugin in. The foundation plugins are always loaded; list others that the plugin works with. */
export default defineConfig({
  plugins: ['.'],
  demo: [
    {
      slug: 'demo',
      name: 'Demo',
      host: 'demo.localhost',
      locales: ['en', 'ro'],
      currency: 'EUR',
      timezone: 'Europe/Bucharest',
    },
  ],
});
