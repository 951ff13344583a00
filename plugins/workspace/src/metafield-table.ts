import { f, table } from '@storeloom/plugin-sdk';

/** One value of one thing. `entityType` repeats the definition's, so that a thing's values are found by one index. */
export const metafield = table(
  'metafield',
  {
    definitionId: f.ref('workspace.metafield-definition'),
    entityType: f.text({ max: 100 }),
    entityId: f.id(),
    value: f.anyJson({ max: 100_000 }),
  },
  {
    uniques: [{ name: 'workspace_metafield_entity_key', fields: ['definitionId', 'entityId'] }],
    indexes: [{ name: 'workspace_metafield_entity_idx', fields: ['entityType', 'entityId'] }],
  },
);
