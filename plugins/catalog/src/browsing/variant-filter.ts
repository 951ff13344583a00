import { stock } from '@storeloom/commerce';
import { type Ctx, type RawBuilder, sql } from '@storeloom/plugin-sdk';
import { priceAt } from '../pricing/price-history.ts';
import { inPriceRange, isInStock, stockCondition } from '../product/read.ts';
import type { ShelfQuery } from './shelf-query.ts';
import type { Viewer } from './viewer.ts';

/** Variants priced in one call of the pipeline: more would hold up other requests. */
const pricingBatch = 500;

/** A bound of the price filter, in minor units of the requested currency. */
interface PriceBound {
  operator: string;
  amount: number;
}
export function priceBounds({ filters }: ShelfQuery): PriceBound[] {
  return [...(filters.get('price') ?? [])].map(([operator, amount]) => ({ operator, amount: amount as number }));
}

const operators: Record<string, { symbol: string; holds(a: number, b: number): boolean }> = {
  gt: { symbol: '>', holds: (a, b) => a > b },
  gte: { symbol: '>=', holds: (a, b) => a >= b },
  lt: { symbol: '<', holds: (a, b) => a < b },
  lte: { symbol: '<=', holds: (a, b) => a <= b },
};

/** True if the query filters or sorts by price, so that the result depends on the viewer. */
export function dependsOnPrices(query: ShelfQuery): boolean {
  return query.filters.has('price') || query.keys.some(({ name }) => name === 'price');
}

/** SQL for the price of variant `v`, at which the price filter is evaluated. */
export interface VariantPrices {
  amount: RawBuilder<unknown>;
  /** Join of `v` that provides the amount. */
  join: RawBuilder<unknown>;
  /** The general prices, whose range each product stores. */
  general: boolean;
}
export function generalVariantPrices(ctx: Ctx): VariantPrices {
  return { amount: priceAt(ctx.clock.now()), join: sql``, general: true };
}

/** SQL condition: variant `v` matches the option filters, except that of the option `without`. */
function optionsMatch({ options }: ShelfQuery, without: string | null = null): RawBuilder<unknown> {
  const parts = [...options]
    .filter(([name]) => name !== without)
    .map(([name, values]) => sql`v.option_values ->> ${name} = any(${[...values]}::text[])`);
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

/** SQL condition: the price of variant `v` is within the bounds of the price filter. */
function priceMatches(query: ShelfQuery, { amount }: VariantPrices): RawBuilder<unknown> {
  const parts = priceBounds(query).map((bound) => sql`${amount} ${sql.raw(operators[bound.operator]!.symbol)} ${bound.amount}`);
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `);
}

/** SQL condition: variant `v` is available. Always true without inventory. */
export const isVariantInStock = (ctx: Ctx): RawBuilder<unknown> => (ctx.use(stock) ? sql`v.in_stock` : sql`true`);

/** The value of the `inStock` filter. */
export function wantedStock({ filters }: ShelfQuery): boolean | undefined {
  return filters.get('inStock')?.get('eq') as boolean | undefined;
}

/** SQL condition: product `t` has an active variant `v` that meets the condition. */
const someVariant = (condition: RawBuilder<unknown>, join: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select from catalog_variant v ${join} where v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null and ${condition})`;

/**
 * SQL conditions on variant `v`: its options and price match. `without` leaves a filter out: `price`, or `option:<name>`. The stock
 * filter isn't part of it.
 */
export function variantMatches(
  query: ShelfQuery,
  prices: VariantPrices,
  without: string | null = null,
): { condition: RawBuilder<unknown>; join: RawBuilder<unknown>; count: number } {
  const option = without?.startsWith('option:') ? without.slice(7) : null;
  const options = optionsMatch(query, option);
  const count = query.options.size - (option !== null && query.options.has(option) ? 1 : 0);
  const bounds = without === 'price' ? 0 : priceBounds(query).length;
  if (bounds === 0) return { condition: options, join: sql``, count };
  return { condition: sql`${options} and ${priceMatches(query, prices)}`, join: prices.join, count: count + bounds };
}

/**
 * SQL condition on product `t`: one active variant matches the options and the price, and is available if `inStock` is true. With
 * `inStock` false none of the matching variants is available. `without` can also leave out `inStock`.
 */
export function variantCondition(
  ctx: Ctx,
  query: ShelfQuery,
  prices: VariantPrices = generalVariantPrices(ctx),
  without: string | null = null,
): RawBuilder<unknown> {
  const { condition, join, count } = variantMatches(query, prices, without);
  const wanted = without === 'inStock' ? undefined : wantedStock(query);
  if (count === 0 && wanted === undefined) return sql`true`;
  // The flag and the price range of the product decide alone if no second condition must hold of the same variant.
  if (count === 0) return stockCondition(ctx, query);
  const bounds = without === 'price' || !prices.general ? [] : priceBounds(query);
  const inRange = bounds.map(({ operator, amount }) => inPriceRange(operator, amount));
  if (count === 1 && inRange.length === 1 && wanted === undefined) return inRange[0]!;
  const parts = [...inRange];
  if (wanted !== true) parts.push(someVariant(condition, join));
  if (wanted !== undefined) {
    const available = someVariant(sql`${condition} and ${isVariantInStock(ctx)}`, join);
    parts.push(wanted ? available : sql`not ${available}`);
  }
  return sql.join(parts, sql` and `);
}

/** SQL expression: a variant of product `t` that matches options and price is available. */
export function availableSql(ctx: Ctx, query: ShelfQuery, prices: VariantPrices): RawBuilder<unknown> {
  const { condition, join, count } = variantMatches(query, prices);
  return count === 0 ? isInStock(ctx) : someVariant(sql`${condition} and ${isVariantInStock(ctx)}`, join);
}

interface Candidate {
  id: string;
  productId: string;
  matches: boolean;
  inStock: boolean;
}

/** The viewer's prices of variants, by variant id. Omits variants that became unavailable. */
export async function shownPrices(viewer: Viewer, variantIds: readonly string[]): Promise<Map<string, number>> {
  const amounts = new Map<string, number>();
  for (let start = 0; start < variantIds.length; start += pricingBatch) {
    const batch = variantIds.slice(start, start + pricingBatch);
    const prices = await viewer.prices(batch.map((variantId) => ({ variantId, quantity: 1 })));
    for (const [i, id] of batch.entries()) {
      const price = prices[i];
      if (price) amounts.set(id, price.unitPrice);
    }
  }
  return amounts;
}

/** Products with the price on their card, in minor units of the viewer's currency. */
export interface PricedProducts {
  ids: string[];
  amounts: number[];
}

/**
 * The products `t` that meet `where` and match the options, price and stock filters at the viewer's prices. Prices come from the
 * resolver of the cart, so every variant of a candidate is priced.
 */
export async function pricedProducts(
  ctx: Ctx,
  query: ShelfQuery,
  viewer: Viewer,
  where: RawBuilder<unknown>,
): Promise<PricedProducts> {
  const candidates = await ctx.db.rows<Candidate>(sql`
    select v.id, v.product_id as "productId", (${optionsMatch(query)}) as matches, ${isVariantInStock(ctx)} as "inStock"
    from catalog_product t
    join catalog_variant v on v.tenant_id = t.tenant_id and v.product_id = t.id and v.active and v.deleted_at is null
    where ${where}`);
  const amounts = await shownPrices(
    viewer,
    candidates.map(({ id }) => id),
  );
  const bounds = priceBounds(query);
  const wanted = wantedStock(query);
  const products = new Map<string, { lowest: number; matches: boolean; available: boolean }>();
  for (const { id, productId, matches, inStock } of candidates) {
    const amount = amounts.get(id);
    if (amount === undefined) continue;
    const known = products.get(productId) ?? { lowest: amount, matches: false, available: false };
    const fits = matches && bounds.every((bound) => operators[bound.operator]!.holds(amount, bound.amount));
    products.set(productId, {
      lowest: Math.min(known.lowest, amount),
      matches: known.matches || fits,
      available: known.available || (fits && inStock),
    });
  }
  const found = [...products].filter(([, { matches, available }]) => matches && (wanted === undefined || available === wanted));
  return { ids: found.map(([id]) => id), amounts: found.map(([, { lowest }]) => lowest) };
}
