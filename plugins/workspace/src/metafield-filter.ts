import { type Ctx, invalidParameter, parseQuery, type RawBuilder, splitValues, sql } from '@storeloom/plugin-sdk';
import type { FilterableMetafield, MetafieldCondition, MetafieldFilter } from './contract.ts';
import { type DefinitionRow, metafieldDefinition } from './metafield-definitions.ts';
import { fieldOf } from './metafield-value.ts';

const bounds = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;
const ordered: readonly string[] = ['int', 'decimal', 'date', 'datetime', 'money'];

/** Filterable definitions of an entity type; on the storefront only those that visitors see. Storefront requests read them from memory. */
async function definitionsOf(ctx: Ctx, entityType: string, storefront: boolean): Promise<DefinitionRow[]> {
  const rows = await ctx.remember('filterable metafields', () =>
    ctx.rows(metafieldDefinition).find({ filterable: true }, { orderBy: ['namespace', 'key'] }),
  );
  return rows.filter((row) => row.entityType === entityType && (row.visibleOnStorefront || !storefront));
}

export async function filterableOf(ctx: Ctx, entityType: string, storefront: boolean): Promise<FilterableMetafield[]> {
  const rows = await definitionsOf(ctx, entityType, storefront);
  return rows.map(({ id, namespace, key, type }) => ({ id, namespace, key, type }));
}

/** @throws Problem 400 `invalid_parameter` for a metafield that isn't filterable, an operator of another type, an invalid value */
export async function conditionsOf(
  ctx: Ctx,
  entityType: string,
  filters: readonly MetafieldFilter[],
  { id, storefront }: { id: RawBuilder<unknown>; storefront: boolean },
): Promise<MetafieldCondition[]> {
  if (filters.length === 0) return [];
  const definitions = await definitionsOf(ctx, entityType, storefront);
  return filters.map((filter) => {
    const definition = definitions.find(({ namespace, key }) => `${namespace}.${key}` === filter.name);
    if (!definition) throw invalidParameter(filter.parameter, 'is not a filterable metafield');
    return { name: filter.name, condition: conditionOf(ctx, definition, filter, id) };
  });
}

function conditionOf(
  ctx: Ctx,
  definition: DefinitionRow,
  { parameter, operator, value }: MetafieldFilter,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { type } = definition;
  if (operator !== 'eq' && operator !== 'in' && !ordered.includes(type))
    throw invalidParameter(parameter, `is not taken; a metafield of the type ${type} takes eq, in`);
  const given = operator === 'in' ? splitValues(value) : [value];
  if (given.length > 100) throw invalidParameter(parameter, 'takes at most 100 values');
  const field = fieldOf(definition);
  const values = given.map((text) => {
    if (text === '' || text.includes('\0')) throw invalidParameter(parameter, 'has an invalid value');
    return parseQuery({ [parameter]: field }, new URLSearchParams([[parameter, text]]))[parameter];
  });
  const { column, cast } = comparisonOf(type);
  // The planner may evaluate conditions in any order, and a cast fails for values of other types.
  const stored = sql`case when m.definition_id = ${definition.id} then ${column} end`;
  const compared =
    operator === 'eq' || operator === 'in'
      ? sql`${stored} = any(${values.map(String)}::${sql.raw(cast)}[])`
      : sql`${stored} ${sql.raw(bounds[operator])} ${String(values[0])}::${sql.raw(cast)}`;
  const currency = type === 'money' ? sql` and m.value ->> 'currency' = ${ctx.tenant.currency}` : sql``;
  return sql`${id} in (select m.entity_id from workspace_metafield m
    where m.tenant_id = ${ctx.tenant.id} and m.definition_id = ${definition.id} and ${compared}${currency})`;
}

/** How values of a type are compared. Money by its amount; dates and instants are ISO 8601 texts of one format. */
function comparisonOf(type: DefinitionRow['type']): { column: RawBuilder<unknown>; cast: string } {
  if (type === 'money') return { column: sql`(m.value ->> 'amount')::numeric`, cast: 'numeric' };
  if (type === 'int' || type === 'decimal') return { column: sql`(m.value #>> '{}')::numeric`, cast: 'numeric' };
  return { column: sql`(m.value #>> '{}') collate "C"`, cast: 'text' };
}

/** FROM item: `entity_id`, `definition_id` and `value` as text. */
export const valuesOf = (ctx: Ctx, definitionIds: readonly string[]): RawBuilder<unknown> =>
  sql`(select m.entity_id, m.definition_id, m.value #>> '{}' as value from workspace_metafield m
    where m.tenant_id = ${ctx.tenant.id} and m.definition_id = any(${[...definitionIds]}::uuid[]))`;
