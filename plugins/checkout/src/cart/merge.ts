import { catalog, type VariantView } from '@storeloom/commerce';
import type { Ctx, Warning } from '@storeloom/plugin-sdk';
import { sameCode } from '../pricing/priced.ts';
import { recordTransition } from './history.ts';
import { maxLines, mergeLines } from './lines.ts';
import { demandOf, shortages } from './stock.ts';
import { type CartLine, type CartRow, cart } from './table.ts';

/** Caps a quantity at the variant's maximum and the available stock, rounded down to whole steps. */
export function capQuantity(quantity: number, rule: Pick<VariantView, 'maxPerOrder' | 'step'>, available: number): number {
  const most = Math.min(quantity, rule.maxPerOrder ?? quantity, available);
  return rule.step === null ? most : most - (most % rule.step);
}

/**
 * Merges a guest's cart into a customer's: adds quantities by line key, capped at the stock and the maximum per order. A capped line is a
 * warning and not an error, because signing in must not fail.
 */
export async function mergeInto(ctx: Ctx, own: CartRow, guest: CartRow): Promise<{ cart: CartRow; warnings: Warning[] }> {
  const merged = mergeLines(own.lines, guest.lines).slice(0, maxLines);
  const { lines, warnings } = await capLines(ctx, own.lines, merged);
  const codes = [...own.codes, ...guest.codes.filter((code) => !own.codes.some((each) => sameCode(each, code)))];
  await ctx.rows(cart).update(guest.id, { status: 'merged', mergedInto: own.id });
  await recordTransition(ctx, guest, 'merged');
  await recordTransition(ctx, own, 'open');
  const row = await ctx.rows(cart).update(own.id, {
    lines,
    codes,
    status: 'open',
    email: own.email ?? guest.email,
    shippingAddress: own.shippingAddress ?? guest.shippingAddress,
    lastActivityAt: ctx.clock.now(),
  });
  return { cart: row, warnings };
}

async function capLines(
  ctx: Ctx,
  before: readonly CartLine[],
  merged: readonly CartLine[],
): Promise<{ lines: CartLine[]; warnings: Warning[] }> {
  const had = new Map(before.map((line) => [line.id, line.quantity]));
  const changed = merged.filter((line) => line.variantId !== null && had.get(line.id) !== line.quantity);
  const ids = [...new Set(changed.map((line) => line.variantId as string))];
  const rules = new Map((await ctx.require(catalog).variants(ids)).map((variant) => [variant.id, variant]));
  const demand = demandOf(
    merged.flatMap((line) => {
      if (line.variantId === null) return [];
      const parts = rules.get(line.variantId)?.components ?? undefined;
      const children = parts?.map(({ variantId, quantity }) => ({ variantId, quantity }));
      return [{ variantId: line.variantId, quantity: line.quantity, ...(children ? { children } : {}) }];
    }),
  );
  const short = await shortages(ctx, demand);
  const lines: CartLine[] = [];
  const warnings: Warning[] = [];
  for (const line of merged) {
    const rule = line.variantId === null ? undefined : rules.get(line.variantId);
    if (!rule || !changed.includes(line)) {
      lines.push(line);
      continue;
    }
    const others = merged.reduce(
      (sum, each) => sum + (each !== line && each.variantId === line.variantId ? each.quantity : 0),
      0,
    );
    const parts = rule.components ?? [{ variantId: rule.id, quantity: 1 }];
    const there = Math.min(
      ...parts.map((part) => {
        const left = short.get(part.variantId);
        return left === undefined ? Number.POSITIVE_INFINITY : Math.floor(left / part.quantity);
      }),
    );
    const most = Number.isFinite(there) ? Math.max(0, there - others) : line.quantity;
    const limit = rule.maxPerOrder === null ? null : Math.max(0, rule.maxPerOrder - others);
    const quantity = capQuantity(line.quantity, { maxPerOrder: limit, step: rule.step }, most);
    if (quantity < line.quantity)
      warnings.push({
        code: 'quantity_capped',
        message: `${line.title}: ${quantity} of ${line.quantity} kept`,
        ...(quantity > 0 ? { pointer: `/lines/${lines.length}` } : {}),
      });
    if (quantity > 0) lines.push({ ...line, quantity });
  }
  return { lines, warnings };
}
