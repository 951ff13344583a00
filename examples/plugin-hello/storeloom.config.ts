import { defineConfig } from '@storeloom/core';

/** A shop to try the plugin in. The foundation plugins come by themselves; list others that it works with. */
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
