import { type Ctx, f, invalid, listOf, noContent, notFound, problem, provide, route, sql } from '@storeloom/plugin-sdk';
import { personalRows } from '@storeloom/plugin-sdk/people';
import { type Metafield, metafields } from './contract.ts';
import { type DefinitionRow, dropAnswers, entityOf, metafieldDefinition } from './metafield-definitions.ts';
import { conditionsOf, filterableOf, valuesOf as filterValues } from './metafield-filter.ts';
import { metafield } from './metafield-table.ts';
import { checkValue } from './metafield-value.ts';

const customerType = 'customers.customer';

/** The thing that is meant must be there: unknown type, plugin that is off, unknown id, another tenant's id are all 404. */
async function requireEntity(ctx: Ctx, type: string, id: string): Promise<void> {
  const entity = entityOf(ctx, type);
  if (!entity || !(await ctx.rows(entity.table).get(id))) throw notFound();
}

async function valuesOf(ctx: Ctx, type: string, ids: readonly string[]): Promise<(Metafield & { entityId: string })[]> {
  return ctx.db.rows(sql`select m.entity_id as "entityId", d.namespace, d.key, d.type, m.value
    from workspace_metafield m join workspace_metafield_definition d on d.tenant_id = m.tenant_id and d.id = m.definition_id
    where m.tenant_id = ${ctx.tenant.id} and m.entity_type = ${type} and m.entity_id = any(${ids}::uuid[])
    order by d.namespace, d.key`);
}
async function shown(ctx: Ctx, type: string, id: string): Promise<Metafield[]> {
  return (await valuesOf(ctx, type, [id])).map(({ entityId: _, ...value }) => value);
}

async function definitionsOf(ctx: Ctx, entityType: string): Promise<DefinitionRow[]> {
  return ctx.rows(metafieldDefinition).find({ entityType });
}

interface Given {
  namespace: string;
  key: string;
  value: unknown;
}

/** All or nothing; the named ones change, the others stay. */
async function write(ctx: Ctx, type: string, id: string, given: readonly Given[]): Promise<void> {
  const definitions = await definitionsOf(ctx, type);
  const named = new Set<string>();
  const now = ctx.clock.now();
  for (const [i, { namespace, key, value }] of given.entries()) {
    const definition = definitions.find((row) => row.namespace === namespace && row.key === key);
    if (!definition) throw invalid(`/metafields/${i}/key`, 'unknown', `${namespace}.${key} is not defined for ${type}`);
    if (named.has(definition.id)) throw invalid(`/metafields/${i}/key`, 'repeated', 'is duplicated');
    named.add(definition.id);
    const stored = await checkValue(ctx, definition, value, `/metafields/${i}/value`);
    await ctx.db.run(sql`insert into workspace_metafield as m (tenant_id, id, definition_id, entity_type, entity_id, value, created_at, updated_at)
      values (${ctx.tenant.id}, ${crypto.randomUUID()}, ${definition.id}, ${type}, ${id}, ${JSON.stringify(stored)}::jsonb, ${now}, ${now})
      on conflict (tenant_id, definition_id, entity_id) do update set value = excluded.value, updated_at = excluded.updated_at, version = m.version + 1
      where m.value is distinct from excluded.value`);
  }
  const present = new Set((await ctx.rows(metafield).find({ entityType: type, entityId: id })).map((row) => row.definitionId));
  const missing = definitions.find((row) => row.required && !present.has(row.id));
  if (missing) throw invalid('/metafields', 'required', `${missing.namespace}.${missing.key} is required`);
}

const params = { entityType: f.text({ max: 100 }), key: f.text({ max: 129 }) };
const shape = {
  namespace: f.text(),
  key: f.text(),
  type: f.text(),
  value: f.anyJson().describe('By the type of the definition.'),
};

export const metafieldRoutes = [
  route(
    'GET',
    '/metafields/{entityType}/{entityId}',
    { permission: 'workspace.metafield.read', summary: 'Own fields of a thing', params, response: shape, list: true },
    async (ctx, req) => {
      const { entityType, entityId } = req.params as { entityType: string; entityId: string };
      await requireEntity(ctx, entityType, entityId);
      return listOf(await shown(ctx, entityType, entityId));
    },
  ),
  route(
    'PUT',
    '/metafields/{entityType}/{entityId}',
    {
      permission: 'workspace.metafield.update',
      summary: 'Set own fields of a thing: the named ones, all or none',
      params,
      problems: ['money_invalid', 'offset_required', 'invalid_local_time', 'ambiguous_local_time'],
      body: {
        metafields: f.list(
          f.object({
            namespace: f.text({ max: 64 }),
            key: f.text({ max: 64 }),
            value: f.anyJson({ max: 50_000 }).describe('By the type of the definition.'),
          }),
          {
            min: 1,
            max: 100,
          },
        ),
      },
      response: shape,
      list: true,
    },
    async (ctx, req) => {
      const { entityType, entityId } = req.params as { entityType: string; entityId: string };
      await requireEntity(ctx, entityType, entityId);
      const before = await shown(ctx, entityType, entityId);
      await write(ctx, entityType, entityId, req.body.metafields as Given[]);
      const after = await shown(ctx, entityType, entityId);
      await changed(ctx, entityType, entityId, before, after);
      return listOf(after);
    },
  ),
  route(
    'DELETE',
    '/metafields/{entityType}/{entityId}/{key}',
    {
      permission: 'workspace.metafield.delete',
      summary: 'Remove one own field of a thing: namespace.key, or the key alone where one namespace has it',
      params,
      status: 204,
      problems: ['conflict'],
    },
    async (ctx, req) => {
      const { entityType, entityId, key } = req.params as { entityType: string; entityId: string; key: string };
      await requireEntity(ctx, entityType, entityId);
      const before = await shown(ctx, entityType, entityId);
      const [first, second] = before.filter((value) => `${value.namespace}.${value.key}` === key || value.key === key);
      if (!first) throw notFound();
      if (second) throw problem('conflict', { detail: `Several namespaces have the key ${key}. Use namespace.key.` });
      const definition = (await definitionsOf(ctx, entityType)).find(
        (row) => row.namespace === first.namespace && row.key === first.key,
      ) as DefinitionRow;
      if (definition.required) throw problem('conflict', { detail: `${first.namespace}.${first.key} is required.` });
      await ctx.rows(metafield).removeWhere({ definitionId: definition.id, entityId });
      await changed(ctx, entityType, entityId, before, await shown(ctx, entityType, entityId));
      return noContent();
    },
  ),
];

/** Of people only which fields changed is written down: an audit row can't be erased. */
function changed(ctx: Ctx, type: string, id: string, before: Metafield[], after: Metafield[]): Promise<void> {
  dropAnswers(ctx, type);
  const values = (list: Metafield[]) =>
    Object.fromEntries(
      list.map(({ namespace, key, value }) => [
        `${namespace}.${key}`,
        type === customerType ? ctx.sign('audit', JSON.stringify(value)) : value,
      ]),
    );
  return ctx.audit({ entity: type, entityId: id, before: values(before), after: values(after) });
}

function byEntity<V extends { entityId: string }>(values: readonly V[]): Map<string, Omit<V, 'entityId'>[]> {
  const found = new Map<string, Omit<V, 'entityId'>[]>();
  for (const { entityId, ...value } of values) found.set(entityId, [...(found.get(entityId) ?? []), value]);
  return found;
}

export const metafieldsProvider = provide(metafields, (ctx) => ({
  async of(entityType, ids) {
    return byEntity(ids.length === 0 ? [] : await valuesOf(ctx, entityType, ids));
  },
  visibleOf(entityType, id) {
    return sql`(select coalesce(json_agg(json_build_object('namespace', d.namespace, 'key', d.key, 'value', m.value) order by d.namespace, d.key), '[]')
      from workspace_metafield m join workspace_metafield_definition d on d.tenant_id = m.tenant_id and d.id = m.definition_id
      where m.tenant_id = ${ctx.tenant.id} and m.entity_type = ${entityType} and m.entity_id = ${id} and d.visible_on_storefront)`;
  },
  filterable: (entityType, { storefront }) => filterableOf(ctx, entityType, storefront),
  conditions: (entityType, filters, options) => conditionsOf(ctx, entityType, filters, options),
  values: (definitionIds) => filterValues(ctx, definitionIds),
}));

/** Values of metafields of the customer. */
export const personalMetafields = personalRows({
  table: metafield,
  by: ({ customerId }) =>
    customerId === undefined ? undefined : sql`t.entity_type = ${customerType} and t.entity_id = ${customerId}::uuid`,
  present: (ctx, [first]) => valuesOf(ctx, customerType, first ? [first.entityId] : []),
  erased: 'removed',
});

/** Values of things that were removed. */
export async function dropOrphans(ctx: Ctx): Promise<void> {
  const types = await ctx.db.rows<{ type: string }>(
    sql`select distinct entity_type as type from workspace_metafield where tenant_id = ${ctx.tenant.id}`,
  );
  for (const { type } of types) {
    const entity = entityOf(ctx, type);
    if (!entity) continue;
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const ids = (
        await ctx.db.rows<{ id: string }>(sql`select distinct entity_id as id from workspace_metafield
          where tenant_id = ${ctx.tenant.id} and entity_type = ${type} and entity_id > ${after} order by 1 limit 1000`)
      ).map(({ id }) => id);
      if (ids.length === 0) break;
      const there = new Set((await ctx.rows(entity.table).find({ id: ids })).map((row) => row.id));
      const gone = ids.filter((id) => !there.has(id));
      if (gone.length > 0) await ctx.rows(metafield).removeWhere({ entityType: type, entityId: gone });
      after = ids.at(-1) as string;
    }
  }
}
