import type { LineChild, PricingContext, PricingLine } from '@storeloom/commerce';
import { type Ctx, Problem } from '@storeloom/plugin-sdk';
import { textOf } from '../texts.ts';
import { buyerOf } from './buyer.ts';
import { amountFor, compareAtFor, priceFor } from './sell-price.ts';
import { fullTitle, isSellable, loadWithComponents, type Sellable } from './sellable.ts';
import type { Quantities } from './tiers.ts';
import type { Buyer, Level } from './unit-price.ts';

/** `line.facts.catalog`: product data for later taps of `lines.resolve`. */
export interface CatalogFacts {
  level: Level;
  tier: { id: string; minQuantity: number } | null;
  productType: Sellable['type'];
  /** Categories of the product and all their ancestors. */
  categoryIds: string[];
  brandId: string | null;
  vendorId: string | null;
  tags: string[];
  /** Compare-at price in minor units of the buyer's currency. */
  compareAt: number | null;
  /** `compareAt` is above the list price. */
  onSale: boolean;
  returnable: boolean;
  minAge: number | null;
  /** Quantity rule of the variant. The cart checks it without a second query. */
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

const shopperPurposes: readonly PricingContext['purpose'][] = ['browse', 'cart', 'place'];
const isVariantLine = (line: PricingLine): line is PricingLine & { variantId: string } =>
  line.kind === 'product' && line.variantId !== undefined;
/** True for physical items. Whether a bundle ships depends on its components. */
const isPhysical = (item: Sellable): boolean => item.type === 'physical';

/**
 * Stage 10 of `lines.resolve`: sets price by level and tier, title, weight, tax category and bundle children. Leaves locked lines
 * unchanged, but counts their units for tiers. With purpose `browse` each line counts alone, because the lines are alternatives.
 *
 * @throws 404 `not_found` with the line ids if a variant is deleted, or unavailable to shoppers.
 */
export async function resolveLines(ctx: Ctx, value: { context: PricingContext; lines: PricingLine[] }): Promise<typeof value> {
  const { context } = value;
  const variantLines = value.lines.filter(isVariantLine);
  const open = variantLines.filter((line) => !line.locked);
  if (open.length === 0) return value;
  const items = await loadWithComponents(ctx, [...new Set(variantLines.map(({ variantId }) => variantId))]);
  rejectUnavailable(value, items, shopperPurposes.includes(context.purpose));
  const buyer = await buyerOf(ctx, context, items.values());
  const quantitiesOf = countUnits(variantLines, items);
  const lines = value.lines.map((line) => {
    if (!isVariantLine(line) || line.locked) return line;
    const item = items.get(line.variantId)!;
    const quantities = context.purpose === 'browse' ? { variant: line.quantity, product: line.quantity } : quantitiesOf(item);
    return resolveLine(line, item, items, buyer, quantities, { locale: context.locale, tenant: ctx.tenant });
  });
  return { ...value, lines };
}

function rejectUnavailable(
  { lines, context }: { context: PricingContext; lines: PricingLine[] },
  items: ReadonlyMap<string, Sellable>,
  shopper: boolean,
): void {
  const unavailable = lines.flatMap((line, i) => {
    if (!isVariantLine(line) || line.locked) return [];
    const item = items.get(line.variantId);
    return item && (!shopper || isSellable(item, context.at)) ? [] : [{ line, pointer: `/lines/${i}` }];
  });
  if (unavailable.length === 0) return;
  throw new Problem('not_found', {
    detail: 'An item is no longer available. Remove it from the cart.',
    lines: unavailable.map(({ line }) => line.id),
    errors: unavailable.map(({ pointer }) => ({
      pointer: `${pointer}/variantId`,
      code: 'not_found',
      message: 'is no longer available',
    })),
  });
}

function countUnits(
  lines: readonly (PricingLine & { variantId: string })[],
  items: ReadonlyMap<string, Sellable>,
): (item: Sellable) => Quantities {
  const units = new Map<string, number>();
  const add = (id: string, quantity: number): void => void units.set(id, (units.get(id) ?? 0) + quantity);
  for (const { variantId, quantity } of lines) {
    add(variantId, quantity);
    const item = items.get(variantId);
    if (item) add(item.productId, quantity);
  }
  return ({ id, productId }) => ({ variant: units.get(id) ?? 0, product: units.get(productId) ?? 0 });
}

type Locales = Parameters<typeof textOf>[1];

function resolveLine(
  line: PricingLine,
  item: Sellable,
  items: ReadonlyMap<string, Sellable>,
  buyer: Buyer,
  quantities: Quantities,
  locales: Locales,
): PricingLine {
  const price = priceFor(item, items, buyer, quantities);
  const children = item.type === 'bundle' ? childrenOf(item, items, buyer, locales) : undefined;
  const compareAt = compareAtFor(item, buyer);
  const facts: CatalogFacts = {
    level: price.level,
    tier: price.tier,
    productType: item.type,
    categoryIds: item.categoryIds,
    brandId: item.brandId,
    vendorId: item.vendorId,
    tags: item.tags,
    compareAt,
    onSale: compareAt !== null && compareAt > price.listPrice,
    returnable: item.returnable,
    minAge: item.minAge,
    minPerOrder: item.minPerOrder,
    maxPerOrder: item.maxPerOrder,
    step: item.step,
  };
  return {
    ...line,
    productId: item.productId,
    title: textOf(fullTitle(item), locales),
    sku: item.sku,
    ...(item.image === null ? {} : { image: item.image }),
    listPrice: price.listPrice,
    unitPrice: price.unitPrice,
    ...(item.minPrice === null ? {} : { minPrice: amountFor(item, buyer, item.minPrice) }),
    ...(item.taxCategoryId === null ? {} : { taxCategoryId: item.taxCategoryId }),
    ships: children ? children.some(({ ships }) => ships) : isPhysical(item),
    weightG: item.weightG || (children ?? []).reduce((sum, child) => sum + child.weightG * child.quantity, 0),
    ...(children ? { children } : {}),
    facts: { ...line.facts, catalog: facts },
  };
}

function childrenOf(item: Sellable, items: ReadonlyMap<string, Sellable>, buyer: Buyer, locales: Locales): LineChild[] {
  return item.components.flatMap(({ variantId, quantity }) => {
    const part = items.get(variantId);
    if (!part) return [];
    return [
      {
        variantId,
        quantity,
        title: textOf(fullTitle(part), locales),
        sku: part.sku,
        listPrice: priceFor(part, items, buyer, { variant: 1, product: 1 }).listPrice,
        ...(part.taxCategoryId === null ? {} : { taxCategoryId: part.taxCategoryId }),
        weightG: part.weightG,
        ships: isPhysical(part),
      },
    ];
  });
}
