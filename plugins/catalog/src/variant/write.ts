import { type Ctx, problem, referenceNotFound, sql, uuidv7 } from '@storeloom/plugin-sdk';
import { optionKey, type ProductOption } from '../product/options.ts';
import { checkImage, checkTogether, checkVariant } from './check.ts';
import {
  type VariantChange,
  type VariantInput,
  type VariantPriceRow,
  type VariantRow,
  variant,
  variantPrice,
} from './variant.ts';

interface Owner {
  id: string;
  status: string;
  type: string;
  options: readonly ProductOption[];
  images: readonly { url: string }[];
}

/**
 * Updates, creates and deletes variants of a locked product, and validates the product with its final variants. Call it without changes
 * after a change of the product's options, type or status.
 */
export async function writeVariants(ctx: Ctx, owner: Owner, changes: readonly VariantChange[]): Promise<void> {
  const rows = ctx.rows(variant);
  const before = await rows.find({ productId: owner.id }, { orderBy: ['position', 'id'], lock: true });
  const known = new Map(before.map((row) => [row.id, row]));
  const pointers = new Map<string, string>();
  const removed: string[] = [];
  const patched = new Map<string, Partial<VariantInput>>();
  const made: (VariantInput & { id: string })[] = [];
  for (const [i, change] of changes.entries()) {
    const pointer = `/variants/${i}`;
    if (change.id !== undefined && !known.has(change.id)) throw referenceNotFound(`${pointer}/id`);
    if (change.delete) removed.push(change.id as string);
    else {
      const { id, delete: _, ...values } = change;
      await checkVariant(ctx, pointer, values, id === undefined ? undefined : known.get(id));
      checkImage(pointer, values, owner.images);
      const target = id ?? uuidv7(ctx.clock.ms());
      pointers.set(target, `${pointer}/optionValues`);
      if (id === undefined) made.push({ ...(values as VariantInput), id: target });
      else patched.set(id, values);
    }
  }
  const kept = before.filter(({ id }) => !removed.includes(id)).map((row) => ({ ...row, ...patched.get(row.id) }));
  checkTogether(
    owner,
    [...kept, ...made],
    pointers,
    before.some(({ active }) => active),
  );

  await deferOptionKeys(ctx, true);
  await remove(ctx, removed);
  for (const row of kept) await update(ctx, owner, known.get(row.id)!, patched.get(row.id));
  await insertVariants(
    ctx,
    made.map((values, i) => ({ values, owner, place: kept.length + i })),
  );
  await deferOptionKeys(ctx, false);
}

/** Clears the image of variants that isn't an image of their product any more. */
export async function dropLostImages(
  ctx: Ctx,
  products: readonly { id: string; images: readonly { url: string }[] }[],
): Promise<void> {
  const pairs = products.map(({ id, images }) => ({ id, urls: images.map(({ url }) => url) }));
  await ctx.db.run(sql`
    update catalog_variant v set image = null, updated_at = ${ctx.clock.now()}, version = version + 1
    from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p (id uuid, urls jsonb)
    where v.tenant_id = ${ctx.tenant.id} and v.product_id = p.id and v.image is not null and not jsonb_exists(p.urls, v.image)`);
}

/** Lets variants exchange their option values, until it is called with false: then it checks for duplicate combinations. */
export async function deferOptionKeys(ctx: Ctx, isDeferred: boolean): Promise<void> {
  await ctx.db.run(sql`set constraints catalog_variant_option_values_key ${sql.raw(isDeferred ? 'deferred' : 'immediate')}`);
}

async function remove(ctx: Ctx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const used = await ctx.db.first<{ n: number }>(
    sql`select count(*) as n from catalog_bundle_component where tenant_id = ${ctx.tenant.id} and variant_id = any(${[...ids]}::uuid[])`,
  );
  if (used && used.n > 0)
    throw problem('in_use', {
      detail: 'The variant is a component of a bundle. Remove it from the bundle first.',
      counts: { bundles: used.n },
    });
  const now = ctx.clock.now();
  await ctx.db.run(
    sql`update catalog_variant set deleted_at = ${now}, updated_at = ${now}, version = version + 1, active = false, option_key = id::text
        where tenant_id = ${ctx.tenant.id} and id = any(${[...ids]}::uuid[])`,
  );
}

async function update(ctx: Ctx, owner: Owner, known: VariantRow, values: Partial<VariantInput> | undefined): Promise<void> {
  const key = optionKey(owner.options, values?.optionValues ?? known.optionValues);
  if (!values) {
    if (key !== known.optionKey) await ctx.rows(variant).update(known.id, { optionKey: key });
    return;
  }
  const { prices, ...change } = values;
  await ctx.rows(variant).update(known.id, {
    ...change,
    optionKey: key,
    ...(change.sku === undefined ? {} : { skuKey: change.sku.toLowerCase() }),
    ...(prices === undefined ? {} : { dated: isDated(prices, known.price.currency) }),
  });
  if (prices !== undefined) await replacePrices(ctx, new Map([[known.id, prices]]));
}

/** A new variant of a product. A variant without a position gets `place`. */
interface NewVariant {
  values: VariantInput & { id: string };
  owner: Pick<Owner, 'id' | 'options'>;
  place: number;
}

/** Inserts validated variants, of one or more products. */
export async function insertVariants(ctx: Ctx, made: readonly NewVariant[]): Promise<void> {
  if (made.length === 0) return;
  await ctx.rows(variant).insertMany(
    made.map(({ values: { prices, ...values }, owner, place }) => ({
      ...values,
      productId: owner.id,
      position: values.position || place,
      skuKey: values.sku.toLowerCase(),
      optionKey: optionKey(owner.options, values.optionValues),
      dated: isDated(prices, values.price.currency),
    })),
  );
  const priced = made.filter(({ values }) => values.prices.length > 0);
  await ctx
    .rows(variantPrice)
    .insertMany(priced.flatMap(({ values }) => values.prices.map((item) => ({ variantId: values.id, ...item }))));
}

/** Whether there are dated general prices in the variant's currency. */
export function isDated(prices: VariantInput['prices'], currency: string): boolean {
  return prices.some((price) => price.priceListCode === null && price.price.currency === currency);
}

/** Replaces the additional prices, by variant id. */
export async function replacePrices(ctx: Ctx, prices: ReadonlyMap<string, VariantInput['prices']>): Promise<void> {
  const rows = ctx.rows(variantPrice);
  await rows.removeWhere({ variantId: [...prices.keys()] });
  await rows.insertMany([...prices].flatMap(([variantId, items]) => items.map((item) => ({ variantId, ...item }))));
}

/** Variants of products with their additional prices, ordered by position. */
export async function variantsOf(
  ctx: Ctx,
  productIds: readonly string[],
): Promise<Map<string, (VariantRow & { prices: VariantPriceRow[] })[]>> {
  const found = await ctx.rows(variant).find({ productId: productIds }, { orderBy: ['position', 'id'] });
  const prices = await ctx.rows(variantPrice).find({ variantId: found.map(({ id }) => id) }, { orderBy: ['id'] });
  const byProduct = new Map<string, (VariantRow & { prices: VariantPriceRow[] })[]>(productIds.map((id) => [id, []]));
  for (const row of found)
    byProduct.get(row.productId)!.push({ ...row, prices: prices.filter((price) => price.variantId === row.id) });
  return byProduct;
}
