import { f, resource } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

export const sponsor = resource('sponsor', {
  path: 'sponsors',
  verbs: ['list', 'create', 'update', 'remove'],
  additive: ['update', 'remove'],
  deletes: 'free',
  defaultSort: 'order',
  fields: {
    eventId: f.id().readonly(),
    name: f.text(),
    /** Internal, as is the amount. */
    tier: f.text({ max: 60 }).optional().private(),
    logo: linkField().optional(),
    url: f.url().optional(),
    amount: f.money({ min: 0 }).optional().private(),
    order: f.int().default(0).sort(),
  },
  indexes: [{ name: 'events_sponsor_event_idx', fields: ['eventId', 'order', 'id'] }],
});
