import type { LineChild, PricingContext, PricingLine } from '@storeloom/commerce';
import { type Ctx, type LocalText, Problem } from '@storeloom/plugin-sdk';
import { buyerOf } from './buyer.ts';
import { amountFor, compareAtFor, priceFor } from './sell-price.ts';
import { fullTitle, isSellable, loadWithComponents, type Sellable } from './sellable.ts';
import type { Quantities } from './tiers.ts';
import type { Buyer, Level } from './unit-price.ts';

/** What later taps may know of a line's goods: `line.facts.catalog`. */
export interface CatalogFacts {
  level: Level;
  tier: { id: string; minQuantity: number } | null;
  productType: Sellable['type'];
  /** Those the product is in and all above them. */
  categoryIds: string[];
  brandId: string | null;
  vendorId: string | null;
  tags: string[];
  /** What staff say the price is reduced from, in the buyer's currency. */
  compareAt: number | null;
  /** A reduction is advertised: `compareAtPrice` is above the list price. */
  onSale: boolean;
  returnable: boolean;
  minAge: number | null;
  /** The rule of its quantity, so that the cart checks it without asking again. */
  minPerOrder: number | null;
  maxPerOrder: number | null;
  step: number | null;
}

const forShoppers: readonly PricingContext['purpose'][] = ['browse', 'cart', 'place'];
const isOurs = (line: PricingLine): line is PricingLine & { variantId: string } =>
  line.kind === 'product' && line.variantId !== undefined;
/** What is sent to a place, of a bundle what is in it. */
const shipsAlone = (item: Sellable): boolean => item.type === 'physical';

/**
 * Stage 10 of `lines.resolve`: price by level and tier, title, weight, tax category, children of bundles. Locked lines stay as they are,
 * but count for tiers. In purpose `browse` each line stands for itself: they are alternatives, not a cart. A variant that is gone, or for
 * shoppers not to be had, throws 404 and names the lines.
 */
export async function resolveLines(ctx: Ctx, value: { context: PricingContext; lines: PricingLine[] }): Promise<typeof value> {
  const { context } = value;
  const ours = value.lines.filter(isOurs);
  const open = ours.filter((line) => !line.locked);
  if (open.length === 0) return value;
  const items = await loadWithComponents(ctx, [...new Set(ours.map(({ variantId }) => variantId))]);
  refuseGone(value, items, forShoppers.includes(context.purpose));
  const buyer = await buyerOf(ctx, context, items.values());
  const counted = countUnits(ours, items);
  const lines = value.lines.map((line) => {
    if (!isOurs(line) || line.locked) return line;
    const item = items.get(line.variantId)!;
    const quantities = context.purpose === 'browse' ? { variant: line.quantity, product: line.quantity } : counted(item);
    return resolved(line, item, items, buyer, quantities, { locale: context.locale, tenant: ctx.tenant });
  });
  return { ...value, lines };
}

function refuseGone(
  { lines, context }: { context: PricingContext; lines: PricingLine[] },
  items: ReadonlyMap<string, Sellable>,
  shopper: boolean,
): void {
  const gone = lines.flatMap((line, i) => {
    if (!isOurs(line) || line.locked) return [];
    const item = items.get(line.variantId);
    return item && (!shopper || isSellable(item, context.at)) ? [] : [{ line, pointer: `/lines/${i}` }];
  });
  if (gone.length === 0) return;
  throw new Problem('not_found', {
    detail: 'An item is no longer available. Remove it from the cart.',
    lines: gone.map(({ line }) => line.id),
    errors: gone.map(({ pointer }) => ({
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

interface Locales {
  locale: string;
  tenant: { defaultLocale: string };
}

function resolved(
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
    title: say(fullTitle(item), locales),
    sku: item.sku,
    ...(item.image === null ? {} : { image: item.image }),
    listPrice: price.listPrice,
    unitPrice: price.unitPrice,
    ...(item.minPrice === null ? {} : { minPrice: amountFor(item, buyer, item.minPrice) }),
    ...(item.taxCategoryId === null ? {} : { taxCategoryId: item.taxCategoryId }),
    ships: children ? children.some(({ ships }) => ships) : shipsAlone(item),
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
        title: say(fullTitle(part), locales),
        sku: part.sku,
        listPrice: priceFor(part, items, buyer, { variant: 1, product: 1 }).listPrice,
        ...(part.taxCategoryId === null ? {} : { taxCategoryId: part.taxCategoryId }),
        weightG: part.weightG,
        ships: shipsAlone(part),
      },
    ];
  });
}

function say(text: LocalText, { locale, tenant }: Locales): string {
  return text[locale] ?? text[tenant.defaultLocale] ?? Object.values(text)[0] ?? '';
}
