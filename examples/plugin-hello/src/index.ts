import { definePlugin, migrations } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { greeting } from './greeting.ts';
import { settings } from './settings.ts';
import { hello } from './storefront.ts';

/** The table of contents: every contribution of the plugin is named here, so that the kernel reads it without running the plugin. */
export default definePlugin({
  name: 'example-hello',
  settings,
  migrations: migrations(import.meta.url, ['0001_greetings.sql']),
  admin: [greeting],
  storefront: [hello],
  locales: { ro, en },
});
