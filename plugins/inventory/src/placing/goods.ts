import type { FlowLine, OrderView } from '@storeloom/commerce';
import { type Problem, problem } from '@storeloom/plugin-sdk';
import type { Goods } from './plan.ts';

interface StockLine {
  id: string;
  variantId?: string | null;
  quantity: number;
  children?: readonly { variantId: string; quantity: number }[] | null;
}

/** Converts lines to goods: a bundle to its components; a line without a variant is skipped. */
export function goodsOf(lines: readonly StockLine[]): Goods[] {
  return lines.flatMap(({ id, variantId, quantity, children }) => {
    if (quantity <= 0) return [];
    if (children && children.length > 0)
      return children.map((child) => ({
        variantId: child.variantId,
        orderLineId: id,
        quantity: child.quantity * quantity,
        each: child.quantity,
      }));
    return variantId ? [{ variantId, orderLineId: id, quantity, each: 1 }] : [];
  });
}

/** Converts the given units of an order's lines. */
export function goodsOfOrder(order: Pick<OrderView, 'lines'>, lines: readonly FlowLine[]): Goods[] {
  const byId = new Map(order.lines.map((line) => [line.id, line]));
  return lines.flatMap(({ lineId, quantity }) => {
    const line = byId.get(lineId);
    return line ? goodsOf([{ ...line, quantity }]) : [];
  });
}

/** 409 `insufficient_stock`: each short line with the units available for it; `available` is that of the first line. */
export function insufficientStock(goods: readonly Goods[], short: ReadonlyMap<string, number>): Problem {
  const lines = new Map<string, { lineId: string; variantId: string; quantity: number; available: number }>();
  for (const { variantId, orderLineId, quantity, each } of goods) {
    const possible = short.get(variantId);
    if (possible === undefined) continue;
    const available = Math.floor(Math.max(0, possible) / each);
    const known = lines.get(orderLineId);
    if (!known) lines.set(orderLineId, { lineId: orderLineId, variantId, quantity: quantity / each, available });
    else if (available < known.available) Object.assign(known, { variantId, available });
  }
  const list = [...lines.values()];
  return problem('insufficient_stock', {
    detail: 'The stock is insufficient for this order.',
    available: list[0]?.available ?? 0,
    lines: list,
  });
}
