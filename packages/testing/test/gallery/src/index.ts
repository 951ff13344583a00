import { definePlugin } from '@storeloom/plugin-sdk';

/** Uses what studio offers. */
export default definePlugin({ name: 'gallery', locales: { ro: {}, en: {} } });
