import { availabilityField, imageField, priceFields, type StockView, stock as stockService } from '@storeloom/commerce';
import {
  type Ctx,
  f,
  list,
  noContent,
  notFound,
  type RowOf,
  referenceNotFound,
  reply,
  route,
  type Shape,
  sql,
  table,
  uuidv7,
} from '@storeloom/plugin-sdk';
import { personalRows, personalTaps } from '@storeloom/plugin-sdk/people';
import { priceAt } from '../pricing/price-history.ts';
import { textOf, textOrNull } from '../texts.ts';
import { bestAvailability, brandOf, type CardVariant, priceHistorySql, priceView } from './card.ts';
import { type ShownPrice, viewerOf } from './viewer.ts';
import { hiddenAmong, isShown } from './visible.ts';

export const wishlistItem = table(
  'wishlist-item',
  { customerId: f.ref('customers.customer'), variantId: f.id() },
  {
    uniques: [{ name: 'catalog_wishlist_item_variant_id_key', fields: ['customerId', 'variantId'] }],
    indexes: [{ name: 'catalog_wishlist_item_variant_idx', fields: ['variantId'] }],
  },
);

const items = list({
  sorts: { createdAt: { column: 'w.created_at', type: 'timestamptz' } },
  defaultSort: '-createdAt',
  id: 'w.id',
});

interface ItemRow extends CardVariant {
  addedAt: string;
  productId: string;
  slug: string;
  title: Parameters<typeof textOf>[0];
  image: { url: string; alt: Parameters<typeof textOrNull>[0] } | null;
  brand: { id: string; name: string; slug: string } | null;
  sku: string;
  optionValues: Record<string, string>;
}

const itemShape = {
  variantId: f.id(),
  productId: f.id(),
  slug: f.slug(),
  title: f.text({ max: 300 }),
  sku: f.text(),
  optionValues: f.json().describe('Value by the name of the option.'),
  image: imageField.optional(),
  brand: f.object({ id: f.id(), name: f.text(), slug: f.slug() }).optional(),
  ...priceFields,
  availability: availabilityField,
  addedAt: f.instant(),
} satisfies Shape;
type Item = RowOf<typeof itemShape>;

const select = (
  _ctx: Ctx,
  everyHistory: boolean,
) => sql`w.created_at as "addedAt", v.id, t.id as "productId", t.slug, t.title, t.images -> 0 as image,
  ${brandOf} as brand, v.sku, v.option_values as "optionValues", v.amount as price, v.compare_at_price_amount as "compareAt", v.price_currency as currency,
  case when v.compare_at_price_amount > v.amount or ${everyHistory}::boolean then ${priceHistorySql} end as history`;
const from = (ctx: Ctx) => sql`catalog_wishlist_item w
  join lateral (select v.*, ${priceAt(ctx.clock.now())} as amount from catalog_variant v where v.tenant_id = w.tenant_id and v.id = w.variant_id and v.active and v.deleted_at is null) v on true
  join catalog_product t on t.tenant_id = v.tenant_id and t.id = v.product_id`;

async function present(ctx: Ctx, rows: readonly ItemRow[], viewer: Awaited<ReturnType<typeof viewerOf>>): Promise<Item[]> {
  const hidden = await hiddenAmong(
    ctx,
    rows.map(({ productId }) => productId),
  );
  const shownRows = rows.filter(({ productId }) => !hidden.has(productId));
  const stock = await ctx.use(stockService)?.availability(shownRows.map(({ id }) => id));
  const shown = viewer.general ? [] : await viewer.prices(shownRows.map(({ id }) => ({ variantId: id, quantity: 1 })));
  return shownRows.flatMap((row, i) => {
    if (!viewer.general && !shown[i]) return [];
    return [itemView(ctx, row, shown[i], viewer.currency, stock)];
  });
}

function itemView(
  ctx: Ctx,
  row: ItemRow,
  shown: ShownPrice | undefined,
  currency: string,
  stock: ReadonlyMap<string, StockView> | undefined,
): Item {
  return {
    variantId: row.id,
    productId: row.productId,
    slug: row.slug,
    title: textOf(row.title, ctx),
    sku: row.sku,
    optionValues: row.optionValues,
    image: row.image && { url: row.image.url, alt: textOrNull(row.image.alt, ctx) },
    brand: row.brand,
    ...priceView(row, shown, currency),
    availability: bestAvailability([row.id], stock),
    addedAt: row.addedAt,
  };
}

function customerOf(ctx: Ctx): string {
  if (ctx.actor.type !== 'customer') throw new Error('the route lets customers in only');
  return ctx.actor.customerId;
}

async function itemOf(ctx: Ctx, customerId: string, variantId: string): Promise<Item | undefined> {
  const viewer = await viewerOf(ctx, null);
  const row = await ctx.db.first<ItemRow>(
    sql`select ${select(ctx, !viewer.general)} from ${from(ctx)} where ${isShown(ctx)} and w.tenant_id = ${ctx.tenant.id} and w.customer_id = ${customerId} and w.variant_id = ${variantId}`,
  );
  return row && (await present(ctx, [row], viewer))[0];
}

export const wishlistRoutes = [
  route('GET', '/wishlist/', { auth: 'customer', query: items, response: itemShape, list: true }, async (ctx, req) => {
    const viewer = await viewerOf(ctx, null);
    const where = sql`${isShown(ctx)} and w.tenant_id = ${ctx.tenant.id} and w.customer_id = ${customerOf(ctx)}`;
    return items.run<ItemRow, Item>(ctx, req.query, { select: select(ctx, !viewer.general), from: from(ctx), where }, (rows) =>
      present(ctx, rows, viewer),
    );
  }),
  route(
    'POST',
    '/wishlist/items',
    {
      auth: 'customer',
      body: { variantId: f.id() },
      response: itemShape,
      status: 201,
      otherResponses: { 200: itemShape },
      summary: 'Add a variant to the wishlist; 200 if it is there already',
    },
    async (ctx, req) => {
      const { variantId } = req.body;
      const customerId = customerOf(ctx);
      const now = ctx.clock.now();
      const known = await ctx.db.first(
        sql`select from catalog_variant where tenant_id = ${ctx.tenant.id} and id = ${variantId} and deleted_at is null`,
      );
      if (!known) throw referenceNotFound('/variantId');
      const added = await ctx.db.run(sql`
        insert into catalog_wishlist_item (tenant_id, id, customer_id, variant_id, created_at, updated_at)
        values (${ctx.tenant.id}, ${uuidv7(ctx.clock.ms())}, ${customerId}, ${variantId}, ${now}, ${now})
        on conflict (tenant_id, customer_id, variant_id) do nothing`);
      const item = await itemOf(ctx, customerId, variantId);
      // The product is hidden. The error rolls back the insert.
      if (!item) throw referenceNotFound('/variantId');
      return added > 0 ? reply(201, item, { location: `/wishlist/items/${variantId}` }) : item;
    },
  ),
  route(
    'DELETE',
    '/wishlist/items/{variantId}',
    { auth: 'customer', params: { variantId: f.id() }, status: 204 },
    async (ctx, req) => {
      const removed = await ctx.rows(wishlistItem).removeWhere({ customerId: customerOf(ctx), variantId: req.params.variantId });
      if (removed === 0) throw notFound();
      return noContent();
    },
  ),
];

export const { exportPerson, erasePerson } = personalTaps(
  personalRows({
    table: wishlistItem,
    present: (ctx, rows) =>
      ctx.db.rows<Record<string, unknown>>(sql`
        select w.id, w.customer_id as "customerId", w.variant_id as "variantId", v.sku, p.title, w.created_at as "createdAt"
        from catalog_wishlist_item w
        join catalog_variant v on v.tenant_id = w.tenant_id and v.id = w.variant_id
        join catalog_product p on p.tenant_id = v.tenant_id and p.id = v.product_id
        where w.tenant_id = ${ctx.tenant.id} and w.id = any(${rows.map(({ id }) => id)}::uuid[]) order by w.created_at, w.id`),
    erased: 'removed',
  }),
);
