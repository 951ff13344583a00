import { brandEvents, categoryEvents, levelEvents, orderEvents, productEvents, variantEvents } from '@storeloom/commerce';
import { type Ctx, type DomainEvent, on, onMany, sql, work } from '@storeloom/plugin-sdk';
import { refreshStock, settle } from './browsing/listing.ts';
import { holdTree } from './category/place.ts';
import { recount } from './category/placement.ts';
import { product } from './product/product.ts';
import { queued } from './queued.ts';

export const emits = [productEvents, variantEvents, categoryEvents, brandEvents].flatMap((events) => Object.values(events));

/** Updates the `inStock` flags of products and of bundles that contain their variants, after changes of stock. */
async function stockChanged(ctx: Ctx, { ids }: { ids: string[] }): Promise<void> {
  // Locked, so that an older availability doesn't overwrite a newer one.
  const rows = await ctx.db.rows<{ id: string }>(sql`
    select p.id from catalog_product p where p.tenant_id = ${ctx.tenant.id} and p.id in (
      select v.product_id from catalog_variant v where v.tenant_id = ${ctx.tenant.id} and v.id = any(${ids}::uuid[])
      union all
      select c.product_id from catalog_bundle_component c join catalog_variant v on v.tenant_id = c.tenant_id and v.id = c.variant_id
      join catalog_variant changed on changed.tenant_id = v.tenant_id and changed.product_id = v.product_id
      where c.tenant_id = ${ctx.tenant.id} and changed.id = any(${ids}::uuid[])
    ) order by p.id for no key update`);
  const turned = await refreshStock(
    ctx,
    rows.map(({ id }) => id),
  );
  if (turned.length > 0) ctx.dropCache('catalog');
}

/** Adds the ordered units, for sorting by popularity. */
export async function orderPlaced(
  ctx: Ctx,
  { data: { lines } }: DomainEvent<{ lines: readonly { productId: string | null; quantity: number }[] }>,
): Promise<void> {
  const units = new Map<string, number>();
  for (const { productId, quantity } of lines)
    if (productId !== null) units.set(productId, (units.get(productId) ?? 0) + quantity);
  const ids = [...units.keys()].sort();
  if (ids.length === 0) return;
  await ctx.db.run(sql`
    update catalog_product p set popularity = least(p.popularity::bigint + x.units, 2000000000)
    from unnest(${ids}::uuid[], ${ids.map((id) => units.get(id)!)}::bigint[]) as x (id, units)
    where p.tenant_id = ${ctx.tenant.id} and p.id = x.id`);
}

export const handlers = [on(orderEvents.placed, orderPlaced)];
// A variant that becomes available again has a changed level, too.
export const batchHandlers = [onMany(levelEvents.changed, queued.stock, ({ variantId }) => variantId)];

/** Updates derived data after a publication, or the start or end of a price, and publishes the product for the search index. */
export async function changeDue(ctx: Ctx, { productId }: { productId: string }): Promise<void> {
  await holdTree(ctx);
  const row = await ctx.rows(product).get(productId, { lock: true });
  if (!row) return;
  await settle(ctx, [row.id]);
  const { id, slug, title, status } = row;
  await ctx.emit(productEvents.updated, { id, data: { id, slug, title, status } });
}

/** Nightly: refreshes data that depends on the enabled plugins and on the default locale. */
async function refreshAll(ctx: Ctx): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await ctx.transaction(async (inside) => {
      await holdTree(inside);
      const page = await inside.db.rows<{ id: string }>(
        sql`select id from catalog_product where tenant_id = ${inside.tenant.id} and id > ${after} order by id limit 200`,
      );
      await settle(
        inside,
        page.map(({ id }) => id),
      );
      return page;
    });
    if (rows.length < 200) break;
    after = rows.at(-1)!.id;
  }
  await ctx.transaction(recount);
}

export const jobs = {
  ...work(queued.changeDue, { run: changeDue }),
  ...work(queued.stock, { retryLimit: 40, run: stockChanged }),
  refresh: { cron: '20 3 * * *', perTenant: true, transaction: 'none' as const, run: refreshAll },
};
