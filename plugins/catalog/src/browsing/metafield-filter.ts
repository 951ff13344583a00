import { type Ctx, invalidParameter, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import type { MetafieldFilter } from '@storeloom/plugin-workspace/contract';
import { metafieldsService } from '../integrations.ts';

const entityType = 'catalog.product';
const parameter = /^metafield\[([a-z0-9_]{1,64}\.[a-z0-9_]{1,64})\](?:\[(in|gt|gte|lt|lte)\])?$/;
const maxFilters = 10;

/** Description of the parameters in OpenAPI. */
export const metafieldDescription =
  '`metafield[namespace.key]=value`, with `[in]` for several values and `[gte]` and the like for numbers, money and dates: filters by a filterable metafield.';

/** Splits the filters by metafields from the other parameters. @throws Problem 400 for a repeated one, and above the limit */
export function takeMetafields(params: URLSearchParams): { rest: URLSearchParams; metafields: MetafieldFilter[] } {
  const rest = new URLSearchParams();
  const metafields: MetafieldFilter[] = [];
  for (const [name, value] of params) {
    const match = parameter.exec(name);
    if (!match) {
      rest.append(name, value);
      continue;
    }
    if (metafields.some((filter) => filter.parameter === name)) throw invalidParameter(name, 'is specified more than once');
    if (metafields.length >= maxFilters) throw invalidParameter(name, `is one too many: at most ${maxFilters} metafields`);
    const operator = (match[2] ?? 'eq') as MetafieldFilter['operator'];
    metafields.push({ parameter: name, name: match[1] as string, operator, value });
  }
  return { rest, metafields };
}

/**
 * SQL condition of each filter on product `t`. Without filters nothing is read.
 * @throws Problem 400 `invalid_parameter` for a metafield that isn't filterable or, on the storefront, that visitors don't see
 */
export async function metafieldConditions(
  ctx: Ctx,
  metafields: readonly MetafieldFilter[],
  storefront: boolean,
): Promise<{ name: string; condition: RawBuilder<unknown> }[]> {
  const [first] = metafields;
  if (!first) return [];
  const service = ctx.use(metafieldsService);
  if (!service) throw invalidParameter(first.parameter, 'is not a filterable metafield');
  return service.conditions(entityType, metafields, { id: sql`t.id`, storefront });
}

/** All filters as one SQL condition. */
export async function metafieldCondition(
  ctx: Ctx,
  metafields: readonly MetafieldFilter[],
  storefront: boolean,
): Promise<RawBuilder<unknown>> {
  const conditions = await metafieldConditions(ctx, metafields, storefront);
  return conditions.length === 0
    ? sql`true`
    : sql.join(
        conditions.map(({ condition }) => condition),
        sql` and `,
      );
}

/** Types whose values make a list of choices. */
const listed: readonly string[] = ['string', 'int', 'decimal', 'bool', 'date', 'color'];
const maxValues = 100;

export const metafieldPrefix = 'metafield:';

/**
 * SQL of the facets of filterable metafields: facet, value, label, count, ids; a row a value. `products` is the condition on product `t` with
 * all filters but that of the facet. Empty without filterable metafields.
 */
export async function metafieldFacets(
  ctx: Ctx,
  metafields: readonly MetafieldFilter[],
  products: (facet: string | null) => RawBuilder<unknown>,
): Promise<RawBuilder<unknown>> {
  const service = ctx.use(metafieldsService);
  const definitions = ((await service?.filterable(entityType, { storefront: true })) ?? []).filter(({ type }) =>
    listed.includes(type),
  );
  if (!service || definitions.length === 0) return sql``;
  const facets = definitions.map((row) => ({ id: row.id, facet: `${metafieldPrefix}${row.namespace}.${row.key}` }));
  const chosen = facets.filter(({ facet }) => metafields.some(({ name }) => facet === `${metafieldPrefix}${name}`));
  const others = facets.filter((facet) => !chosen.includes(facet));
  const counts = (group: typeof facets, facet: string | null): RawBuilder<unknown> => sql`
    union all select c.facet, c.value, null, c.n, null from (
      select d.facet, m.value, count(*) as n, row_number() over (partition by d.facet order by count(*) desc, m.value) as place
      from catalog_product t join ${service.values(group.map(({ id }) => id))} m on m.entity_id = t.id
      join unnest(${group.map(({ id }) => id)}::uuid[], ${group.map((one) => one.facet)}::text[]) as d (id, facet) on d.id = m.definition_id
      where ${products(facet)} group by 1, 2) c where c.place <= ${maxValues}`;
  return sql.join(
    [...(others.length > 0 ? [counts(others, null)] : []), ...chosen.map((one) => counts([one], one.facet))],
    sql` `,
  );
}
