import { mulRatio, type PricedSheet, type RefundPreview, summarizeTax, unitsTotal } from '@storeloom/plugin-sdk/money';

type RefundParts = Pick<RefundPreview, 'lines' | 'shipping'>;

/**
 * Per line or shipping line: the amount that refunds exceed the present price of the refunded units or shipping, after an edit reduced it.
 * Amounts of a line without units reduce the price of the other units. This money covers nothing else, and the edit doesn't refund it again.
 */
export function refundedBeyond(
  sheet: Pick<PricedSheet, 'lines' | 'shippingLines'>,
  refunds: readonly RefundParts[],
): Map<string, number> {
  const beyond = new Map<string, number>();
  const lines = new Map<string, { units: number; amount: number; free: number }>();
  for (const { lineId, quantity, amount } of refunds.flatMap((each) => each.lines)) {
    const sum = lines.get(lineId) ?? { units: 0, amount: 0, free: 0 };
    if (quantity === 0) lines.set(lineId, { ...sum, free: sum.free + amount });
    else lines.set(lineId, { ...sum, units: sum.units + quantity, amount: sum.amount + amount });
  }
  for (const [id, { units, amount, free }] of lines) {
    const line = sheet.lines.find((each) => each.id === id);
    const cost = line ? unitsTotal(line.total, line.quantity, 0, Math.min(units, line.quantity)) : 0;
    const rest = (line?.total ?? 0) - cost;
    const over = amount - cost + Math.max(0, free - rest);
    // Shares of units are rounded, so differences up to one minor unit per unit are ignored.
    if (over > units) beyond.set(id, over);
  }
  const shipping = refunds.reduce((sum, each) => sum + (each.shipping?.amount ?? 0), 0);
  const cost = sheet.shippingLines.reduce((sum, each) => sum + each.total, 0);
  if (shipping > cost) beyond.set(sheet.shippingLines[0]?.id ?? 'shipping:1', shipping - cost);
  return beyond;
}

export const sumOfParts = (parts: ReadonlyMap<string, number>): number =>
  [...parts.values()].reduce((sum, each) => sum + each, 0);

/**
 * Earlier refunds reduced to the present price of their units, so that the next refund gives the remaining units their own price.
 */
export function withinCost(refunds: readonly RefundPreview[], beyond: ReadonlyMap<string, number>): RefundPreview[] {
  const left = new Map(beyond);
  return refunds.map((refund) => {
    const lines = refund.lines.map((line) => {
      const cut = Math.min(left.get(line.lineId) ?? 0, line.amount);
      if (cut === 0) return line;
      left.set(line.lineId, (left.get(line.lineId) ?? 0) - cut);
      const share = (value: number): number => mulRatio(value, line.amount - cut, line.amount);
      const taxGroups = line.taxGroups.map((group) => {
        const paid = share(group.base + group.tax);
        const tax = share(group.tax);
        return { ...group, base: paid - tax, tax };
      });
      return { ...line, amount: line.amount - cut, tax: share(line.tax), taxGroups };
    });
    const parts = [...lines, refund.shipping, refund.free];
    return { ...refund, lines, taxSummary: summarizeTax(parts.flatMap((part) => part?.taxGroups ?? [])) };
  });
}
