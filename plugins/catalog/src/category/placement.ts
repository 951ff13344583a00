import { type Ctx, sql } from '@storeloom/plugin-sdk';

/**
 * Updates the placements of products: listed products are placed in their categories and all ancestors, others are removed. Records count
 * changes as delta rows instead of updating one row per category, so that writers of different products don't block each other.
 */
export async function placeProducts(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  const ids = sql`${[...productIds]}::uuid[]`;
  const noted = await ctx.db.run(sql`
    with wanted as (
      select distinct a.id::uuid as category_id, p.id as product_id, p.position
      from catalog_product p
      join catalog_product_category pc on pc.tenant_id = p.tenant_id and pc.product_id = p.id
      join catalog_category c on c.tenant_id = pc.tenant_id and c.id = pc.category_id
      cross join lateral jsonb_array_elements_text(c.path) a (id)
      where p.tenant_id = ${ctx.tenant.id} and p.id = any(${ids}) and p.listed
    ), gone as (
      delete from catalog_placement x where x.tenant_id = ${ctx.tenant.id} and x.product_id = any(${ids})
        and not exists (select from wanted w where w.category_id = x.category_id and w.product_id = x.product_id)
      returning x.category_id
    ), added as (
      insert into catalog_placement as x (tenant_id, category_id, product_id, position)
      select ${ctx.tenant.id}, category_id, product_id, position from wanted
      on conflict (tenant_id, category_id, product_id) do update set position = excluded.position where x.position <> excluded.position
      -- A row that was only moved has an xmax.
      returning category_id, xmax = 0 as new
    )
    insert into catalog_shelf_count (tenant_id, category_id, delta)
    select ${ctx.tenant.id}, category_id, sum(change) from (
      select category_id, -1 as change from gone union all select category_id, 1 from added where new
    ) x group by category_id having sum(change) <> 0`);
  if (noted > 0) await mergeCounts(ctx);
}

/** Merges delta rows once there are many. Skips rows that another transaction is merging. */
async function mergeCounts(ctx: Ctx): Promise<void> {
  const piled = await ctx.db.first<{ yes: boolean }>(
    sql`select count(*) > 200 + 2 * count(distinct category_id) as yes from catalog_shelf_count where tenant_id = ${ctx.tenant.id}`,
  );
  if (!piled?.yes) return;
  await ctx.db.run(sql`
    with taken as (
      select id from catalog_shelf_count where tenant_id = ${ctx.tenant.id} for update skip locked
    ), merged as (
      delete from catalog_shelf_count x using taken where x.tenant_id = ${ctx.tenant.id} and x.id = taken.id returning x.category_id, x.delta
    )
    insert into catalog_shelf_count (tenant_id, category_id, delta)
    select ${ctx.tenant.id}, category_id, sum(delta) from merged group by category_id having sum(delta) <> 0`);
}

/** Rebuilds the counts from the placements. In one statement, because a commit between two statements would be counted twice. */
export async function recount(ctx: Ctx): Promise<void> {
  await ctx.db.run(sql`
    with old as (delete from catalog_shelf_count where tenant_id = ${ctx.tenant.id})
    insert into catalog_shelf_count (tenant_id, category_id, delta)
    select tenant_id, category_id, count(*) from catalog_placement where tenant_id = ${ctx.tenant.id} group by tenant_id, category_id`);
}

/** Products in a category or its descendants. */
export async function productsBelow(ctx: Ctx, categoryId: string): Promise<string[]> {
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select distinct pc.product_id as id from catalog_category c
    join catalog_product_category pc on pc.tenant_id = c.tenant_id and pc.category_id = c.id
    where c.tenant_id = ${ctx.tenant.id} and c.path @> ${JSON.stringify([categoryId])}::jsonb`);
  return rows.map(({ id }) => id);
}
