import { catalog, type PricingLine, type Stock, stock } from '@storeloom/commerce';
import type { Ctx } from '@storeloom/plugin-sdk';

/** The part of a line that stock is needed for. */
interface DemandLine extends Pick<PricingLine, 'variantId' | 'quantity'> {
  readonly children?: readonly { readonly variantId: string; readonly quantity: number }[] | undefined;
}

/** Units of each variant that the lines take from stock. A bundle takes its components. */
export function demandOf(lines: readonly DemandLine[]): Map<string, number> {
  const demand = new Map<string, number>();
  const take = (variantId: string, units: number): void => void demand.set(variantId, (demand.get(variantId) ?? 0) + units);
  for (const { variantId, quantity, children } of lines) {
    if (children && children.length > 0) for (const child of children) take(child.variantId, child.quantity * quantity);
    else if (variantId !== undefined) take(variantId, quantity);
  }
  return demand;
}

type Levels = Awaited<ReturnType<Stock['availability']>>;

/** Starts reading the stock of the lines' variants, so that the query runs while the cart is priced. */
export function prefetchStock(ctx: Ctx, lines: readonly Pick<PricingLine, 'variantId'>[]): Promise<Levels> | undefined {
  const ids = [...new Set(lines.flatMap(({ variantId }) => variantId ?? []))];
  const prefetched = ids.length > 0 ? ctx.use(stock)?.availability(ids) : undefined;
  // `shortages` awaits the promise and handles the error. Without a handler here, Node would report an unhandled rejection first.
  prefetched?.catch(() => undefined);
  return prefetched;
}

/**
 * Variants with less stock than demand, with their available units. Without the inventory plugin every variant is available. `prefetched`
 * is used when it contains every variant of the demand.
 */
export async function shortages(
  ctx: Ctx,
  demand: ReadonlyMap<string, number>,
  prefetched?: Promise<Levels>,
): Promise<Map<string, number>> {
  const short = new Map<string, number>();
  if (demand.size === 0) return short;
  const ids = [...demand.keys()];
  const known = await prefetched;
  const levels = known && ids.every((id) => known.has(id)) ? known : await ctx.use(stock)?.availability(ids);
  if (!levels) return short;
  for (const [variantId, units] of demand) {
    const available = levels.get(variantId)?.available;
    if (available !== undefined && available !== null && available < units) short.set(variantId, Math.max(0, available));
  }
  if (short.size === 0) return short;
  for (const variant of await ctx.require(catalog).variants([...short.keys()])) {
    const { id, trackInventory, allowBackorder, backorderLimit } = variant;
    const onOrder = allowBackorder ? (backorderLimit ?? Number.POSITIVE_INFINITY) : 0;
    const available = levels.get(id)?.available ?? 0;
    const units = demand.get(id) ?? 0;
    if (!trackInventory || units <= available + onOrder) short.delete(id);
    else short.set(id, Math.max(0, available + onOrder));
  }
  return short;
}

/** Available units of a line, limited by the scarcest component; undefined when stock suffices. */
export function shortOf(
  line: Pick<PricingLine, 'variantId' | 'children'>,
  short: ReadonlyMap<string, number>,
): number | undefined {
  const parts = line.children?.length
    ? line.children.map((child) => ({ variantId: child.variantId, each: child.quantity }))
    : line.variantId === undefined
      ? []
      : [{ variantId: line.variantId, each: 1 }];
  let least: number | undefined;
  for (const { variantId, each } of parts) {
    const units = short.get(variantId);
    if (units === undefined) continue;
    const makes = Math.floor(units / each);
    if (least === undefined || makes < least) least = makes;
  }
  return least;
}
