import { variantEvents } from '@storeloom/commerce';
import { type Ctx, f, type MoneyValue, sql, table } from '@storeloom/plugin-sdk';

/** Price changes of variants: one row per change, effective from `createdAt`. `priceListCode` null: the general price. */
export const priceHistory = table(
  'price-history',
  {
    variantId: f.id(),
    priceListCode: f.text({ max: 60 }).optional(),
    price: f.money(),
    compareAtPrice: f.money().optional(),
  },
  { indexes: [{ name: 'catalog_price_history_variant_idx', fields: ['variantId', 'createdAt'] }], appendOnly: true },
);

/**
 * SQL expression: general price of variant `v` at an instant. The active dated price with the latest start, else the base price. The
 * `dated` column avoids the subquery for variants without dated prices.
 */
export const priceAt = (at: string) => sql`case when v.dated then coalesce((
    select x.price_amount from catalog_variant_price x
    where x.tenant_id = v.tenant_id and x.variant_id = v.id and x.price_list_code is null and x.price_currency = v.price_currency
      and (x.starts_at is null or x.starts_at <= ${at}::timestamptz) and (x.ends_at is null or x.ends_at > ${at}::timestamptz)
    order by x.starts_at desc nulls last, x.price_amount limit 1), v.price_amount) else v.price_amount end`;

interface Change {
  variantId: string;
  productId: string;
  sku: string;
  priceListCode: string | null;
  currency: string;
  amount: number;
  compareAt: number | null;
  previous: number | null;
}

/** Adds a row per variant, price list and currency whose price differs from the last row, and publishes the price changes. */
export async function recordPrices(ctx: Ctx, productIds: readonly string[]): Promise<void> {
  const at = ctx.clock.now();
  const changes = await ctx.db.rows<Change>(sql`
    with present as (
      select v.id, v.product_id, v.sku, null::text as code, v.price_currency as currency, ${priceAt(at)} as amount, v.compare_at_price_amount as compare_at
      from catalog_variant v
      where v.tenant_id = ${ctx.tenant.id} and v.product_id = any(${[...productIds]}::uuid[]) and v.deleted_at is null
      union all
      select * from (
        select distinct on (v.id, x.price_list_code, x.price_currency)
          v.id, v.product_id, v.sku, x.price_list_code, x.price_currency, x.price_amount, null::bigint
        from catalog_variant v
        join catalog_variant_price x on x.tenant_id = v.tenant_id and x.variant_id = v.id
        where v.tenant_id = ${ctx.tenant.id} and v.product_id = any(${[...productIds]}::uuid[]) and v.deleted_at is null
          and (x.price_list_code is not null or x.price_currency <> v.price_currency)
          and (x.starts_at is null or x.starts_at <= ${at}::timestamptz) and (x.ends_at is null or x.ends_at > ${at}::timestamptz)
        order by v.id, x.price_list_code, x.price_currency, x.starts_at desc nulls last, x.price_amount
      ) further
    )
    select p.id as "variantId", p.product_id as "productId", p.sku, p.code as "priceListCode", p.currency, p.amount, p.compare_at as "compareAt",
      h.price_amount as previous
    from present p
    left join lateral (
      select h.price_amount, h.compare_at_price_amount from catalog_price_history h
      where h.tenant_id = ${ctx.tenant.id} and h.variant_id = p.id and h.price_list_code is not distinct from p.code and h.price_currency = p.currency
      order by h.created_at desc, h.id desc limit 1
    ) h on true
    where h.price_amount is null or h.price_amount <> p.amount or h.compare_at_price_amount is distinct from p.compare_at
    order by p.id`);
  await ctx.rows(priceHistory).insertMany(
    changes.map(({ variantId, priceListCode, currency, amount, compareAt }) => ({
      variantId,
      priceListCode,
      price: { amount, currency },
      compareAtPrice: compareAt === null ? null : { amount: compareAt, currency },
    })),
  );
  for (const change of changes)
    if (change.previous !== null && change.previous !== change.amount) await publishPriceChange(ctx, change);
}

async function publishPriceChange(ctx: Ctx, change: Change): Promise<void> {
  const money = (amount: number): MoneyValue => ({ amount, currency: change.currency });
  await ctx.emit(variantEvents.price_changed, {
    id: change.variantId,
    data: {
      id: change.variantId,
      productId: change.productId,
      sku: change.sku,
      priceListCode: change.priceListCode,
      price: money(change.amount),
      previousPrice: money(change.previous ?? 0),
    },
  });
}
