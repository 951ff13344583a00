import { f, route } from '@storeloom/plugin-sdk';
import { settings } from './store-fields.ts';

export const analyticsConfig = route(
  'GET',
  '/analytics-config/',
  {
    summary: 'Tracking ids by the consent that each needs',
    cache: { tags: ['analytics-config'], maxAge: 60 },
    response: {
      tags: f.list(f.object({ purpose: f.text(), provider: f.text(), id: f.text() })),
    },
  },
  async (ctx) => ({ tags: ctx.settings(settings).trackingTags }),
);
