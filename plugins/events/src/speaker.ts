import { f, resource } from '@storeloom/plugin-sdk';
import { linkField } from '@storeloom/plugin-sdk/public';

export const speaker = resource('speaker', {
  path: 'speakers',
  verbs: ['list', 'create', 'update', 'remove'],
  additive: ['update', 'remove'],
  deletes: 'free',
  defaultSort: 'order',
  fields: {
    eventId: f.id().readonly(),
    name: f.text(),
    title: f.text().optional(),
    bio: f.text({ max: 4000 }).optional(),
    photo: linkField().optional(),
    order: f.int().default(0).sort(),
  },
  indexes: [{ name: 'events_speaker_event_idx', fields: ['eventId', 'order', 'id'] }],
});
