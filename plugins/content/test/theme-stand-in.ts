import { type ActiveTheme, theme } from '@storeloom/plugin-content/contract';
import { definePlugin, f, provide } from '@storeloom/plugin-sdk';

const active: ActiveTheme = {
  sections: {
    hero: {
      settings: {
        heading: f.i18n({ max: 100 }),
        text: f.richText().translatable().optional(),
        wide: f.bool().default(false),
        links: f.list(f.object({ label: f.i18n({ max: 60 }), to: f.text({ max: 200 }) }), { max: 5 }).default([]),
        groupId: f.ref('customers.group').optional(),
      },
      templates: ['home', 'page'],
    },
    'product-grid': { settings: { limit: f.int({ min: 1, max: 24 }).default(8) }, templates: null },
  },
  templates: {
    home: [
      { type: 'hero', settings: { heading: { ro: 'Salut', en: 'Hello' } } },
      { type: 'product-grid', settings: { limit: 4 } },
    ],
    product: [],
    page: [],
    article: [],
    'rentals/item': [],
  },
};

/** As much of themes as content asks for. */
export default definePlugin({ name: 'test-theme', provides: [provide(theme, () => ({ active: async () => active }))] });
