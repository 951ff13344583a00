import { f, resource } from '@storeloom/plugin-sdk';

export const sponsor = resource('sponsor', {
  path: 'sponsors',
  verbs: ['list', 'create', 'update', 'remove'],
  additive: ['update', 'remove'],
  deletes: 'free',
  defaultSort: 'order',
  fields: {
    eventId: f.id().readonly(),
    name: f.text(),
    tier: f.text({ max: 60 }).optional(),
    logo: f.text({ max: 2000 }).optional(),
    url: f.url().optional(),
    /** What it pays; for nobody outside. */
    amount: f.money({ min: 0 }).optional(),
    order: f.int().default(0).sort(),
  },
});
