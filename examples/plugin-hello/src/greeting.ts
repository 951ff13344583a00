import { f, resource } from '@storeloom/plugin-sdk';

/**
 * A noun of the plugin. From these lines come the routes under `/api/admin/example-greetings/`, their permissions, validation, paging,
 * filters, versions, audit rows, events and documentation.
 */
export const greeting = resource('greeting', {
  path: 'example-greetings',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  additive: ['list', 'create', 'get', 'update', 'remove'],
  fields: {
    text: f.text({ max: 200 }).translatable().search(),
    active: f.bool().default(true).filter(),
    position: f.int({ min: 0 }).default(0).sort(),
  },
  indexes: [{ name: 'example_hello_greeting_position_idx', fields: ['position', 'id'] }],
  deletes: 'free',
});
