import { f, resource } from '@storeloom/plugin-sdk';

/** One tool, one thing. While a loan names it, it can't be removed: 409 `in_use`. */
export const tool = resource('tool', {
  path: 'tool-library/tools',
  verbs: ['list', 'create', 'get', 'update', 'remove'],
  additive: ['list', 'create', 'get', 'update', 'remove'],
  fields: {
    name: f.text({ max: 200 }).translatable().search(),
    lendable: f.bool().default(true).filter(),
  },
});
