import { catalog } from '@storeloom/plugin-catalog/contract';
import type { stock } from '@storeloom/plugin-inventory/contract';
import { type Ctx, token } from '@storeloom/plugin-sdk';
import type { PricingLine } from './contract.ts';

const stockToken = token<typeof stock>('inventory:stock');

/** Units of each variant that the lines take from stock; a bundle takes its parts. */
export function demandOf(lines: readonly Pick<PricingLine, 'variantId' | 'quantity' | 'children'>[]): Map<string, number> {
  const demand = new Map<string, number>();
  const take = (variantId: string, units: number): void => void demand.set(variantId, (demand.get(variantId) ?? 0) + units);
  for (const { variantId, quantity, children } of lines) {
    if (children && children.length > 0) for (const child of children) take(child.variantId, child.quantity * quantity);
    else if (variantId !== undefined) take(variantId, quantity);
  }
  return demand;
}

/** What of the demand isn't there: variant → units that are. Without inventory everything counts as available. */
export async function shortages(ctx: Ctx, demand: ReadonlyMap<string, number>): Promise<Map<string, number>> {
  const short = new Map<string, number>();
  const levels = demand.size > 0 ? await ctx.use(stockToken)?.availability([...demand.keys()]) : undefined;
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

/** How many of this line there could be, as the shortest of its parts says; undefined when nothing of it is short. */
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
