import {
  type Ctx,
  checkVersion,
  type EntityInfo,
  f,
  invalid,
  noContent,
  notFound,
  problem,
  resource,
  route,
  type TableRow,
} from '@storeloom/plugin-sdk';
import { metafield } from './metafield-table.ts';

const word = { max: 64, pattern: /^[a-z0-9_]{1,64}$/ };
const metafieldTypes = [
  'string',
  'text',
  'int',
  'decimal',
  'bool',
  'date',
  'datetime',
  'json',
  'url',
  'color',
  'money',
  'reference',
] as const;

/** Narrower than the type: bounds of numbers, length or choice of texts, what a reference points at. No patterns: they could be made to hang. */
const validations = f.object({
  min: f.int().optional(),
  max: f.int().optional(),
  maxLength: f.int({ min: 1, max: 20_000 }).optional(),
  values: f.list(f.text({ max: 500 }), { min: 1, max: 200 }).optional(),
  entityType: f.text({ max: 100 }).optional(),
});
const meaning: Record<string, readonly (typeof metafieldTypes)[number][]> = {
  min: ['int', 'decimal'],
  max: ['int', 'decimal'],
  maxLength: ['string', 'text'],
  values: ['string'],
  entityType: ['reference'],
};

/** The thing that metafields hang on, if its plugin is on. */
export function entityOf(ctx: Ctx, name: string): EntityInfo | undefined {
  const entity = ctx.entities.find(name);
  return entity?.on ? entity : undefined;
}

export const metafieldDefinition = resource('metafield-definition', {
  path: 'metafields/definitions',
  problems: ['duplicate'],
  verbs: ['list', 'create'],
  defaultSort: 'createdAt',
  fields: {
    entityType: f.text({ max: 100 }).example('catalog.product').filter(),
    namespace: f.text(word).filter(),
    key: f.text(word).filter(),
    type: f.oneOf(metafieldTypes).filter(),
    validations: validations.optional().example(null),
    required: f.bool().default(false),
    visibleOnStorefront: f.bool().default(false).filter(),
    filterable: f.bool().default(false).filter(),
  },
  uniques: [{ name: 'workspace_metafield_definition_key_key', fields: ['entityType', 'namespace', 'key'] }],
  before: {
    create(ctx, input) {
      if (!entityOf(ctx, input.entityType)) throw invalid('/entityType', 'unknown', 'is not an entity type of this shop');
      for (const [name, value] of Object.entries(input.validations ?? {}))
        if (value !== null && !meaning[name]?.includes(input.type))
          throw invalid(`/validations/${name}`, 'invalid', `is not allowed for the type ${input.type}`);
      if (input.filterable && input.type === 'json') throw invalid('/filterable', 'invalid', 'is not allowed for the type json');
      const { min, max, entityType } = input.validations ?? { min: null, max: null, entityType: null };
      if (min !== null && max !== null && min > max) throw invalid('/validations/min', 'too_big', 'is greater than max');
      if (entityType !== null && !entityOf(ctx, entityType))
        throw invalid('/validations/entityType', 'unknown', 'is not an entity type of this shop');
    },
  },
  after: {
    create: (ctx, { entityType }) => dropAnswers(ctx, entityType),
  },
});
/** Drops cached responses of the plugin whose entities have the metafields: they carry its name. */
export const dropAnswers = (ctx: Ctx, entityType: string): void => ctx.dropCache(entityType.slice(0, entityType.indexOf('.')));

export type DefinitionRow = TableRow<typeof metafieldDefinition>;

export const removeDefinition = route(
  'DELETE',
  '/metafields/definitions/{id}',
  {
    permission: 'workspace.metafield-definition.delete',
    summary: 'Remove a definition, with cascade also its values',
    query: { cascade: f.bool().default(false) },
    status: 204,
    problems: ['in_use', 'version_conflict'],
  },
  async (ctx, req) => {
    const definitions = ctx.rows(metafieldDefinition);
    const row = await definitions.get(req.params.id as string, { lock: true });
    if (!row) throw notFound();
    checkVersion(req.ifMatch, row);
    const values = await ctx.rows(metafield).count({ definitionId: row.id });
    if (values > 0 && !req.query.cascade)
      throw problem('in_use', {
        detail: 'The definition has values. Use cascade=true to remove them too.',
        counts: { metafields: values },
      });
    await ctx.rows(metafield).removeWhere({ definitionId: row.id });
    await definitions.remove(row.id);
    dropAnswers(ctx, row.entityType);
    await ctx.audit({ entity: 'workspace.metafield-definition', entityId: row.id, before: row, after: null, extra: { values } });
    return noContent();
  },
);
