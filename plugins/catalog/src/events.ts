import {
  brandEvents,
  categoryEvents,
  levelEvents,
  orderEvents,
  productEvents,
  stockEvents,
  variantEvents,
} from '@storeloom/commerce';
import { type Ctx, type DomainEvent, on, sql, work } from '@storeloom/plugin-sdk';
import { bundlesOf, refreshStock, settle } from './browsing/listing.ts';
import { holdTree } from './category/place.ts';
import { recount } from './category/placement.ts';
import { product } from './product/product.ts';
import { queued } from './queued.ts';

export const emits = [productEvents, variantEvents, categoryEvents, brandEvents].flatMap((events) => Object.values(events));

/** Updates the `inStock` flag of the product and of bundles that contain the variant after a stock change. */
async function stockMoved(ctx: Ctx, { data: { variantId } }: DomainEvent<{ variantId: string }>): Promise<void> {
  const row = await ctx.db.first<{ id: string }>(
    sql`select product_id as id from catalog_variant where tenant_id = ${ctx.tenant.id} and id = ${variantId}`,
  );
  if (!row) return;
  const turned = await refreshStock(ctx, [row.id, ...(await bundlesOf(ctx, [row.id]))]);
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

export const handlers = [
  on(levelEvents.changed, stockMoved),
  on(stockEvents.restocked, stockMoved),
  on(orderEvents.placed, orderPlaced),
];

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
  refresh: { cron: '20 3 * * *', perTenant: true, transaction: 'none' as const, run: refreshAll },
};
