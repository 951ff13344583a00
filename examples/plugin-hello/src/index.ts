import { definePlugin, migrations } from '@storeloom/plugin-sdk';
import en from '../locales/en.json' with { type: 'json' };
import ro from '../locales/ro.json' with { type: 'json' };
import { greeting } from './greeting.ts';
import { settings } from './settings.ts';
import { hello } from './storefront.ts';

/** The table of contents: whatever the plugin contributes is named here, and nothing runs to find it out. */
export default definePlugin({
  name: 'example-hello',
  settings,
  migrations: migrations(import.meta.url, ['0001_greetings.sql']),
  admin: [greeting],
  storefront: [hello],
  locales: { ro, en },
});
